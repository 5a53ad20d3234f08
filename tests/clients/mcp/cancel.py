"""Cancels scans through /mcp in every way that the official Python SDK has, and counts the questions at the model router."""

import asyncio
import sys

import anyio
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

ADDRESS, ROUTER = sys.argv[1:]
ORDER = {"domain": "example.com", "keyword": "plumber", "models": ["model-1-latest"], "questionsPerModel": 10, "waitSeconds": 600}
KEYS = {"Authorization": "Bearer sandbox", "X-Router-Key": "sandbox"}


async def calls():
    async with httpx2.AsyncClient() as http:
        return (await http.get(f"{ROUTER}/calls")).json()


async def until(wanted, what):
    for _ in range(200):
        seen = await calls()
        if wanted(seen):
            return
        await asyncio.sleep(0.05)
    raise AssertionError(f"{what}: {await calls()}")


async def by_scope(client, opened):
    async with anyio.create_task_group() as group:
        group.start_soon(client.call_tool, "run_scan", ORDER)
        await opened()
        group.cancel_scope.cancel()


async def by_time_limit(client, opened):
    async with anyio.create_task_group() as group:
        group.start_soon(opened)
        try:
            await client.call_tool("run_scan", ORDER, read_timeout_seconds=2)
            raise AssertionError("the call returned")
        except Exception as error:
            assert "imed out" in str(error), error


async def by_tool(client, opened):
    scan = await client.call_tool("run_scan", ORDER | {"waitSeconds": 0})
    await opened()
    stopped = await client.call_tool("cancel_scan", {"scanId": scan.structured_content["scanId"]})
    assert not stopped.is_error, stopped


async def by_closing(client, opened):
    """The connection is closed under the call, with the client."""
    running = asyncio.create_task(client.call_tool("run_scan", ORDER))
    await opened()
    await client.__aexit__(None, None, None)
    await asyncio.wait([running])
    assert running.cancelled() or running.exception(), running


async def check(mode, way):
    before = (await calls())["came"]

    async def opened():
        await until(lambda seen: seen["came"] > before and seen["waiting"] == seen["came"] - before, "no question came")

    async with httpx2.AsyncClient(headers=KEYS, timeout=60) as http:
        client = Client(streamable_http_client(ADDRESS, http_client=http), mode=mode)
        await client.__aenter__()
        await way(client, opened)
        await until(lambda seen: seen["waiting"] == 0, f"{mode}, {way.__name__}: questions go on")
        await asyncio.sleep(0.3)
        after = await calls()
        assert after["waiting"] == 0 and after["came"] - before <= ORDER["questionsPerModel"], after
        if way is not by_closing:
            await client.__aexit__(None, None, None)


WAYS = (by_scope, by_time_limit, by_tool, by_closing)
for revision in ("auto", "legacy"):
    for way in WAYS:
        asyncio.run(check(revision, way))
    print(revision, "cancelled", ", ".join(way.__name__ for way in WAYS))
