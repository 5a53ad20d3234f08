// Buys one scan with the current client (protocol version 2).
//
//   node pay.mjs [base URL] [domain] [keyword]
//
// PRIVATE_KEY names the paying wallet. Without it, a published test wallet pays, which only a server in
// sandbox mode accepts.
import { ExactEvmScheme } from "@x402/evm";
import { decodePaymentResponseHeader, wrapFetchWithPaymentFromConfig } from "@x402/fetch";
import { privateKeyToAccount } from "viem/accounts";

const [base = "http://127.0.0.1:8080", domain = "example.com", keyword = "crm software"] = process.argv.slice(2);
const testKey = "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d";
const account = privateKeyToAccount(process.env.PRIVATE_KEY ?? testKey);

const payingFetch = wrapFetchWithPaymentFromConfig(fetch, {
  schemes: [{ network: "eip155:84532", client: new ExactEvmScheme(account) }],
});

const answer = await payingFetch(`${base}/api/a2a/scan`, {
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify({ domain, keyword }),
});
const body = await answer.json();
const receipt = answer.headers.get("PAYMENT-RESPONSE");

console.log("status", answer.status);
console.log("receipt", receipt ? decodePaymentResponseHeader(receipt) : "none");
console.log(JSON.stringify(body, null, 2));
process.exit(answer.ok ? 0 : 1);
