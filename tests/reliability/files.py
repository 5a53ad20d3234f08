"""The scenarios of files that are small to send and large to read. They return a row and their own goals."""

import asyncio
import collections
import gzip
import subprocess
import time

from client import request, scan
from scenarios import none_of, row, said
from watch import Watch

# Lines that fourteen callers send at once, packed: of values without end, and of nothing.
VALUES = gzip.compress(b'{"ibidArchive": 1, "x": [' + b"0," * (4 << 20) + b"0]}\n")
LINE_ENDS = gzip.compress(b"{}\n" + b"\n" * (499 << 20), 6)


def key_of(bench, name):
    """An organisation, and a key to it from its operator."""
    environment = {"DATABASE_URL": bench.database, "PATH": "/usr/bin:/bin"}

    def said_by(*arguments, typed=None):
        command = [bench.program, *arguments]
        return subprocess.run(command, env=environment, input=typed, capture_output=True, text=True, check=True, cwd=bench.folder).stdout

    address = f"{name}@example.com"
    said_by("user", "add", address, "--role", "admin", typed="quince-harbour-lantern-7\n" * 2)
    return said_by("project", "key", address, name, "--access", "write").split()[-1]


async def sent(port, key, body):
    """Sends a file as an archive. Returns the status and the seconds."""
    head = [f"Authorization: Bearer {key}", "Content-Type: application/gzip", f"Content-Length: {len(body)}"]
    begun = time.monotonic()
    status, _, _ = await request(port, "POST", "/api/v2/projects/archive", body, head, patience=60)
    return status, time.monotonic() - begun


async def files(bench, body):
    with bench.server() as server:
        await scan(server.port, "warm up")
        loud, other = await asyncio.to_thread(lambda: [key_of(bench, name) for name in ("loud", "other")])
        watch, counts, waits = Watch(server, polite=False), collections.Counter(), []
        end = time.monotonic() + (4 if bench.short else 8)

        async def load():
            while time.monotonic() < end:
                status, _ = await sent(server.port, loud, body)
                counts[str(status)] += 1
                await asyncio.sleep(0 if status == 400 else 0.2)

        async def beside():
            while time.monotonic() < end:
                waits.append((await sent(server.port, other, gzip.compress(b"{}\n")))[1])
                await asyncio.sleep(0.2)

        await watch.during(asyncio.gather(*(load() for _ in range(14)), beside()))
        result = row(watch, server.memory(), f"{said(counts)}; a small file beside {max(waits):.1f} s at most")
        goals = [("memory at most 400 MB", result["peak"] < 400), none_of(counts, "500", "0")]
        # Time decides here, so the short form does not judge it.
        return result, goals + ([] if bench.short else [("beside at most 3 s", max(waits) <= 3)])


async def values(bench):
    return await files(bench, VALUES)


async def line_ends(bench):
    return await files(bench, LINE_ENDS)


# As `scenarios.ALL`.
ALL = [
    (18, "Archives of 4 million values in a line, 14 at once", values, "SQLite", True, False),
    (19, "Archives of 499 MiB of line ends, 14 at once", line_ends, "SQLite", True, False),
]
