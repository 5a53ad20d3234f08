// Runs and reads a scan through /mcp with the official TypeScript SDK, and agrees to the cost of another.
import assert from "node:assert/strict";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const order = { domain: "example.com", keyword: "plumber" };
const headers = { Authorization: "Bearer sandbox", "X-Router-Key": "sandbox" };

async function scan(versionNegotiation) {
  const client = new Client({ name: "ibid-check", version: "1.0.0" }, { capabilities: { elicitation: {} }, versionNegotiation });
  let asked = 0;
  client.setRequestHandler("elicitation/create", async () => {
    asked += 1;
    return { action: "accept", content: { run: true } };
  });
  await client.connect(new StreamableHTTPClientTransport(new URL(process.argv[2]), { requestInit: { headers } }));
  assert.equal((await client.listTools()).tools.length, 14);
  const run = await client.callTool({ name: "run_scan", arguments: order });
  assert.ok(!run.isError, JSON.stringify(run));
  const { scanId } = run.structuredContent;
  const read = await client.callTool({ name: "get_scan", arguments: { scanId } });
  assert.deepEqual(read.structuredContent.result, run.structuredContent.result);
  const dear = await client.callTool({ name: "run_scan", arguments: { ...order, maxCostUsd: 0.01 } });
  const revision = client.getNegotiatedProtocolVersion();
  // Without a session the server cannot ask a client of the older revision.
  const modern = revision === "2026-07-28";
  assert.deepEqual([asked, Boolean(dear.isError)], modern ? [1, false] : [0, true]);
  console.log(revision, "score", read.structuredContent.result.overallScore);
  await client.close();
  return revision;
}

assert.equal(await scan({ mode: "auto" }), "2026-07-28");
assert.equal(await scan(undefined), "2025-11-25");
