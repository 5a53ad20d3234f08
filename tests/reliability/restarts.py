"""The scenario of a server that is killed again and again while it works on queued scans. It returns a row and its own goals."""

import asyncio
import collections
import json
import time

from client import SERVICE_KEY, Server, request, scan_body
from keys import sealing_keys
from scenarios import double, row, said
from watch import Watch

BEARER = f"Authorization: Bearer {SERVICE_KEY}"


async def ordered(port, number):
    """Queues a scan; a repeated order finds the first. Returns its path, or an empty text."""
    headers = [BEARER, f"X-Router-Key: provider-key-{number % 7}", f"Idempotency-Key: restart-{number}"]
    body = scan_body(f"restart {number}", 120 if number % 20 == 0 else 6)
    status, head, _ = await request(port, "POST", "/api/v2/scans", body, headers, patience=2)
    location = [line for line in head.split("\r\n") if line.lower().startswith("location:")]
    return location[0].split(":", 1)[1].strip() if status in (200, 202) and location else ""


async def ends(port, paths):
    """Waits for the end of scans. Returns the number of each status, with the error of a failed one."""
    found, left = collections.Counter(), list(paths)
    while left:
        path = left.pop()
        _, _, body = await request(port, "GET", path, headers=[BEARER])
        seen = json.loads(body or b"{}")
        status = seen.get("status", "lost")
        if status in ("queued", "running"):
            left.insert(0, path)
            await asyncio.sleep(0.02)
        else:
            found[status if status != "failed" else f"failed {seen.get('error')}"] += 1
    return found


async def count(port):
    """The number of scans that the caller has."""
    found, cursor = 0, ""
    while cursor is not None:
        _, _, body = await request(port, "GET", f"/api/v2/scans?limit=100{cursor}", headers=[BEARER])
        page = json.loads(body)
        found += len(page["scans"])
        cursor = f"&cursor={page['nextCursor']}" if page.get("nextCursor") else None
    return found


async def killed(bench, kills, seconds):
    """Kills the server so often in so many seconds, and later where it takes longer to start. Each life takes five orders."""
    variables = {"RUN_KEY_FILE": sealing_keys(bench)}
    waiting, paths, before, begun = [], [], await bench.mock.count(), time.monotonic()
    for life in range(kills):
        born = time.monotonic()
        server = await asyncio.to_thread(Server, bench.program, bench.mock, bench.folder, bench.database, **variables)
        waiting += range(5 * life, 5 * life + 5)
        took = await asyncio.gather(*(ordered(server.port, number) for number in waiting))
        paths += filter(None, took)
        waiting = [number for number, path in zip(waiting, took) if not path]
        # A life without any work would prove nothing.
        await asyncio.sleep(max(0.3, born + seconds / kills - time.monotonic()))
        server.process.kill()
        server.process.wait()
    spent = time.monotonic() - begun
    with bench.server(**variables) as server:
        # A kill may have taken the reply to an order that was stored.
        paths += filter(None, await asyncio.gather(*(ordered(server.port, number) for number in waiting)))
        watch = Watch(server, polite=False)
        found = await watch.during(ends(server.port, paths))
        kept = await count(server.port)
        repeated = double(before, await bench.mock.count())
        seen = f"{kills} kills in {spent:.0f} s; {len(paths)} scans: {said(found)}; {repeated} calls under way at a kill were repeated"
        goals = [("every scan complete", set(found) == {"complete"}), ("each order is one scan", kept == len(set(paths)) == len(paths))]
        return row(watch, server.memory(), seen), goals


async def restarts(bench):
    return await killed(bench, *((10, 9) if bench.short else (45, 40)))


# As `scenarios.ALL`.
ALL = [
    (17, "Killed 45 times in 40 s, five orders each", restarts, "SQLite", True, False),
]
