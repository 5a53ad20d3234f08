"""HTTP over loopback, and processes under test. Standard library only."""

import asyncio
import json
import os
import signal
import subprocess
import time

SERVICE_KEY = "reliability-suite"


async def request(port, method, path, body=None, headers=(), patience=60.0):
    """Returns status, headers and body; status 0 for a connection that failed or took too long. A body that is not JSON
    comes with its own headers of type and length."""
    data = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
    head = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", "Connection: close", *headers]
    if body is not None and not isinstance(body, bytes):
        head += ["Content-Type: application/json", f"Content-Length: {len(data)}"]
    writer = None
    try:
        async with asyncio.timeout(patience):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write("\r\n".join(head).encode() + b"\r\n\r\n" + data)
            await writer.drain()
            answer = await reader.read()
    except (OSError, TimeoutError, asyncio.IncompleteReadError):
        return 0, "", b""
    finally:
        if writer:
            writer.close()
    front, _, rest = answer.partition(b"\r\n\r\n")
    words = front.split(b" ")
    return (int(words[1]) if len(words) > 1 else 0), front.decode("latin-1"), rest


def scan_body(keyword, questions, **more):
    """An order of up to 10 questions to one model, or of 78 to 132 to six models with three towns."""
    if questions <= 10:
        return {"domain": "example.com", "keyword": keyword, "models": ["model-1-latest"], "questionsPerModel": questions} | more
    # Three towns, two keywords and two questions each are 12 questions.
    return {"domain": "example.com", "keyword": keyword, "models": [f"model-{n}-latest" for n in range(1, 7)],
            "location": "Lyon, France", "rings": [1], "keywordsPerRing": 2, "queriesPerKeyword": 2,
            "questionsPerModel": questions // 6 - 12} | more


async def scan(port, keyword, questions=6, key="provider-key", patience=120.0, **more):
    """Orders a scan. Returns status, seconds and body."""
    headers = [f"Authorization: Bearer {SERVICE_KEY}", f"X-Router-Key: {key}"]
    begun = time.monotonic()
    status, _, body = await request(port, "POST", "/api/v1/scan", scan_body(keyword, questions, **more), headers, patience)
    return status, time.monotonic() - begun, body


def scan_id(body):
    """The id that the answer to an order names, in a list; an empty list without one."""
    try:
        found = json.loads(body).get("scanId")
    except (ValueError, AttributeError):
        return []
    return [found] if found else []


async def missing(port, ids):
    """Returns the ids of scans that cannot be read back. A result that the store did not take at once is written within seconds."""
    left = list(ids)
    for _ in range(20):
        headers = [f"Authorization: Bearer {SERVICE_KEY}"]
        reads = [(await request(port, "GET", f"/api/v1/scan/{found}", headers=headers))[0] for found in left]
        left = [found for found, status in zip(left, reads) if status != 200]
        if not left:
            break
        await asyncio.sleep(1)
    return left


async def audit(port, page, number):
    """Audits a page. Returns the status, or `failed` for an answer that says so."""
    headers = [f"Authorization: Bearer {SERVICE_KEY}", f"X-Router-Key: audit-{number}", "MCP-Protocol-Version: 2025-11-25",
               "Accept: application/json, text/event-stream"]
    call = {"name": "audit_page", "arguments": {"url": f"{page}?{number}"}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    status, _, answer = await request(port, "POST", "/mcp", body, headers, patience=120)
    return "failed" if status == 200 and b'"isError":true' in answer else status


class Mock:
    """The model router."""

    def __init__(self, delay=0.5, size=200):
        here = os.path.join(os.path.dirname(__file__), "mock_router.py")
        self.process = subprocess.Popen(["python3", "-B", here, str(delay), str(size)], stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline())

    async def count(self):
        """The number of answers, and of different questions."""
        return json.loads((await request(self.port, "GET", "/count"))[2])

    def stop(self):
        self.process.kill()
        self.process.wait()


class Server:
    """One ibid-server. `wrap` is a command that runs it, for instance with a limit."""

    def __init__(self, program, mock, folder, database, wrap=(), arguments=(), **variables):
        self.log_path = os.path.join(folder, "server.log")
        environment = {"PATH": os.environ["PATH"], "BIND": "127.0.0.1:0", "METRICS_BIND": "127.0.0.1:0",
                       "DATABASE_URL": database, "SERVICE_API_KEY": SERVICE_KEY, "WEB_SEARCH": "off",
                       "ROUTER_DIALECT": "openai", "LOG_FORMAT": "json", "DRAIN_SECONDS": "2", **variables}
        if mock:
            environment["ROUTER_BASE_URL"] = f"http://127.0.0.1:{mock.port}/v1"
        with open(self.log_path, "w") as log:
            command = [*wrap, program, *arguments]
            self.process = subprocess.Popen(command, env=environment, stdout=log, stderr=log, cwd=folder)
        self.port = self.metrics = None
        for _ in range(600):
            for line in self.log():
                address = line.get("address", "")
                if "metrics.listening" in str(line):
                    self.metrics = int(address.rsplit(":", 1)[1])
                elif "server.listening" in str(line):
                    self.port = int(address.rsplit(":", 1)[1])
            if self.port and self.metrics or self.process.poll() is not None:
                break
            time.sleep(0.1)

    def log(self):
        lines = []
        for text in open(self.log_path):
            try:
                line = json.loads(text)
                lines.append({**line, **line.get("fields", {})})
            except ValueError:
                lines.append({"text": text})
        return lines

    def memory(self):
        """Resident memory in MB."""
        try:
            status = open(f"/proc/{self.process.pid}/status").read()
        except OSError:
            return 0.0
        return int(status.split("VmRSS:")[1].split()[0]) / 1024 if "VmRSS:" in status else 0.0

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(15)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
