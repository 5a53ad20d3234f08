"""Runs and reads a scan through /mcp with the official Python SDK, in both revisions of the protocol."""

import asyncio
import sys

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

ORDER = {"domain": "example.com", "keyword": "plumber"}
KEYS = {"Authorization": "Bearer sandbox", "X-Router-Key": "sandbox"}


async def call(client, tool, arguments, **options):
    answer = await client.call_tool(tool, arguments, **options)
    assert not answer.is_error, answer
    return answer.structured_content


async def scan(address, mode):
    async with httpx2.AsyncClient(headers=KEYS, timeout=60) as http:
        async with Client(streamable_http_client(address, http_client=http), mode=mode) as client:
            assert len((await client.list_tools()).tools) == 9
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


for revision in ("auto", "legacy"):
    asyncio.run(scan(sys.argv[1], revision))
