"""Requests per CPU second of servers that speak A2A, in one run: message/send that ends in input-required, and tasks/get.

    python agents.py NAME=PID=URL ...      one round per server and turn, so that all see the same weather
    python agents.py streams PID URL TASK  memory per open stream on a task that is being worked on

The load comes from wrk over 16 connections, as much as a server takes: one that waits for a slow client is woken for
every request, and that would be measured. CPU seconds are those of the server's process and are steadier than times on a
busy machine. Linux only.
"""

import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from urllib.parse import urlparse

CONNECTIONS, ROUNDS, SECONDS = 16, 5, 3
TICK = os.sysconf("SC_CLK_TCK")


def cpu(pid):
    """CPU seconds of a process and its threads."""
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def body(method, params):
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()


def send_body():
    request = {"skill": "scan", "domain": "example.com", "keyword": "crm software"}
    part = {"kind": "data", "data": request}
    return body("message/send", {"message": {"kind": "message", "role": "user", "messageId": "m-1", "parts": [part]}})


class Server:
    def __init__(self, name, pid, url):
        self.name, self.pid, self.url = name, int(pid), urlparse(url)

    def connect(self):
        connection = socket.create_connection((self.url.hostname, self.url.port), 30)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    def request(self, content):
        head = f"POST {self.url.path or '/'} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
        return head.encode() + content

    def ask(self, content):
        request = urllib.request.Request(self.url.geturl(), content, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)["result"]

    def rate(self, content):
        """Requests per CPU second."""
        with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
            script.write('wrk.method = "POST"\nwrk.headers["Content-Type"] = "application/json"\n')
            script.write(f"wrk.body = [==[{content.decode()}]==]\n")
            script.flush()
            command = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{SECONDS}s", "-s", script.name, self.url.geturl()]
            before = cpu(self.pid)
            said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            spent = cpu(self.pid) - before
        assert "Non-2xx" not in said and "Socket errors" not in said, said
        return int(re.search(r"(\d+) requests in", said)[1]) / spent


def compare(servers):
    sums = {server.name: [[], []] for server in servers}
    for turn in range(ROUNDS + 1):
        for server in servers:
            answer = server.ask(send_body())
            assert answer["status"]["state"] == "input-required", answer
            get = body("tasks/get", {"id": answer["id"]})
            assert server.ask(get)["id"] == answer["id"]
            # The first turn warms up. What is sent pushes out older tasks, so what is there is read first.
            for numbers, content in zip(reversed(sums[server.name]), (get, send_body())):
                rate = server.rate(content)
                if turn:
                    numbers.append(rate)
                # wrk looks at the status alone.
                if content == get:
                    assert server.ask(get)["id"] == answer["id"]
    first = servers[0].name
    for name, (sends, gets) in sums.items():
        print(f"{name:10}", end="")
        for what, numbers, ours in (("message/send", sends, sums[first][0]), ("tasks/get", gets, sums[first][1])):
            middle, mine = sorted(numbers)[len(numbers) // 2], sorted(ours)[len(ours) // 2]
            print(f"  {what} {middle:9.0f} a CPU second (1/{mine / middle:5.1f})", end="")
        print()


def rss(pid):
    return next(int(line.split()[1]) for line in open(f"/proc/{pid}/status") if line.startswith("VmRSS")) * 1024


def hold(pid, url, task, count=2000):
    """Opens streams on a task that is being worked on, 200 from each loopback address: an address may have 256."""
    server = Server("ibid", pid, url)
    request = server.request(body("tasks/resubscribe", {"id": task}))
    streams = []
    for number in range(200 + count):
        # The first ones fill tables and pools that all share.
        if number == 200:
            before = rss(pid)
        stream = socket.socket()
        stream.bind((f"127.0.1.{number // 200 + 1}", 0))
        stream.connect((server.url.hostname, server.url.port))
        stream.sendall(request)
        data = b""
        while b"data: " not in data:
            data += stream.recv(65536)
        streams.append(stream)
    time.sleep(1)
    print(f"{count} streams: {(rss(pid) - before) / count / 1024:.1f} KB each")


if __name__ == "__main__":
    if sys.argv[1] == "streams":
        hold(int(sys.argv[2]), sys.argv[3], sys.argv[4])
    else:
        compare([Server(*argument.split("=", 2)) for argument in sys.argv[1:]])
