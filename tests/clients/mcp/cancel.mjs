// Cancels scans through /mcp in every way that the official TypeScript SDKs have, and counts the questions at the model router.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as ClassicClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as ClassicTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [address, router] = process.argv.slice(2);
const headers = { Authorization: "Bearer sandbox", "X-Router-Key": "sandbox" };
const order = { domain: "example.com", keyword: "plumber", models: ["model-1-latest"], questionsPerModel: 10, waitSeconds: 600 };
const run = { name: "run_scan", arguments: order };
const info = { name: "ibid-check", version: "1.0.0" };

async function calls() {
  return await (await fetch(`${router}/calls`)).json();
}

// Waits until the counts of the router are as wanted.
async function until(wanted, what) {
  for (let look = 0; look < 200; look += 1) {
    const seen = await calls();
    if (wanted(seen)) return seen;
    await sleep(50);
  }
  assert.fail(`${what}: ${JSON.stringify(await calls())}`);
}

const modern = async () => {
  const client = new Client(info, { versionNegotiation: { mode: "auto" } });
  await client.connect(new StreamableHTTPClientTransport(new URL(address), { requestInit: { headers } }));
  assert.equal(client.getNegotiatedProtocolVersion(), "2026-07-28");
  return [client, (call, options) => client.callTool(call, options)];
};
const legacy = async () => {
  const client = new Client(info);
  await client.connect(new StreamableHTTPClientTransport(new URL(address), { requestInit: { headers } }));
  assert.equal(client.getNegotiatedProtocolVersion(), "2025-11-25");
  return [client, (call, options) => client.callTool(call, options)];
};
const classic = async () => {
  const client = new ClassicClient(info);
  await client.connect(new ClassicTransport(new URL(address), { requestInit: { headers } }));
  return [client, (call, options) => client.callTool(call, undefined, options)];
};

// Each way starts a scan, waits until its questions are open, and ends it.
const ways = {
  async "an AbortSignal"(client, call, open) {
    const stop = new AbortController();
    const running = call(run, { signal: stop.signal, timeout: 60_000 });
    running.catch(() => {});
    await open();
    stop.abort("the user pressed stop");
    await assert.rejects(running);
  },
  async "an AbortSignal after progress was asked for"(client, call, open) {
    const stop = new AbortController();
    const running = call(run, { signal: stop.signal, timeout: 60_000, onprogress: () => {} });
    running.catch(() => {});
    await open();
    stop.abort("the user pressed stop");
    await assert.rejects(running);
  },
  async "the time limit of the client"(client, call, open) {
    const running = call(run, { timeout: 2_000 });
    running.catch(() => {});
    await open();
    await assert.rejects(running);
  },
  async "hanging up"(client, call, open) {
    const running = call(run, { timeout: 60_000 });
    running.catch(() => {});
    await open();
    await client.close();
    await assert.rejects(running);
  },
  async "cancel_scan"(client, call, open) {
    const scan = await call({ ...run, arguments: { ...order, waitSeconds: 0 } });
    await open();
    const { scanId } = scan.structuredContent;
    const stopped = await call({ name: "cancel_scan", arguments: { scanId } });
    assert.ok(!stopped.isError, JSON.stringify(stopped));
  },
};

for (const [sdk, connect] of Object.entries({ modern, legacy, classic })) {
  for (const [way, cancel] of Object.entries(ways)) {
    const before = (await calls()).came;
    const [client, call] = await connect();
    let open;
    await cancel(client, call, async () => {
      open = await until((seen) => seen.came > before && seen.waiting === seen.came - before, "no question came");
    });
    await until((seen) => seen.waiting === 0, `${sdk}, ${way}: questions go on`);
    // No question follows.
    await sleep(300);
    const after = await calls();
    assert.ok(after.waiting === 0 && after.came - before <= order.questionsPerModel, JSON.stringify(after));
    await client.close();
  }
  console.log(sdk, "cancelled by", Object.keys(ways).join(", "));
}
