"""Scenarios of provider keys that get no answers: calls that hang, that take long, or that fail. Each returns a row and its own goals."""

import asyncio
import base64
import json
import os
import statistics
import subprocess
import time

from client import request, scan, scan_body
from scenarios import row
from watch import Watch, percentile


async def named_keys(bench, *names):
    """Makes named service keys in the database of a server: each holder is a caller of its own."""
    environment = {"PATH": os.environ["PATH"], "DATABASE_URL": bench.database}

    def add(name):
        command = [bench.program, "key", "add", name]
        return subprocess.run(command, env=environment, cwd=bench.folder, check=True, capture_output=True, text=True).stdout.strip()

    keys = [add(name) for name in names]
    # The server reads its keys every two seconds.
    await asyncio.sleep(3)
    return keys


def sealing_keys(bench):
    """A file with a key that seals provider keys of queued scans."""
    path = os.path.join(bench.folder, "run-keys")
    with open(path, "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as out:
        out.write("suite " + base64.b64encode(os.urandom(32)).decode() + "\n")
    return path


async def order(port, bearer, key, keyword, questions=6):
    """Queues a scan. Returns its path, or an empty text."""
    headers = [f"Authorization: Bearer {bearer}", f"X-Router-Key: {key}"]
    status, head, _ = await request(port, "POST", "/api/v2/scans", scan_body(keyword, questions), headers)
    location = [line for line in head.split("\r\n") if line.lower().startswith("location:")]
    return location[0].split(":", 1)[1].strip() if status == 202 and location else ""


async def queued(port, bearer, key, keyword, patience=120.0):
    """Queues a scan and waits for its end. Returns its status and seconds."""
    begun = time.monotonic()
    path, status = await order(port, bearer, key, keyword), "refused"
    while path and time.monotonic() - begun < patience:
        _, _, body = await request(port, "GET", path, headers=[f"Authorization: Bearer {bearer}"])
        status = json.loads(body or b"{}").get("status", "lost")
        if status not in ("queued", "running"):
            break
        await asyncio.sleep(0.02)
    return status, time.monotonic() - begun


async def hanging_key(bench):
    """Four scans of one caller whose provider never answers, and scans of others beside them, queued and direct."""
    with bench.server(ROUTER_MAX_IN_FLIGHT="64", RUN_KEY_FILE=sealing_keys(bench)) as server:
        hanging, polite = await named_keys(bench, "hanging", "polite")

        async def both(name):
            (state, took), (status, direct, _) = await asyncio.gather(
                queued(server.port, polite, "polite-key", f"queued {name}"),
                scan(server.port, f"direct {name}", key="direct-key"))
            return (state, status), took, direct

        first = [await both(f"first {number}") for number in range(3)]
        alone = [statistics.median(times[at] for times in first) for at in (1, 2)]
        watch = Watch(server, polite=False)
        paths = [await order(server.port, hanging, "hanging-key", f"hanging {number}", questions=120) for number in range(4)]
        await asyncio.sleep(1)

        async def beside():
            found, end = [], time.monotonic() + (4 if bench.short else 75)
            while time.monotonic() < end:
                found.append(await both(f"beside {len(found)}"))
            return found

        found = await watch.during(beside())
        for path in paths:
            await request(server.port, "DELETE", path, headers=[f"Authorization: Bearer {hanging}"])
        slowest = [max(times[at] for times in found) for at in (1, 2)]
        watch.scans = [times[2] for times in found]
        seen = (f"{len(found)} pairs; queued alone {alone[0]:.2f} s, beside {slowest[0]:.2f} s; "
                f"direct alone {alone[1]:.2f} s, beside {slowest[1]:.2f} s")
        goals = [("hanging scans were queued", all(paths)), ("all answered", {states for states, _, _ in found} == {("complete", 200)})]
        if not bench.short:
            goals.append(("at most 3 x alone", all(late <= 3 * own for late, own in zip(slowest, alone))))
        return row(watch, server.memory(), seen), goals


async def busy_keys(bench):
    """Twenty callers with two large scans each, and three callers with a small one. Every answer takes 14 s."""
    names = [*(f"busy-{number}" for number in range(20)), "one", "two", "three"]
    with bench.server(ROUTER_MAX_IN_FLIGHT="256", RUN_KEY_FILE=sealing_keys(bench)) as server:
        *busy, one, two, three = await named_keys(bench, *names)
        watch = Watch(server, polite=False)
        orders = [order(server.port, bearer, f"slow-busy-{number % 20}", f"busy {number}", questions=120)
                  for number, bearer in enumerate([*busy, *busy])]
        paths = await asyncio.gather(*orders)
        await asyncio.sleep(5)

        async def small(wait, bearer):
            await asyncio.sleep(wait)
            return await queued(server.port, bearer, f"slow-polite-{wait}", f"polite {wait}")

        found = await watch.during(asyncio.gather(small(0, one), small(5, two), small(10, three)))
        times = [took for _, took in found]
        seen = f"small scans {min(times):.1f} to {max(times):.1f} s at 14 s an answer"
        goals = [("large scans were queued", all(paths)), ("all answered", {state for state, _ in found} == {"complete"}),
                 ("at most 2 answers' time", percentile(times, 0.99) <= 28)]
        return row(watch, server.memory(), seen), goals


async def dead_key(bench):
    """Scans of a key whose every call fails, one after the other."""
    with bench.server() as server:
        watch, times, causes = Watch(server, polite=False), [], []

        async def scans():
            for number in range(6):
                _, took, body = await scan(server.port, f"dead {number}", questions=5, key="dead-key", patience=60)
                times.append(took)
                causes.append(json.loads(body or b"{}").get("cause"))

        await watch.during(scans())
        seen = f"first {times[0]:.2f} s, later at most {max(times[1:]):.2f} s; {', '.join(sorted(set(map(str, causes[1:]))))}"
        goals = [("the answer names the key", set(causes[1:]) == {"provider_key_failing"})]
        if not bench.short:
            goals.append(("as quick as the first", max(times[1:]) <= times[0]))
        return row(watch, server.memory(), seen), goals


# As `scenarios.ALL`.
ALL = [
    (12, "6 questions beside four times 120 that are never answered, 64 places", hanging_key, "both", True, False),
    (13, "6 questions beside 20 callers with 240, 256 places", busy_keys, "SQLite", False, False),
    (14, "A key whose every call fails", dead_key, "SQLite", True, False),
]
