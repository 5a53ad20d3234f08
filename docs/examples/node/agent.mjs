// Buys one scan as an agent: A2A over JSON-RPC, paid in the metadata of a message (a2a-x402 v0.1).
//
//   node agent.mjs [base URL] [domain] [keyword]
//
// PRIVATE_KEY names the paying wallet. Without it, a published test wallet pays, which only a server in
// sandbox mode accepts.
import { A2AClient } from "@a2a-js/sdk/client";
import { randomBytes, randomUUID } from "node:crypto";
import { privateKeyToAccount } from "viem/accounts";

const [base = "http://127.0.0.1:8080", domain = "example.com", keyword = "crm software"] = process.argv.slice(2);
const testKey = "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d";
const account = privateKeyToAccount(process.env.PRIVATE_KEY ?? testKey);
const chains = { "base-sepolia": 84532, base: 8453 };
const field = (name, type = "uint256") => ({ name, type });
const types = {
  TransferWithAuthorization: [field("from", "address"), field("to", "address"), field("value"), field("validAfter"),
    field("validBefore"), field("nonce", "bytes32")],
};

// A payment of version 1 for an entry of `accepts`: a signed transfer authorization (EIP-3009).
async function sign(offer) {
  const now = Math.floor(Date.now() / 1000);
  const authorization = {
    from: account.address,
    to: offer.payTo,
    value: offer.maxAmountRequired,
    validAfter: String(now - 60),
    validBefore: String(now + offer.maxTimeoutSeconds),
    nonce: `0x${randomBytes(32).toString("hex")}`,
  };
  const signature = await account.signTypedData({
    domain: { ...offer.extra, chainId: chains[offer.network], verifyingContract: offer.asset },
    types,
    primaryType: "TransferWithAuthorization",
    message: authorization,
  });
  return { x402Version: 1, scheme: offer.scheme, network: offer.network, payload: { signature, authorization } };
}

const message = (part, more = {}) => ({ kind: "message", role: "user", messageId: randomUUID(), parts: [part], ...more });
const client = await A2AClient.fromCardUrl(`${base}/.well-known/agent-card.json`);
const offerOf = (task) => task.status.message.metadata["x402.payment.required"].accepts[0];

async function send(asked) {
  const answer = await client.sendMessage({ message: asked });
  if (answer.error) throw new Error(JSON.stringify(answer.error));
  console.log(answer.result.status.state, answer.result.status.message.metadata?.["x402.payment.status"]);
  return answer.result;
}

await send(message({ kind: "text", text: "What can you do?" }));
const asked = await send(message({ kind: "data", data: { skill: "scan", domain, keyword } }));
const metadata = { "x402.payment.status": "payment-submitted", "x402.payment.payload": await sign(offerOf(asked)) };
const pays = message({ kind: "text", text: "payment" }, { taskId: asked.id, contextId: asked.contextId, metadata });
let last;
for await (const event of client.sendMessageStream({ message: pays })) {
  console.log("event", event.kind, event.status?.state ?? "");
  last = event;
}
const done = (await client.getTask({ id: asked.id })).result;
console.log("receipts", done.status.message.metadata["x402.payment.receipts"]);
console.log(done.artifacts[0].parts.find((part) => part.kind === "text").text);
const again = await client.cancelTask({ id: asked.id });
console.log("cancel", again.error.code);
process.exit(last.final && done.status.state === "completed" && again.error.code === -32002 ? 0 : 1);
