"""A model router that answers every question after a constant time. Prints its port, then serves until it is killed.

    python3 mock_router.py DELAY_SECONDS ANSWER_BYTES

Calls with a key that begins with `hanging` are never answered, those with `slow` after 14 s, and those with `dead` fail.

`GET /count` returns the number of answers, and of different questions among them: question, model and key. It also serves a page, a
robots.txt, an index of sitemaps and sitemaps, each of the largest size that an audit reads.
"""

import asyncio
import hashlib
import json
import sys

DELAY, ANSWER_BYTES = float(sys.argv[1]), int(sys.argv[2])
answered, asked = 0, set()


def page():
    return b"<!doctype html><title>Large</title><p>" + b"word " * 900_000 + b"</p>"


def sitemap(tag, entry, head, size):
    start = b'<?xml version="1.0"?><%s xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">' % tag + head
    return start + entry * (size // len(entry)) + b"</%s>" % tag


def large_file(path, host):
    """The files are made for each request, so that a router without audits stays small."""
    if path == "/sitemap.xml":
        children = b"".join(b"<sitemap><loc>http://%s/map-%d.xml</loc></sitemap>" % (host, n) for n in range(8))
        return b"application/xml", sitemap(b"sitemapindex", b"<!-- nothing to see -->", children, 10 << 20)
    if path.endswith(".xml"):
        entry = b"<url><loc>http://%s/one-of-the-pages-of-this-map</loc></url>" % host
        return b"application/xml", sitemap(b"urlset", entry, b"", 4 << 20)
    if path.endswith((".txt", ".json")):
        return b"text/plain", b"# " + b"y" * 500_000
    return b"text/html", page()


def answer():
    text = "example.com is recommended by many. " + "x" * max(0, ANSWER_BYTES - 36)
    message = {"role": "assistant", "content": text}
    usage = {"prompt_tokens": 50, "completion_tokens": 100, "total_tokens": 150}
    return {"id": "1", "object": "chat.completion", "model": "mock", "usage": usage,
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}]}


ANSWER = json.dumps(answer()).encode()
FILES = {}


async def answer_to(path, head, body):
    """The status line, the type and the body of an answer."""
    global answered
    if path == "/count":
        return b"200 OK", b"application/json", json.dumps([answered, len(asked)]).encode()
    if path.endswith("/models"):
        return b"200 OK", b"application/json", b'{"object":"list","data":[]}'
    if path.endswith("/chat/completions"):
        key = head.get("authorization", "").removeprefix("Bearer ")
        if key.startswith("dead"):
            return b"500 Internal Server Error", b"application/json", b'{"error":{"code":500,"message":"made up"}}'
        await asyncio.sleep(3_600 if key.startswith("hanging") else 14 if key.startswith("slow") else DELAY)
        answered += 1
        asked.add(hashlib.sha256(head.get("authorization", "").encode() + body).digest())
        return b"200 OK", b"application/json", ANSWER
    path = path.partition("?")[0]
    if path not in FILES:
        FILES[path] = large_file(path, head.get("host", "").encode())
    return b"200 OK", *FILES[path]


async def serve(reader, writer):
    try:
        while True:
            first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            head = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
            sent = await reader.readexactly(int(head.get("content-length", 0)))
            status, kind, body = await answer_to(first.split(" ")[1], head, sent)
            writer.write(b"HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n" % (status, kind, len(body)))
            writer.write(body)
            await writer.drain()
            if head.get("connection") == "close":
                break
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0, backlog=4096)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(main())
