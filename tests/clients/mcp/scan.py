"""Runs and reads a scan through /mcp with the official Python SDK, in both revisions of the protocol, and buys one without a key."""

import asyncio
import json
import sys
from types import SimpleNamespace

import httpx2
from eth_account import Account
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from x402 import x402Client
from x402.mcp import x402MCPClient
from x402.mechanisms.evm.exact.register import register_exact_evm_client

ORDER = {"domain": "example.com", "keyword": "plumber"}
KEYS = {"Authorization": "Bearer sandbox", "X-Router-Key": "sandbox"}


async def call(client, tool, arguments, **options):
    answer = await client.call_tool(tool, arguments, **options)
    assert not answer.is_error, answer
    return answer.structured_content


async def scan(address, mode):
    async with httpx2.AsyncClient(headers=KEYS, timeout=60) as http:
        async with Client(streamable_http_client(address, http_client=http), mode=mode) as client:
            assert len((await client.list_tools()).tools) == 14
            plan = await call(client, "plan_scan", ORDER)
            seen = []

            async def progress(done, total, message):
                seen.append(done)

            run = await call(client, "run_scan", ORDER, progress_callback=progress)
            assert run["status"] == "complete" and len(seen) == plan["calls"], (run["status"], seen)
            read = await call(client, "get_scan", {"scanId": run["scanId"]})
            assert read["result"] == run["result"]
            whole = await client.read_resource(run["resource"])
            assert '"overallScore"' in whole.contents[0].text
            listed = await call(client, "list_scans", {"limit": 1})
            assert listed["scans"][0]["scanId"] == run["scanId"]
            await call(client, "compare_scans", {"first": run["scanId"], "second": run["scanId"]})
            await call(client, "models", {})
            await call(client, "locate", {"location": "Valencia, Spain"})
            await call(client, "audit_page", {"url": "https://example.com/"})
            text = "1. [Example](https://example.com) is the best."
            scored = await call(client, "score_answers", {"domain": "example.com", "answers": [{"text": text}]})
            assert scored["answers"][0]["rank"] == 1
            above = await client.call_tool("run_scan", ORDER | {"maxCostUsd": 0.01})
            assert above.is_error and "plan_too_expensive" in above.content[0].text
            print(mode, "score", read["result"]["overallScore"], "of", len(seen), "answers")


class Calls:
    """The calls of the SDK in the form that the client of x402 expects: one object in, names of the wire out."""

    def __init__(self, client):
        self.client = client

    async def call_tool(self, params, **_):
        answer = await self.client.call_tool(params["name"], params["arguments"], meta=params.get("_meta"))
        return SimpleNamespace(
            content=answer.content, isError=answer.is_error, structuredContent=answer.structured_content, _meta=answer.meta
        )


async def buy(address, mode):
    payments = x402Client()
    # The published test wallet, so the server has to be a sandbox.
    wallet = Account.from_key("0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d")
    register_exact_evm_client(payments, wallet, networks="eip155:84532")
    async with Client(streamable_http_client(address), mode=mode) as client:
        buyer = x402MCPClient(Calls(client), payments)
        bought = await buyer.call_tool("run_scan", ORDER)
        assert bought.payment_made and not bought.is_error, bought
        assert bought.payment_response.success, bought
        scan = json.loads(bought.content[0].text)
        read = await call(client, "get_scan", {"scanId": scan["scanId"]})
        assert read["result"] == scan["result"]
        print(mode, "bought for", bought.payment_response.transaction)


for revision in ("auto", "legacy"):
    asyncio.run(scan(sys.argv[1], revision))
    asyncio.run(buy(sys.argv[1], revision))
