// Buys one scan with the older client (protocol version 1).
//
//   node pay-v1.mjs [base URL] [domain] [keyword]
//
// PRIVATE_KEY names the paying wallet. Without it, a published test wallet pays, which only a server in
// sandbox mode accepts.
import { createWalletClient, http } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { baseSepolia } from "viem/chains";
import { decodeXPaymentResponse, wrapFetchWithPayment } from "x402-fetch";

const [base = "http://127.0.0.1:8080", domain = "example.com", keyword = "crm software"] = process.argv.slice(2);
const testKey = "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d";
const account = privateKeyToAccount(process.env.PRIVATE_KEY ?? testKey);
const wallet = createWalletClient({ account, transport: http(), chain: baseSepolia });

// This client refuses to pay more than 0.10 USDC unless it is told a higher limit, here 1 USDC.
const payingFetch = wrapFetchWithPayment(fetch, wallet, 1_000_000n);

const answer = await payingFetch(`${base}/api/a2a/scan`, {
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify({ domain, keyword }),
});
const body = await answer.json();
const receipt = answer.headers.get("X-Payment-Response");

console.log("status", answer.status);
console.log("receipt", receipt ? decodeXPaymentResponse(receipt) : "none");
console.log(JSON.stringify(body, null, 2));
process.exit(answer.ok ? 0 : 1);
