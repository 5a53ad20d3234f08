// Buys from a server with @a2a-js/sdk 1.3.0 and its defaults: the client chooses the interface by the card.
//
//   node node_v1.mjs BASE_URL
//
// The wallet is the published test wallet, so the server has to be a sandbox.
import { ClientFactory } from "@a2a-js/sdk/client";
import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import { privateKeyToAccount } from "viem/accounts";

const base = process.argv[2];
const account = privateKeyToAccount("0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d");
const field = (name, type = "uint256") => ({ name, type });
const types = {
  TransferWithAuthorization: [field("from", "address"), field("to", "address"), field("value"), field("validAfter"),
    field("validBefore"), field("nonce", "bytes32")],
};

// A payment for the first entry of `accepts`, in the version of the demand.
async function sign(required) {
  const offer = required.accepts[0];
  const now = Math.floor(Date.now() / 1000);
  const authorization = {
    from: account.address,
    to: offer.payTo,
    value: offer.maxAmountRequired ?? offer.amount,
    validAfter: String(now - 60),
    validBefore: String(now + offer.maxTimeoutSeconds),
    nonce: `0x${randomBytes(32).toString("hex")}`,
  };
  const signature = await account.signTypedData({
    domain: { ...offer.extra, chainId: 84532, verifyingContract: offer.asset },
    types,
    primaryType: "TransferWithAuthorization",
    message: authorization,
  });
  const payload = { signature, authorization };
  return required.x402Version === 1
    ? { x402Version: 1, scheme: offer.scheme, network: offer.network, payload }
    : { x402Version: 2, resource: required.resource, accepted: offer, payload };
}

const part = ($case, value) => ({ content: { $case, value }, filename: "", mediaType: "", metadata: undefined });
const message = (content, more = {}) => ({
  messageId: randomUUID(), contextId: "", taskId: "", role: 1, parts: [content], metadata: undefined, extensions: [],
  referenceTaskIds: [], ...more,
});
const request = (asked) => ({ tenant: "", message: asked, configuration: undefined, metadata: undefined });
const told = (task) => task.status.message.metadata;
const INPUT_REQUIRED = 6, COMPLETED = 3;

const client = await new ClientFactory().createFromUrl(base);

const hello = await client.sendMessage(request(message(part("text", "What can you do?"))));
assert.equal(hello.status.state, INPUT_REQUIRED);
for (const version of ["x402.payment.required", "x402.payment.required.v2"]) {
  const order = { skill: "scan", domain: "example.com", keyword: "crm software" };
  const asked = await client.sendMessage(request(message(part("data", order))));
  assert.equal(told(asked)["x402.payment.status"], "payment-required");
  const metadata = { "x402.payment.status": "payment-submitted", "x402.payment.payload": await sign(told(asked)[version]) };
  const pays = message(part("text", "payment"), { taskId: asked.id, contextId: asked.contextId, metadata });
  const kinds = [];
  for await (const event of client.sendMessageStream(request(pays))) kinds.push(event.payload.$case);
  console.log(version, kinds.join(" "));
  assert.equal(kinds[0], "task");
  assert.ok(kinds.includes("artifactUpdate") || kinds.length === 1, kinds);
  const done = await client.getTask({ tenant: "", id: asked.id, historyLength: undefined });
  assert.equal(done.status.state, COMPLETED);
  assert.equal(told(done)["x402.payment.receipts"].at(-1).success, true);
  assert.ok(done.artifacts[0].parts[0].content.value.result);
  await assert.rejects(client.cancelTask({ tenant: "", id: asked.id, metadata: undefined }));
}
console.log("ok");
