"""Mails of a real server to a real mail server on loopback: PROGRAM [--long].

1. The server is killed again and again, at the steps of a mail and at any time. The mail server refuses some mails at first, hangs
   over some, and answers some late. Every message that the API took arrives; one arrives twice only if a kill found it under way.
2. A thousand digests are due at once; each mail takes the mail server 50 ms.
3. What cannot work is refused where it is typed, and nothing is sent: addresses, and a mail server with a certificate of no one.
"""

import asyncio
import collections
import email
import json
import os
import quopri
import random
import re
import signal
import socket
import sqlite3
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
import uuid
from pathlib import Path

from aiosmtpd.controller import Controller

PROGRAM, LONG = sys.argv[1], "--long" in sys.argv
LIVES = 60 if LONG else 12
MESSAGES = 40 if LONG else 20
PATIENCE = 120
ADDRESS = None  # One address for all lives, with which the links of mails begin.
DIGESTS = 1_000
SECONDS, BYTES = 60, 60 * 1024


class Mails:
    """A mail server. `trap` names the step at which the process under test is killed next."""

    def __init__(self):
        self.seen, self.taken, self.bodies = collections.Counter(), collections.Counter(), {}
        self.wait, self.rough, self.trap, self.victim = 0.0, False, None, None
        self.largest, self.first, self.last = 0, None, None

    def step(self, name):
        if self.trap == name and self.victim:
            os.kill(self.victim.pid, signal.SIGKILL)
            self.trap = None

    async def handle_MAIL(self, server, session, envelope, address, options):
        self.step("sender")
        envelope.mail_from = address
        return "250 OK"

    async def handle_RCPT(self, server, session, envelope, address, options):
        self.step("recipient")
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        mail = email.message_from_bytes(envelope.content)
        name = mail["Message-ID"]
        self.seen[name] += 1
        self.first = self.first or time.monotonic()
        self.largest = max(self.largest, len(envelope.content))
        self.step("data")
        if self.rough and self.seen[name] == 1:
            match random.randrange(6):
                case 0:
                    return "451 try again"
                case 1:
                    await asyncio.sleep(3_600)  # Hangs until the client leaves.
                case 2:
                    await asyncio.sleep(1.5)
        await asyncio.sleep(self.wait)
        self.taken[name] += 1
        # A token of a link may hold two hyphens, also behind a soft break.
        body = re.sub(rb"boundary=\S+|(?<!=)\r\n--\S+|Date: [^\r]+", b"", envelope.content)
        assert self.bodies.setdefault(name, body) == body, f"{name} came again with another text"
        self.last = time.monotonic()
        if self.trap == "answered":
            # The answer is on its way when the kill comes.
            threading.Timer(0.002, self.step, ["answered"]).start()
        return "250 taken"


def free_port():
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


class Server:
    def __init__(self, database, smtp, log):
        self.url = ADDRESS
        self.process = subprocess.Popen(
            [PROGRAM, "--sandbox", "--no-demo"],
            env={
                "BIND": self.url.removeprefix("http://"),
                "DATABASE_URL": f"sqlite:{database}",
                "SMTP_URL": f"smtp://127.0.0.1:{smtp}",
                "SMTP_FROM": "ibid <news@ibid.example>",
                "LOG": "warn",
            },
            stdout=log,
            stderr=log,
        )
        begun = time.monotonic()
        while True:
            try:
                urllib.request.urlopen(f"{self.url}/healthz", timeout=5).read()
                return
            except OSError:
                assert self.process.poll() is None and time.monotonic() - begun < PATIENCE, "the server starts"
                time.sleep(0.01)

    def call(self, method, path, body=None):
        request = urllib.request.Request(
            self.url + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": "Bearer ibidp_sandbox", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)

    def press(self, path):
        request = urllib.request.Request(
            self.url + path,
            method="POST",
            data=b"",
            headers={"Origin": self.url, "Sec-Fetch-Site": "same-origin"},
        )
        urllib.request.urlopen(request, timeout=10).read()

    def kill(self):
        self.process.kill()
        self.process.wait()


def until(found, why):
    begun = time.monotonic()
    while not (value := found()):
        assert time.monotonic() - begun < PATIENCE, why
        time.sleep(0.05)
    return value


def project(server):
    body = {"name": "Brightspoke", "domain": "brightspoke.example", "keyword": "bicycle shop"}
    return server.call("POST", "/api/v2/projects", body)["projectId"]


def killed(folder, mails, port, log):
    """Returns the messages that the API took, those that arrived, and repeats with the bound on them."""
    database = folder / "kills.db"
    server = Server(database, port, log)
    path = f"/api/v2/projects/{project(server)}/destinations"
    for number in range(6):
        body = {"kind": "mail", "address": f"reader{number}@example.com", "digest": None}
        server.call("POST", path, body)
    links = lambda: {
        link
        for body in mails.bodies.values()
        for link in re.findall(r"/mail/confirm/[\w-]+", quopri.decodestring(body).decode(errors="replace"))
    }
    for link in until(lambda: len(found := links()) == 6 and found, "every reader is asked"):
        server.press(link)
    readers = [reader["destinationId"] for reader in server.call("GET", path)["destinations"]]
    until(lambda: not waiting(database), "the outbox is empty before the first kill")
    asked = set(mails.taken)
    took, unsure, under_way, mails.rough = 0, 0, 0, True
    steps = ["sender", "recipient", "data", "answered", None]
    for life in range(LIVES):
        mails.victim, mails.trap = server.process, None
        for number in range(MESSAGES):
            if number == MESSAGES // 2:
                mails.trap = steps[life % len(steps)]
            try:
                server.call("POST", f"{path}/{readers[number % len(readers)]}/test", {})
                took += 1
            except (OSError, urllib.error.URLError):
                unsure += 1
                break
        try:
            server.process.wait(random.uniform(0.1, 1.0))
        except subprocess.TimeoutExpired:
            server.kill()
        with sqlite3.connect(database, timeout=30) as db:
            under_way += db.execute(
                "SELECT COUNT(*) FROM webhook_delivery WHERE state = 'waiting' AND lease_until IS NOT NULL"
            ).fetchone()[0]
            # The minute of the leases and the waits between attempts are over.
            db.execute("UPDATE webhook_delivery SET lease_until = NULL WHERE lease_until IS NOT NULL")
            db.execute("UPDATE webhook_delivery SET next_attempt = 0 WHERE state = 'waiting'")
        db.close()
        mails.trap, mails.victim = None, None
        mails.rough = life < LIVES - 1
        server = Server(database, port, log)
    until(lambda: not waiting(database), "the outbox is empty at the end")
    server.kill()
    arrived = {name: count for name, count in mails.taken.items() if name not in asked}
    with sqlite3.connect(database) as db:
        states = dict(db.execute("SELECT state, COUNT(*) FROM webhook_delivery GROUP BY state").fetchall())
    repeats = sum(arrived.values()) - len(arrived)
    print(
        f"{LIVES} kills: {took} messages taken by the API ({unsure} calls cut off), {len(arrived)} arrived, {repeats} of them"
        f" once more; {under_way} were under way at kills; outbox {states}"
    )
    assert took <= len(arrived) <= took + unsure, "a message is lost"
    assert repeats <= under_way, "a message came again without a kill"
    assert set(states) == {"delivered"}, states


def waiting(database):
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=30) as db:
        return db.execute("SELECT COUNT(*) FROM webhook_delivery WHERE state = 'waiting'").fetchone()[0]


def digests(folder, mails, port, log):
    """Sends a thousand digests that are due at once."""
    database = folder / "digests.db"
    server = Server(database, port, log)
    projects = [project(server) for _ in range(DIGESTS // 50)]
    server.process.terminate()
    server.process.wait()
    with sqlite3.connect(database) as db:
        for number in range(DIGESTS):
            of, name = uuid.UUID(projects[number // 50]), uuid.uuid4().bytes
            db.execute(
                "INSERT INTO webhook (id, owner, kind, url, events, name, secret, created_at) VALUES (?, ?, 'mail', ?, 'alert.raised', '', ?, 1)",
                (name, f"project {of}", f"reader{number}@example.com", os.urandom(16)),
            )
            db.execute(
                "INSERT INTO destination (id, project, events, digest, next_digest, time_zone, confirmed_at, token, created_at)"
                " VALUES (?, ?, 'alert.raised', 'weekly', 1, 'Europe/Berlin', 1, ?, 1)",
                (name, of.bytes, os.urandom(32)),
            )
    db.close()
    mails.taken.clear()
    mails.wait, mails.first, mails.largest = 0.05, None, 0
    begun = time.monotonic()
    server = Server(database, port, log)
    until(lambda: len(mails.taken) >= DIGESTS, "every digest arrives")
    server.kill()
    took = mails.last - begun
    print(f"{DIGESTS} digests in {took:.1f} s with the start of the program, the largest {mails.largest / 1024:.1f} KB")
    assert max(mails.taken.values()) == 1, "no digest comes twice"
    assert took <= SECONDS and mails.largest <= BYTES


def refused(folder, mails, log):
    """Types what cannot work."""
    key, cert = folder / "key.pem", folder / "cert.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
         "subjectAltName=DNS:localhost", "-keyout", key, "-out", cert],
        check=True, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(cert, key)
    strangers = Mails()
    server = Controller(strangers, hostname="localhost", port=free_port(), ssl_context=context)
    server.start()
    variables = {"SMTP_URL": f"smtps://localhost:{server.port}", "SMTP_FROM": "news@ibid.example", "PATH": os.environ["PATH"]}
    variables["DATABASE_URL"] = f"sqlite:{folder / 'refused.db'}"
    told = subprocess.run([PROGRAM, "mail-test", "ada@example.com"], env=variables, capture_output=True, text=True)
    assert told.returncode != 0 and "certificate" in told.stderr.lower(), told
    assert not strangers.seen
    server.stop()
    before = sum(mails.seen.values())
    database = folder / "refused.db"
    server = Server(database, mails.port, log)
    path = f"/api/v2/projects/{project(server)}/destinations"
    for kind, address in [
        ("mail", "ada@example.com\r\nBcc: eve@example.com"),
        ("mail", "nobody"),
        ("webhook", "https://127.0.0.1/hook"),
        ("webhook", "https://10.0.0.1/hook"),
        ("webhook", "http://[::1]:8080/hook"),
        ("slack", "https://example.com/services/T/B/x"),
        ("slack", "https://hooks.slack.com.example.com/services/T/B/x"),
    ]:
        try:
            server.call("POST", path, {"kind": kind, "address": address})
        except urllib.error.HTTPError as error:
            fault = json.load(error)["errors"][0]
            assert (error.code, fault["field"]) == (400, "/address"), fault
            print(f"  {kind} {address!r}: {fault['message']}")
        else:
            raise AssertionError(f"{address} was taken")
    assert server.call("GET", path)["destinations"] == [] and waiting(database) == 0
    assert sum(mails.seen.values()) == before, "nothing was sent"
    server.kill()


def main():
    global ADDRESS
    ADDRESS = f"http://127.0.0.1:{free_port()}"
    seed = int(os.environ.get("SEED", time.time()))
    random.seed(seed)
    print(f"SEED={seed}")
    mails = Mails()
    mail_server = Controller(mails, hostname="127.0.0.1", port=free_port())
    mail_server.start()
    mails.port = mail_server.port
    with tempfile.TemporaryDirectory() as folder, open(Path(folder) / "log", "w") as log:
        try:
            killed(Path(folder), mails, mail_server.port, log)
            digests(Path(folder), mails, mail_server.port, log)
            refused(Path(folder), mails, log)
        except BaseException:
            print((Path(folder) / "log").read_text()[-3_000:])
            raise
    mail_server.stop()


main()
