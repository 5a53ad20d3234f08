"""Scenarios of clients that do not read, each as in scenarios.py."""

import asyncio
import socket
import time

from client import request
from scenarios import row
from watch import Watch

REQUESTS = b"GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n" * 16


def silent(port):
    """A connection that asks for 16 documents and reads none."""
    client = socket.create_connection(("127.0.0.1", port))
    client.sendall(REQUESTS)
    return client


async def unread(bench):
    """The short form does not wait until the connections are closed."""
    with bench.server(DRAIN_SECONDS="60") as server:
        await request(server.port, "GET", "/openapi.json")
        idle, count = server.memory(), 300 if bench.short else 3_000
        watch = Watch(server, polite=False)
        answers, _ = await watch.during(bench.load("unread", server))
        await asyncio.sleep(0 if bench.short else 10)
        after = server.memory()
        held = [silent(server.port) for _ in range(50)]
        await asyncio.sleep(1)
        begun = time.monotonic()
        server.process.terminate()
        await asyncio.to_thread(server.process.wait, 65)
        stopped = time.monotonic() - begun
        for client in held:
            client.close()
        closed, seconds = answers.get("closed", 0), answers.get("seconds", 0)
        seen = (f"{count} connections, idle {idle:.0f} MB; {closed} closed after {seconds} s; "
                f"stopped after {stopped:.0f} s of 60 with 50 more")
        goals = [("memory at most idle + 245 MB for 3,000", watch.peak <= idle + 245 * count / 3_000 + (20 if bench.short else 0)),
                 ("they hold no stop", stopped < 20)]
        if not bench.short:
            goals += [("closed after a minute", closed == count and seconds <= 75), ("memory given back", after <= idle + 64)]
        return row(watch, after, seen), goals


# As in scenarios.py.
ALL = [
    (12, "Connections with 16 unread documents each", unread, "SQLite", True, False),
]
