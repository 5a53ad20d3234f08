"""The loads, each in a process of its own at nice 19. Prints what came back as JSON.

    python3 load.py NAME PORT SECONDS
"""

import asyncio
import collections
import json
import os
import resource
import select
import sys
import time

import edge
from client import audit, request, scan, scan_id

counts, ids = collections.Counter(), []


def add(status):
    counts[str(status)] += 1


def add_scan(answer):
    status, _, body = answer
    add(status)
    ids.extend(scan_id(body))


async def repeat(seconds, width, call):
    """Makes calls for some seconds, `width` at a time, at most 20,000."""
    end, left = time.monotonic() + seconds, [20_000]

    async def one():
        while time.monotonic() < end and left[0] > 0:
            left[0] -= 1
            add((await call())[0])

    await asyncio.gather(*(one() for _ in range(width)))


async def slow_bodies(port, seconds):
    """250 connections that send all of 4 MiB but the last kilobyte, and hold it."""
    async def hold():
        size, writer = 4 << 20, None
        try:
            async with asyncio.timeout(seconds + 5):
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                head = f"POST /api/a2a/jsonrpc HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {size}\r\n\r\n"
                writer.write(head.encode())
                for _ in range(size // 65_536 - 1):
                    writer.write(b" " * 65_536)
                    await writer.drain()
                status = await asyncio.wait_for(reader.read(12), seconds)
                add(status[9:12].decode() or "closed")
        except TimeoutError:
            counts["held"] += 1
        except OSError:
            counts["closed"] += 1
        finally:
            if writer:
                writer.close()

    await asyncio.gather(*(hold() for _ in range(250)))


async def pages(port, seconds):
    paths = ["/docs", "/openapi.json", "/.well-known/agent.json"]
    state = [0]

    async def call():
        state[0] += 1
        return await request(port, "GET", paths[state[0] % 3], headers=["Accept-Encoding: gzip"])

    await repeat(seconds, 8, call)


async def silent_names(port, _seconds):
    """40 scans that look names up which are never answered."""
    async def call(number):
        key, domain = f"names-{number}", f"silent-{number}.example"
        add_scan(await scan(port, f"names {number}", key=key, domain=domain, learnNames=True))

    await asyncio.gather(*(call(number) for number in range(40)))


async def many_scans(port, _seconds):
    async def call(number):
        add_scan(await scan(port, f"many {number}", key=f"many-{number}"))

    await asyncio.gather(*(call(number) for number in range(150)))


async def large_scans(port, _seconds):
    async def call(number):
        add_scan(await scan(port, f"large {number}", questions=120))

    await asyncio.gather(*(call(number) for number in range(4)))


async def sign_ins(port, seconds):
    """Wrong passwords for one account from random addresses of one /48."""
    async def call():
        address = "2001:db8:1:" + os.urandom(2).hex() + "::1"
        form = b"email=owner%40example.com&password=wrong-" + os.urandom(4).hex().encode()
        headers = [f"X-Forwarded-For: {address}", "Sec-Fetch-Site: same-origin",
                   "Content-Type: application/x-www-form-urlencoded", f"Content-Length: {len(form)}"]
        return await request(port, "POST", "/sign-in", form, headers, patience=10)

    await repeat(seconds, 4, call)


async def tasks(port, _seconds):
    """1,440 unpaid tasks from one address; then asks which of them are alive."""
    made, gate = [], asyncio.Semaphore(16)

    async def rpc(method, params):
        async with gate:
            body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
            status, _, answer = await request(port, "POST", "/api/a2a/jsonrpc", body)
            return status, json.loads(answer) if status == 200 else {}

    async def send(number):
        part = {"kind": "data", "data": {"skill": "scan", "domain": "example.com", "keyword": f"task {number}"}}
        message = {"kind": "message", "role": "user", "messageId": f"m-{number}", "parts": [part]}
        status, answer = await rpc("message/send", {"message": message})
        add(status)
        if task := answer.get("result", {}).get("id"):
            made.append(task)

    for batch in range(0, 1_440, 240):
        await asyncio.gather(*(send(number) for number in range(batch, batch + 240)))

    async def alive(task):
        _, answer = await rpc("tasks/get", {"id": task})
        counts["alive" if "result" in answer else "gone"] += 1

    await asyncio.gather(*(alive(task) for task in made))


async def bulk_answers(port, _seconds):
    """One scan of 96 questions whose answers have 3.9 MB each."""
    add_scan(await scan(port, "bulk", questions=96, key="bulk"))


async def audits(port, _seconds):
    """32 audits of pages at the address in AUDITED_PAGE, at one time."""
    async def one(number):
        add(await audit(port, os.environ["AUDITED_PAGE"], number))

    await asyncio.gather(*(one(number) for number in range(32)))


async def unread(port, seconds):
    """Connections with 16 unread documents each: 300 for some seconds, or 3,000 until the server has closed them."""
    many = seconds > 4
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    poll, begun = select.poll(), time.monotonic()
    open_ones = {client.fileno(): client for client in (edge.silent(port) for _ in range(3_000 if many else 300))}
    for number in open_ones:
        poll.register(number, 0)
    while open_ones and time.monotonic() < begun + (90 if many else seconds):
        for number, _ in poll.poll(1_000):
            poll.unregister(number)
            open_ones.pop(number).close()
            counts["closed"] += 1
            counts["seconds"] = round(time.monotonic() - begun)


async def main():
    name, port, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
    loads = (slow_bodies, pages, silent_names, many_scans, large_scans, sign_ins, tasks, bulk_answers, audits,
             unread)
    await {load.__name__: load for load in loads}[name](port, seconds)
    print(json.dumps({"counts": counts, "ids": ids}))


asyncio.run(main())
