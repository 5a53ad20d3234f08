"""The time that a tool call adds to the same call over REST: the median of each, in turn on one connection.

    target/release/ibid-server --sandbox --no-demo &
    python3 tests/benches/mcp.py http://127.0.0.1:8080
"""

import http.client
import json
import statistics
import sys
import time
from urllib.parse import urlparse

CALLS = 400
ORDER = {"domain": "example.com", "keyword": "plumber", "location": "Valencia, Spain", "rings": [1, 2], "questionsPerModel": 3}
KEYS = {"Authorization": "Bearer sandbox", "X-Router-Key": "sandbox", "Content-Type": "application/json"}
MCP = KEYS | {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"}
PAIRS = [("models", "GET", "/api/v1/models", {}), ("plan_scan", "POST", "/api/v1/plan", ORDER)]


def timed(connection, method, path, body, headers):
    begun = time.perf_counter()
    connection.request(method, path, body, headers)
    reply = connection.getresponse()
    text = reply.read()
    taken = time.perf_counter() - begun
    assert reply.status == 200 and b'"isError":true' not in text, text
    return taken * 1000


def main():
    target = urlparse(sys.argv[1])
    connection = http.client.HTTPConnection(target.hostname, target.port)
    connection.connect()
    # Without it the second packet of a request waits for the acknowledgement of the first.
    connection.sock.setsockopt(6, 1, 1)
    for tool, method, path, order in PAIRS:
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": order}}
        plain = json.dumps(order).encode() if order else None
        rest, tools = [], []
        for _ in range(CALLS):
            rest.append(timed(connection, method, path, plain, KEYS))
            tools.append(timed(connection, "POST", "/mcp", json.dumps(call).encode(), MCP))
        first, second = statistics.median(rest), statistics.median(tools)
        print(f"{tool}: REST {first:.2f} ms, tool {second:.2f} ms, added {second - first:.2f} ms")


main()
