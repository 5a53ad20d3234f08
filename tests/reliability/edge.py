"""Scenarios of clients that do not read, and of receivers of webhooks. Each as in scenarios.py."""

import asyncio
import contextlib
import os
import socket
import sqlite3
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
        # The server reads its indexes of places and languages after the start.
        await asyncio.sleep(2)
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


def queue(database, owner, url, count):
    """Adds a webhook with so many due messages to a database."""
    now, webhook = int(time.time() * 1000), os.urandom(16)
    connection = sqlite3.connect(database.removeprefix("sqlite:"), timeout=30)
    with contextlib.closing(connection), connection:
        connection.execute("INSERT INTO webhook (id, owner, kind, url, events, name, secret, created_at) "
                           "VALUES (?, ?, 'standard', ?, '', '', ?, ?)", (webhook, owner, url, bytes(24), now))
        rows = ((os.urandom(16), webhook, str(number), now, now) for number in range(count))
        connection.executemany("INSERT INTO webhook_delivery (id, webhook, event, subject, payload, state, created_at, next_attempt, epoch, "
                               "attempts, attempts_before) VALUES (?, ?, 'run.failed', ?, X'7B7D', 'waiting', ?, ?, 0, 0, 0)", rows)


def processor_seconds(pid):
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def webhooks(bench):
    """Messages to a receiver that answers at once, beside a backlog of messages to one that does not answer."""
    taken, count, backlog = [0], 3_000, 30_000 if bench.short else 300_000

    async def take(reader, writer):
        with contextlib.suppress(asyncio.IncompleteReadError, OSError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                await reader.readexactly(int(head.split(b"content-length: ")[1].split(b"\r\n")[0]))
                writer.write(b"HTTP/1.1 204 No Content\r\n\r\n")
                taken[0] += 1
        writer.close()

    with socket.create_server(("127.0.0.1", 0), backlog=1_000) as silent:
        receiver = await asyncio.start_server(take, "127.0.0.1", 0)
        hosts = [f"127.0.0.1:{ports.getsockname()[1]}" for ports in (silent, receiver.sockets[0])]
        with bench.server(WEBHOOK_ALLOW=",".join(hosts)) as server:
            watch = Watch(server, polite=False)
            queue(bench.database, "loud", f"http://{hosts[0]}/", backlog)
            begun = processor_seconds(server.process.pid)
            await watch.during(asyncio.sleep(10))
            cores = (processor_seconds(server.process.pid) - begun) / 10
            queue(bench.database, "calm", f"http://{hosts[1]}/", count)
            begun = time.monotonic()

            async def sent():
                while taken[0] < count and time.monotonic() < begun + 40:
                    await asyncio.sleep(0.01)

            await sent()
            rate = taken[0] / (time.monotonic() - begun)
            receiver.close()
            seen = f"{rate:.0f} messages a second; {cores:.2f} processors beside a backlog of {backlog:,}"
            goals = [("all messages arrive", taken[0] >= count)]
            if not bench.short:
                goals += [("at least 500 a second", rate >= 500), ("a backlog costs little", cores <= 0.1)]
            return row(watch, server.memory(), seen), goals


# As in scenarios.py.
ALL = [
    (15, "Connections with 16 unread documents each", unread, "SQLite", True, False),
    (16, "Webhooks beside a receiver that does not answer", webhooks, "SQLite", True, False),
]
