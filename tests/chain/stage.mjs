// The stage of the settlement tests: a local chain with a token, a proxy in front of its node, and a facilitator made of
// the reference packages, which really settles there.
//
//   node stage.mjs          prints {"node","proxy","facilitator"} once everything answers, and ends with its input
//
// The facilitator reaches the chain through the proxy. Tests that read the chain use the node. Extra routes of the
// facilitator, for tests only:
//   POST /_proxy   {"mode": "pass" | "drop" | "revert"}  drop: transactions arrive and the answer is lost
//   POST /_settle  {"status": 429 | 500, "times": 1}     answers settlements with a status and does nothing
//                  {"again": true}                       settles twice, and gives the second answer
//   POST /_mining  {"auto": bool} | {"blocks": n}        at once for each transaction, or so many blocks now
//   POST /_send    {from, to, value, validAfter, validBefore, nonce, signature}  a stranger sends an authorization
//   POST /_cancel  {nonce}                               the payer cancels an authorization
//   GET  /_calls                                         the number of settlements asked for
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createSocket } from "node:net";
import { createWalletClient, http, parseAbi, publicActions } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { baseSepolia } from "viem/chains";
import { x402Facilitator } from "@x402/core/facilitator";
import { toFacilitatorEvmSigner } from "@x402/evm";
import { ExactEvmScheme } from "@x402/evm/exact/facilitator";
import { ExactEvmSchemeV1 } from "@x402/evm/exact/v1/facilitator";

const require = createRequire(import.meta.url);
const folder = new URL(".", import.meta.url).pathname;
const TOKEN = "0x036CbD53842c5426634e7929541eC2318f3dCF7e";
const MULTICALL = "0xcA11bde05977b3631167028862bE2a173976CA11";
// Published keys of development chains. They hold nothing anywhere.
const KEYS = {
  facilitator: "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
  payer: "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d",
  stranger: "0x7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6",
};
// A confirmation that comes later than this is one that the facilitator does not wait for.
const CONFIRMATION_MS = 800;

const abi = parseAbi([
  "function mint(address to, uint256 value)",
  "function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)",
  "function cancelAuthorization(address authorizer, bytes32 nonce, bytes signature)",
]);

const freePort = () =>
  new Promise((found) => {
    const socket = createSocket().listen(0, "127.0.0.1", () => {
      const { port } = socket.address();
      socket.close(() => found(port));
    });
  });

const body = async (request) => {
  let text = "";
  for await (const part of request) text += part;
  return text;
};

const listen = async (handler) => {
  const server = createServer(handler).listen(0, "127.0.0.1");
  await new Promise((ready) => server.on("listening", ready));
  return `http://127.0.0.1:${server.address().port}`;
};

const compile = () => {
  const sources = { "token.sol": { content: readFileSync(`${folder}token.sol`, "utf8") } };
  const settings = {
    optimizer: { enabled: true, runs: 200 },
    evmVersion: "shanghai",
    outputSelection: { "*": { "*": ["evm.deployedBytecode.object"] } },
  };
  const output = JSON.parse(require("solc").compile(JSON.stringify({ language: "Solidity", sources, settings })));
  const faults = (output.errors ?? []).filter((fault) => fault.severity === "error");
  if (faults.length > 0) throw new Error(faults.map((fault) => fault.formattedMessage).join("\n"));
  const code = (name) => `0x${output.contracts["token.sol"][name].evm.deployedBytecode.object}`;
  return { token: code("TestToken"), multicall: code("TestMulticall") };
};

// The chain.
const chainPort = await freePort();
const node = `http://127.0.0.1:${chainPort}`;
const child = spawn(
  process.execPath,
  ["node_modules/hardhat/internal/cli/cli.js", "node", "--hostname", "127.0.0.1", "--port", String(chainPort)],
  {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, HARDHAT_DISABLE_TELEMETRY_PROMPT: "true", HARDHAT_CONFIG: "hardhat.config.cjs" },
  },
);
const stop = () => {
  child.kill("SIGKILL");
  process.exit(0);
};
process.on("SIGTERM", stop);
process.stdin.resume().on("end", stop);
child.on("exit", () => process.exit(1));

const chain = { ...baseSepolia, contracts: {} };
const client = (key, url) =>
  createWalletClient({
    account: privateKeyToAccount(key),
    chain,
    transport: http(url, { timeout: 5_000, retryCount: 0 }),
    pollingInterval: 50,
  }).extend(publicActions);
const rpc = async (method, params = []) => {
  const call = { jsonrpc: "2.0", id: 1, method, params };
  const answer = await fetch(node, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(call),
  });
  const { result, error } = await answer.json();
  if (error) throw new Error(`${method}: ${error.message}`);
  return result;
};

for (let attempt = 0; ; attempt++) {
  try {
    await rpc("eth_chainId");
    break;
  } catch (error) {
    if (attempt > 400) throw error;
    await new Promise((later) => setTimeout(later, 100));
  }
}
const code = compile();
await rpc("hardhat_setCode", [TOKEN, code.token]);
await rpc("hardhat_setCode", [MULTICALL, code.multicall]);
const payer = client(KEYS.payer, node);
const stranger = client(KEYS.stranger, node);
await stranger.writeContract({
  address: TOKEN,
  abi,
  functionName: "mint",
  args: [payer.account.address, 1_000_000_000n],
});
// Enough blocks for the oldest to be final, of one second: the chain must not run ahead of the clock.
await rpc("hardhat_mine", ["0x40", "0x0"]);

// Transactions get a block at once, and the newest block is never older than two seconds: reads run at its time.
let auto = true;
setInterval(() => auto && rpc("evm_mine").catch(() => {}), 2_000).unref();

// The proxy.
let mode = "pass";
let transactions = 0;
const proxy = await listen(async (request, response) => {
  const call = await body(request);
  const sends = call.includes("eth_sendRawTransaction");
  const answer = await fetch(node, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: call,
  }).then((answer) => answer.text());
  if (sends) transactions += 1;
  if (sends && mode === "drop") return request.socket.destroy();
  response.setHeader("content-type", "application/json");
  response.end(answer);
});

// The facilitator. One account sends, so transactions are sent one after the other.
const wallet = client(KEYS.facilitator, proxy);
let last = Promise.resolve();
const inTurn = (send) => {
  const sent = last.then(send, send);
  last = sent.catch(() => {});
  return sent;
};
const signer = toFacilitatorEvmSigner(
  {
    address: wallet.account.address,
    readContract: (call) => wallet.readContract({ ...call, args: call.args ?? [] }),
    verifyTypedData: (call) => wallet.verifyTypedData(call),
    writeContract: (call) =>
      // A fixed amount of gas: the transaction is sent even if it will be reverted.
      inTurn(() => wallet.writeContract({ ...call, args: call.args ?? [], gas: 300_000n })),
    sendTransaction: (call) => inTurn(() => wallet.sendTransaction(call)),
    waitForTransactionReceipt: (call) => wallet.waitForTransactionReceipt({ ...call, timeout: CONFIRMATION_MS }),
    getCode: (call) => wallet.getCode(call),
  },
  { confirmationTimeoutMs: CONFIRMATION_MS },
);
const reference = new x402Facilitator()
  .register("eip155:84532", new ExactEvmScheme(signer))
  .registerV1(["base-sepolia"], new ExactEvmSchemeV1(signer));

let settlements = 0;
let refusal = { status: 0, times: 0 };
const routes = {
  "GET /supported": () => reference.getSupported(),
  "POST /verify": ({ paymentPayload, paymentRequirements }) => reference.verify(paymentPayload, paymentRequirements),
  "POST /settle": async ({ paymentPayload, paymentRequirements }) => {
    settlements += 1;
    if (refusal.times > 0) {
      refusal.times -= 1;
      return { status: refusal.status, error: "declined" };
    }
    const first = await reference.settle(paymentPayload, paymentRequirements);
    return refusal.again ? reference.settle(paymentPayload, paymentRequirements) : first;
  },
  "POST /_proxy": (wanted) => {
    mode = wanted.mode;
    return {};
  },
  "POST /_settle": (wanted) => {
    refusal = wanted;
    return {};
  },
  "POST /_mining": async (wanted) => {
    if (wanted.auto !== undefined) {
      auto = wanted.auto;
      await rpc("evm_setAutomine", [wanted.auto]);
    }
    // Blocks of the same second, so that the chain does not run ahead of the clock.
    for (let left = wanted.blocks ?? 0; left > 0; left--) await rpc("evm_mine");
    return { newest: Number(await rpc("eth_blockNumber")) };
  },
  "POST /_send": async (it) => ({
    transaction: await stranger.writeContract({
      address: TOKEN,
      abi,
      functionName: "transferWithAuthorization",
      args: [it.from, it.to, BigInt(it.value), BigInt(it.validAfter), BigInt(it.validBefore), it.nonce, it.signature],
      gas: 300_000n,
      maxPriorityFeePerGas: 50_000_000_000n,
      maxFeePerGas: 100_000_000_000n,
    }),
  }),
  "POST /_cancel": async ({ nonce }) => {
    const authorizer = payer.account.address;
    const signature = await payer.signTypedData({
      domain: { name: "USDC", version: "2", chainId: chain.id, verifyingContract: TOKEN },
      types: { CancelAuthorization: [{ name: "authorizer", type: "address" }, { name: "nonce", type: "bytes32" }] },
      primaryType: "CancelAuthorization",
      message: { authorizer, nonce },
    });
    const transaction = await stranger.writeContract({
      address: TOKEN,
      abi,
      functionName: "cancelAuthorization",
      args: [authorizer, nonce, signature],
      gas: 300_000n,
      // Above what the facilitator pays: of two waiting transactions this one is first in the block.
      maxPriorityFeePerGas: 50_000_000_000n,
      maxFeePerGas: 100_000_000_000n,
    });
    return { transaction };
  },
  "GET /_calls": () => ({ settlements, transactions }),
};
const facilitator = await listen(async (request, response) => {
  const route = routes[`${request.method} ${request.url}`];
  const text = await body(request);
  response.setHeader("content-type", "application/json");
  try {
    if (!route) throw new Error(`no route ${request.method} ${request.url}`);
    const answer = await route(text ? JSON.parse(text) : {});
    if (answer.status) response.statusCode = answer.status;
    response.end(JSON.stringify(answer));
  } catch (error) {
    response.statusCode = 500;
    response.end(JSON.stringify({ error: String(error?.message ?? error) }));
  }
});
console.log(JSON.stringify({ node, proxy, facilitator }));
