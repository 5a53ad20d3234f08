"""A model router that answers every question after a constant time. Prints its port, then serves until it is killed.

    python3 mock_router.py DELAY_SECONDS ANSWER_BYTES

`GET /count` returns the number of answers so far. It also serves a page, a robots.txt and sitemaps of the largest size that an
audit reads.
"""

import asyncio
import json
import sys

DELAY, ANSWER_BYTES = float(sys.argv[1]), int(sys.argv[2])
answered = 0
PAGE = b"<!doctype html><title>Large</title><p>" + b"word " * (900_000) + b"</p>"
SITEMAP_HEAD = b'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
SITEMAP = SITEMAP_HEAD + b"<url><loc>https://large.test/a-page-of-the-map</loc></url>" * 800_000 + b"</urlset>"


def answer():
    text = "example.com is recommended by many. " + "x" * max(0, ANSWER_BYTES - 36)
    message = {"role": "assistant", "content": text}
    usage = {"prompt_tokens": 50, "completion_tokens": 100, "total_tokens": 150}
    return {"id": "1", "object": "chat.completion", "model": "mock", "usage": usage,
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}]}


ANSWER = json.dumps(answer()).encode()


async def body_of(path):
    global answered
    if path == "/count":
        return b"application/json", json.dumps(answered).encode()
    if path.endswith("/models"):
        return b"application/json", b'{"object":"list","data":[]}'
    if path.endswith("/chat/completions"):
        await asyncio.sleep(DELAY)
        answered += 1
        return b"application/json", ANSWER
    if path.endswith(".xml"):
        return b"application/xml", SITEMAP
    if path.endswith(".txt") or path.endswith(".json"):
        return b"text/plain", b"# " + b"y" * 255_000
    return b"text/html", PAGE


async def serve(reader, writer):
    try:
        while head := await reader.readuntil(b"\r\n\r\n"):
            lines = head.decode("latin-1").split("\r\n")
            lengths = [line.split(":")[1] for line in lines if line.lower().startswith("content-length:")]
            if lengths:
                await reader.readexactly(int(lengths[0]))
            kind, body = await body_of(lines[0].split(" ")[1])
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n" % (kind, len(body)) + body)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0, backlog=4096)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(main())
