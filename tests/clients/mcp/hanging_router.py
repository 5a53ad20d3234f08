"""A model router that never answers. Prints its port, then serves until it is killed.

`GET /calls` returns the number of questions that came, and of those whose asker is still waiting.
"""

import asyncio
import json

came, waiting = 0, 0


async def answer(writer, body):
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
    await writer.drain()


async def serve(reader, writer):
    global came, waiting
    try:
        while True:
            first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            head = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
            await reader.readexactly(int(head.get("content-length", 0)))
            path = first.split(" ")[1]
            if path == "/calls":
                await answer(writer, json.dumps({"came": came, "waiting": waiting}).encode())
            elif path.endswith("/models"):
                await answer(writer, b'{"object":"list","data":[]}')
            else:
                came, waiting = came + 1, waiting + 1
                try:
                    # The end of the connection is the end of the question.
                    await reader.read()
                finally:
                    waiting -= 1
                break
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(main())
