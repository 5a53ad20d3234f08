"""The scenarios. Each returns a row: what was asked, what was seen, and whether the goals were met."""

import asyncio
import contextlib
import json
import os
import sqlite3
import subprocess
import sys

from client import Mock, Server, request, scan
from watch import Watch

HERE = os.path.dirname(os.path.abspath(__file__))


class Bench:
    """A folder, a mock router, a database address and a program."""

    def __init__(self, program, folder, database, short):
        self.program, self.folder, self.database, self.short = program, folder, database, short
        self.mock = Mock()
        self.alone = None

    @contextlib.contextmanager
    def server(self, mock=None, **more):
        server = Server(self.program, mock or self.mock, self.folder, self.database, **more)
        try:
            yield server
        finally:
            server.stop()

    async def load(self, name, server):
        seconds = 4 if self.short else 8
        command = ["nice", "-n", "19", sys.executable, "-B", os.path.join(HERE, "load.py"), name, str(server.port), str(seconds)]
        process = await asyncio.create_subprocess_exec(*command, stdout=subprocess.PIPE)
        out, _ = await process.communicate()
        return json.loads(out or b"{}")

    async def under(self, name, polite=True, **more):
        """Watches a server while a load runs. Returns the watch, the answers to the load, and memory at the end."""
        with self.server(**more) as server:
            await scan(server.port, "warm up")
            watch = Watch(server, polite)
            answers = await watch.during(self.load(name, server))
            await asyncio.sleep(2)
            return row(watch, server.memory(), said(answers)), answers


def said(answers):
    return ", ".join(f"{count} x {status}" for status, count in sorted(answers.items())) or "nothing"


def row(watch, after, seen, **more):
    return {"health": watch.health_ms(), "scan": watch.scan_s(), "peak": watch.peak, "after": after, "seen": seen,
            "lost": 0, "double": 0, "fails": sum(status != 200 for status in watch.statuses), **more}


def none_of(answers, *statuses):
    return not any(answers.get(status) for status in statuses)


async def alone(bench):
    with bench.server() as server:
        watch = Watch(server)
        await watch.during(asyncio.sleep(4))
        bench.alone = watch.scan_s()
        return row(watch, server.memory(), "the polite caller alone"), True


async def slow_bodies(bench):
    result, answers = await bench.under("slow_bodies")
    return result, result["peak"] < 400


async def pages(bench):
    result, answers = await bench.under("pages")
    return result, none_of(answers, "500", "0")


async def silent_names(bench):
    """The server sees a resolv.conf of its own, which names a port where nobody answers. Needs the right to mount."""
    file = os.path.join(bench.folder, "resolv.conf")
    with open(file, "w") as out:
        out.write("nameserver 127.83.0.53\noptions timeout:10 attempts:2\n")
    import socket
    silent = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        silent.bind(("127.83.0.53", 53))
        subprocess.run(["unshare", "-m", "mount", "--bind", file, "/etc/resolv.conf"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        return {"seen": "not measured: this host does not let the suite mount a resolv.conf or use port 53"}, None
    script = f'mount --bind {file} /etc/resolv.conf && exec "$@"'
    with contextlib.closing(silent):
        result, answers = await bench.under("silent_names", wrap=["unshare", "-m", "sh", "-c", script, "sh"])
    return result, none_of(answers, "500", "0")


async def descriptors(bench):
    result, answers = await bench.under("many_scans", wrap=["prlimit", "--nofile=1024:1024"])
    return result, none_of(answers, "500", "0")


async def fairness(bench):
    with bench.server(ROUTER_MAX_IN_FLIGHT="64") as server:
        first = [(await scan(server.port, f"first {n}"))[1] for n in range(3)]
        watch = Watch(server, polite=False)
        load = asyncio.create_task(watch.during(bench.load("large_scans", server)))
        await asyncio.sleep(1)
        beside = [(await scan(server.port, f"beside {n}", key=key))[1] for n, key in enumerate(["provider-key", "other-key"])]
        answers = await load
        own, shared = sorted(first)[1], max(beside)
        watch.scans = beside
        result = row(watch, server.memory(), f"alone {own:.2f} s, beside {shared:.2f} s ({shared / own:.1f} x); {said(answers)}")
        return result, shared <= 2 * own


async def sign_ins(bench):
    result, answers = await bench.under("sign_ins", TRUSTED_PROXIES="127.0.0.1")
    guesses = sum(count for status, count in answers.items() if status not in ("429", "503", "0"))
    result["seen"] += f"; {guesses} guesses were looked at"
    return result, guesses <= 60


async def locked_store(bench):
    """Another process holds the write lock of the SQLite file for eight seconds while scans end."""
    if not bench.database.startswith("sqlite:"):
        return {"seen": "SQLite only"}, None
    path = bench.database.removeprefix("sqlite:")
    with bench.server() as server:
        await scan(server.port, "warm up")
        lock = sqlite3.connect(path, isolation_level=None)
        lock.execute("BEGIN IMMEDIATE")
        watch = Watch(server, polite=False)
        paid = await bench.mock.count()

        async def held():
            scans = [asyncio.create_task(scan(server.port, f"locked {n}", key=f"locked-{n}")) for n in range(8)]
            await asyncio.sleep(1)
            ready = await request(server.port, "GET", "/readyz")
            details = await request(server.metrics, "GET", "/readyz")
            await asyncio.sleep(7)
            lock.execute("ROLLBACK")
            return ready[0], details[2].decode("utf-8", "replace"), await asyncio.gather(*scans)

        ready, details, ended = await watch.during(held())
        lock.close()
        kept = sum(status == 200 for status, _, _ in ended)
        named = sum(status != 200 and b"scanId" in body for status, _, body in ended)
        calls = await bench.mock.count() - paid
        double = max(0, calls - 6 * len(ended))
        lost = len(ended) - kept - named
        watch.scans = [took for _, took, _ in ended]
        seen = f"{kept} of 8 answered, {named} more named their id; /readyz {ready}"
        return row(watch, server.memory(), seen, lost=lost, double=double), lost == 0 and ready == 503 and "error" in details


async def tasks(bench):
    result, answers = await bench.under("tasks", polite=False, arguments=["--sandbox", "--no-demo"])
    return result, answers.get("alive", 9_999) <= 1_000


async def bulk_answers(bench):
    mock = Mock(0.5, 3_900_000)
    try:
        with bench.server(mock) as server:
            await scan(server.port, "warm up", questions=1)
            idle = server.memory()
            watch = Watch(server, polite=False)
            answers = await watch.during(bench.load("bulk_answers", server))
            await asyncio.sleep(5 if bench.short else 60)
            after = server.memory()
            seen = f"{said(answers)}; idle {idle:.0f} MB"
            return row(watch, after, seen), after <= idle + 64
    finally:
        mock.stop()


async def small_rules(bench):
    """A public sandbox is refused, a misspelt variable is named, and a stopping server is first not ready."""
    with bench.server(arguments=["--sandbox", "--no-demo"], BIND="0.0.0.0:0") as public:
        refused = public.process.poll() not in (None, 0)
    with bench.server(NOT_READY_SECONDS="2", ROUTER_MAX_IN_FLIHGT="3") as server:
        named = any("ROUTER_MAX_IN_FLIHGT" in json.dumps(line) for line in server.log())
        watch = Watch(server, polite=False)
        server.process.terminate()
        await asyncio.sleep(0.5)
        ready, health = [(await request(server.port, "GET", path))[0] for path in ("/readyz", "/healthz")]
        seen = f"public sandbox refused: {refused}; misspelt name in the log: {named}; while stopping /readyz {ready}, /healthz {health}"
        return row(watch, server.memory(), seen), refused and named and (ready, health) == (503, 200)


# Number of the item, title, scenario, whether the database makes a difference, whether the short form plays it.
ALL = [
    (0, "Alone", alone, True, True),
    (1, "250 bodies of 4 MiB that do not end", slow_bodies, False, True),
    (2, "Pages and documents as fast as they come", pages, False, True),
    (3, "40 scans whose names are never answered", silent_names, False, True),
    (4, "150 scans with 1,024 descriptors", descriptors, False, True),
    (5, "6 questions beside four times 120", fairness, True, True),
    (6, "Guessed passwords from random addresses", sign_ins, True, False),
    (7, "The write lock held for 8 s (7 and 8)", locked_store, True, True),
    (9, "1,440 unpaid tasks of one address", tasks, True, False),
    (10, "96 answers of 3.9 MB", bulk_answers, False, False),
    (11, "Start and stop", small_rules, False, True),
]
