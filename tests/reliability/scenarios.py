"""The scenarios. Each returns a row, and the goals of its own: a name and whether it was met."""

import asyncio
import contextlib
import json
import os
import re
import socket
import sqlite3
import subprocess
import sys
import time

from client import SERVICE_KEY, Mock, Server, audit, missing, request, scan, scan_body, scan_id
from watch import Watch

HERE = os.path.dirname(os.path.abspath(__file__))


class NotMeasured(Exception):
    """A scenario that this host or database cannot play, with the reason."""


class Bench:
    """A folder, a mock router, a database address and a program."""

    def __init__(self, program, folder, database, options):
        self.program, self.folder, self.database = program, folder, database
        self.short, self.nice = options.short, options.nice
        self.mock = Mock()

    @contextlib.contextmanager
    def server(self, mock=None, **more):
        server = Server(self.program, mock or self.mock, self.folder, self.database, **more)
        try:
            if server.port is None and more.get("BIND") is None:
                raise NotMeasured("the server did not start: " + open(server.log_path).read()[-300:])
            yield server
        finally:
            server.stop()

    async def load(self, name, server):
        """Plays a load in a process of its own. Returns its answers by status, and the ids of its scans. The short form judges no
        times, and beside other work a process at nice 19 does not get its turn."""
        seconds = 4 if self.short else 8
        nice = [] if self.short else ["nice", "-n", str(self.nice)]
        command = [*nice, sys.executable, "-B", os.path.join(HERE, "load.py"), name, str(server.port), str(seconds)]
        process = await asyncio.create_subprocess_exec(*command, stdout=subprocess.PIPE)
        try:
            out, _ = await process.communicate()
        finally:
            if process.returncode is None:
                process.kill()
        if process.returncode:
            raise RuntimeError(f"the load {name} ended with {process.returncode}")
        found = json.loads(out or b'{"counts": {}, "ids": []}')
        return found["counts"], found["ids"]

    async def under(self, name, polite=True, **more):
        """Watches a server while a load runs. Returns the row and the answers to the load."""
        with self.server(**more) as server:
            await scan(server.port, "warm up")
            watch, before = Watch(server, polite), await self.mock.count()
            answers, ids = await watch.during(self.load(name, server))
            await asyncio.sleep(2)
            lost = await missing(server.port, ids + watch.ids)
            after = await self.mock.count()
            return row(watch, server.memory(), said(answers), lost=len(lost), double=double(before, after)), answers


def double(before, after):
    """Questions that were answered more than once between two counts of the mock."""
    return (after[0] - before[0]) - (after[1] - before[1])


def said(answers):
    return ", ".join(f"{count} x {status}" for status, count in sorted(answers.items())) or "nothing"


def row(watch, after, seen, **more):
    return {"health": watch.health, "scans": watch.scans, "peak": watch.peak, "after": after, "seen": seen,
            "lost": 0, "double": 0, "refused": sum(status != 200 for status in watch.statuses), **more}


def none_of(answers, *statuses):
    return f"no {' or '.join(statuses)}", not any(answers.get(status) for status in statuses)


async def alone(bench):
    with bench.server() as server:
        await scan(server.port, "warm up")
        watch = Watch(server)
        await watch.during(asyncio.sleep(4 if bench.short else 8))
        return row(watch, server.memory(), "", lost=len(await missing(server.port, watch.ids))), []


async def slow_bodies(bench):
    result, answers = await bench.under("slow_bodies")
    return result, [("memory at most 400 MB", result["peak"] < 400), none_of(answers, "500")]


async def pages(bench):
    result, answers = await bench.under("pages")
    return result, [none_of(answers, "500")]


async def silent_names(bench):
    """The server sees a resolv.conf of its own, which names a port where nothing answers. Needs the right to mount."""
    file = os.path.join(bench.folder, "resolv.conf")
    with open(file, "w") as out:
        out.write("nameserver 127.83.0.53\noptions timeout:10 attempts:2\n")
    silent = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    with contextlib.closing(silent):
        try:
            silent.bind(("127.83.0.53", 53))
            subprocess.run(["unshare", "-m", "mount", "--bind", file, "/etc/resolv.conf"], check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            raise NotMeasured("this host does not let the suite mount a resolv.conf or use port 53") from None
        script = f'mount --bind {file} /etc/resolv.conf && exec "$@"'
        result, answers = await bench.under("silent_names", wrap=["unshare", "-m", "sh", "-c", script, "sh"])
    return result, [none_of(answers, "500", "0")]


async def descriptors(bench):
    result, answers = await bench.under("many_scans", wrap=["prlimit", "--nofile=1024:1024"])
    return result, [none_of(answers, "500", "0")]


async def fairness(bench):
    with bench.server(ROUTER_MAX_IN_FLIGHT="64") as server:
        first = [(await scan(server.port, f"first {n}"))[1] for n in range(3)]
        watch, before = Watch(server, polite=False), await bench.mock.count()
        load = asyncio.create_task(watch.during(bench.load("large_scans", server)))
        beside, statuses = [], []
        await asyncio.sleep(1)
        for number in range(4):
            status, took, body = await scan(server.port, f"beside {number}", key=["provider-key", "other-key"][number % 2])
            beside.append(took)
            statuses.append(status)
            watch.ids += scan_id(body)
            if load.done():
                break
        answers, ids = await load
        lost = await missing(server.port, ids + watch.ids)
        own, shared = sorted(first)[1], max(beside)
        watch.scans = beside
        seen = f"alone {own:.2f} s, beside {shared:.2f} s ({shared / own:.1f} x); {said(answers)}"
        result = row(watch, server.memory(), seen, lost=len(lost), double=double(before, await bench.mock.count()))
        answered = set(statuses) == {200} and set(answers) == {"200"}
        # Time decides here, so the short form does not judge it.
        return result, [("all answered", answered)] + ([] if bench.short else [("at most 2 x alone", shared <= 2 * own)])


async def sign_ins(bench):
    result, answers = await bench.under("sign_ins", TRUSTED_PROXIES="127.0.0.1")
    guesses = sum(count for status, count in answers.items() if status not in ("429", "503", "0"))
    result["seen"] += f"; {guesses} guesses were looked at"
    return result, [("at most 60 guesses", guesses <= 60), none_of(answers, "500")]


async def faulty_store(bench, fault):
    """Plays `fault` while eight scans end. It is given the server, and returns the status of /readyz meanwhile and the scans."""
    with bench.server() as server:
        await scan(server.port, "warm up")
        watch, before = Watch(server, polite=False), await bench.mock.count()

        def orders():
            return [asyncio.create_task(scan(server.port, f"faulty {n}", key=f"faulty-{n}")) for n in range(8)]

        ready, ended = await watch.during(fault(server, orders))
        kept = sum(status == 200 for status, _, _ in ended)
        warned = sum(status == 200 and b'"warning"' in body for status, _, body in ended)
        named = sum(status != 200 and bool(scan_id(body)) for status, _, body in ended)
        # Refused before the work began: nothing was paid.
        refused = sum(status in (429, 503) and not scan_id(body) for status, _, body in ended)
        unread = await missing(server.port, [found for _, _, body in ended for found in scan_id(body)])
        lost = len(ended) - kept - named - refused + len(unread)
        watch.scans = [took for _, took, _ in ended]
        seen = f"{kept} of 8 answered, {warned} with a warning, {named} more named their id, {refused} refused; /readyz {ready}"
        twice = double(before, await bench.mock.count())
        result = row(watch, server.memory(), seen, lost=lost, double=twice)
        return result, [("all answered in 45 s", all(took < 45 for took in watch.scans)), ("no question twice", twice == 0)], ready


async def locked_store(bench):
    """Another process holds the write lock of the SQLite file, or locks the tables of PostgreSQL, for eight seconds."""
    async def fault(server, orders):
        if bench.database.startswith("sqlite:"):
            lock = sqlite3.connect(bench.database.removeprefix("sqlite:"), isolation_level=None)
            lock.execute("BEGIN IMMEDIATE")
            release = lambda: (lock.execute("ROLLBACK"), lock.close())
        else:
            statement = ("DO $$ DECLARE t record; BEGIN FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' LOOP "
                         "EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', t.tablename); END LOOP; PERFORM pg_sleep(8); END $$")
            locking = subprocess.Popen(["psql", "-q", bench.database, "-c", statement])
            release = locking.wait
            await asyncio.sleep(0.5)
        scans = orders()
        await asyncio.sleep(1)
        ready = (await request(server.port, "GET", "/readyz"))[0]
        await asyncio.sleep(6.5)
        release()
        return ready, await asyncio.gather(*scans)

    result, goals, ready = await faulty_store(bench, fault)
    return result, [*goals, ("not ready meanwhile", ready == 503)]


async def full_disk(bench):
    """The disk of the SQLite file is full for eight seconds while scans end. Needs the right to mount."""
    if not bench.database.startswith("sqlite:"):
        raise NotMeasured("SQLite only")
    folder = os.path.join(bench.folder, "small")
    os.mkdir(folder)
    if subprocess.run(["unshare", "-m", "mount", "-t", "tmpfs", "tmpfs", folder], capture_output=True).returncode:
        raise NotMeasured("this host does not let the suite mount a small disk")
    bench.database = f"sqlite:{folder}/ibid.db"
    script = f'mount -t tmpfs -o size=16m tmpfs {folder} && exec "$@"'
    whole, wrap = bench.server, ["unshare", "-m", "sh", "-c", script, "sh"]
    bench.server = lambda **more: whole(wrap=wrap, **more)

    async def fault(server, orders):
        scans = orders()
        await asyncio.sleep(0.2)
        # The disk is mounted for the server alone.
        filler = f"/proc/{server.process.pid}/root{folder}/filler"
        with open(filler, "wb", buffering=0) as out, contextlib.suppress(OSError):
            while True:
                out.write(bytes(4_096))
        ready = (await request(server.port, "GET", "/readyz"))[0]
        await asyncio.sleep(8)
        os.remove(filler)
        return ready, await asyncio.gather(*scans)

    result, goals, ready = await faulty_store(bench, fault)
    return result, [*goals, ("not ready meanwhile", ready == 503)]


async def cut_connections(bench):
    """Connections of PostgreSQL are cut ten times a second for eight seconds while scans end."""
    if bench.database.startswith("sqlite:"):
        raise NotMeasured("PostgreSQL only")

    async def fault(server, orders):
        scans, end = orders(), time.monotonic() + 8
        statement = ("SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                     "WHERE datname = current_database() AND pid <> pg_backend_pid()")
        while time.monotonic() < end:
            cut = await asyncio.create_subprocess_exec("psql", "-q", bench.database, "-c", statement, stdout=subprocess.DEVNULL)
            await cut.wait()
            await asyncio.sleep(0.1)
        ended = await asyncio.gather(*scans)
        return (await request(server.port, "GET", "/readyz"))[0], ended

    result, goals, _ = await faulty_store(bench, fault)
    return result, goals


class Proxy:
    """Stands between a server and PostgreSQL, and can take it away."""

    def __init__(self, port):
        self.target, self.port, self.server, self.open = port, 0, None, set()

    async def _join(self, reader, writer):
        self.open.add(writer)
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            there, back = await asyncio.open_connection("127.0.0.1", self.target)
            self.open.add(back)
            await asyncio.gather(self._pump(reader, back), self._pump(there, writer))

    async def _pump(self, reader, writer):
        with contextlib.suppress(OSError):
            while data := await reader.read(65_536):
                writer.write(data)
                await writer.drain()
        writer.close()

    async def start(self):
        self.server = await asyncio.start_server(self._join, "127.0.0.1", self.port)
        self.port = self.server.sockets[0].getsockname()[1]

    def away(self):
        self.server.close()
        for writer in self.open:
            writer.transport.abort()
        self.open.clear()


async def database_away(bench):
    """PostgreSQL refuses connections for ten seconds while 100 callers order queued scans and read."""
    if bench.database.startswith("sqlite:"):
        raise NotMeasured("PostgreSQL only")
    port = int(re.search(r"@localhost:(\d+)", bench.database)[1])
    proxy, keys = Proxy(port), os.path.join(bench.folder, "run.key")
    await proxy.start()
    subprocess.run([bench.program, "run-key", keys], check=True, capture_output=True)
    address = bench.database.replace(f"@localhost:{port}", f"@127.0.0.1:{proxy.port}")
    bearer = f"Authorization: Bearer {SERVICE_KEY}"
    with contextlib.ExitStack() as stack:
        # The proxy runs meanwhile.
        server = await asyncio.to_thread(stack.enter_context, bench.server(DATABASE_URL=address, RUN_KEY_FILE=keys))
        await scan(server.port, "warm up")
        watch, answers = Watch(server, polite=False), []

        async def caller(number, end):
            turn = number
            while time.monotonic() < end:
                begun = time.monotonic()
                if turn % 2:
                    path, headers = "/api/v2/scans", [bearer, f"X-Router-Key: key-{number}"]
                    status, head, _ = await request(server.port, "POST", path, scan_body(f"away {turn}", 1), headers)
                else:
                    path = "/api/v1/scan/6f1d2c9a-0000-4000-8000-000000000000"
                    status, head, _ = await request(server.port, "GET", path, headers=[bearer])
                answers.append((status, time.monotonic() - begun, "retry-after: 5\r\n" in head.lower()))
                turn += 1
                await asyncio.sleep(0.2)

        async def outage():
            proxy.away()
            end = time.monotonic() + 10
            await asyncio.gather(*(caller(number, end) for number in range(100)))
            await proxy.start()

        await watch.during(outage())
        ready = 0
        for _ in range(100):
            ready, _, _ = await request(server.port, "GET", "/readyz")
            if ready == 200:
                break
            await asyncio.sleep(0.1)
        after, _, _ = await scan(server.port, "after")
        proxy.away()
        longest = max(took for _, took, _ in answers)
        seen = f"{len(answers)} answers, the longest after {longest:.1f} s; a scan afterwards: {after}"
        goals = [("503 with Retry-After: 5", all(status == 503 and wait for status, _, wait in answers)),
                 ("ready within 10 s afterwards", ready == 200), ("a scan afterwards", after == 200)]
        if not bench.short:
            goals.append(("every answer within 2 s", longest <= 2))
        return row(watch, server.memory(), seen), goals


async def tasks(bench):
    result, answers = await bench.under("tasks", polite=False, arguments=["--sandbox", "--no-demo"])
    return result, [("at most 1,000 alive", 0 < answers.get("alive", 0) <= 1_000), none_of(answers, "500")]


async def cooled(bench, server, idle):
    """Memory once the load is over for a minute, and whether it is near that of the idle server. The short form waits ten seconds."""
    end, goal = time.monotonic() + (10 if bench.short else 60), idle + 64
    while time.monotonic() < end:
        await asyncio.sleep(1)
    return server.memory(), ("after a minute at most idle + 64 MB", server.memory() <= goal)


async def idle_memory(server, mock):
    """Memory after one scan and one audit."""
    await scan(server.port, "warm up", questions=1)
    await audit(server.port, f"http://127.0.0.1:{mock.port}/small.html", 0)
    await asyncio.sleep(1)
    return server.memory()


async def bulk_answers(bench):
    mock = Mock(0.5, 3_900_000)
    try:
        with bench.server(mock, AUDIT_TEST_ALLOW=f"127.0.0.1:{mock.port}") as server:
            idle = await idle_memory(server, mock)
            watch = Watch(server, polite=False)
            answers, ids = await watch.during(bench.load("bulk_answers", server))
            lost = len(await missing(server.port, ids))
            after, near = await cooled(bench, server, idle)
            result = row(watch, after, f"{said(answers)}; idle {idle:.0f} MB", lost=lost)
            return result, [near, ("memory at most idle + 200 MB", watch.peak <= idle + 200), ("answered", set(answers) == {"200"})]
    finally:
        mock.stop()


async def audits(bench):
    with bench.server(AUDIT_TEST_ALLOW=f"127.0.0.1:{bench.mock.port}") as server:
        idle = await idle_memory(server, bench.mock)
        os.environ["AUDITED_PAGE"] = f"http://127.0.0.1:{bench.mock.port}/large.html"
        watch = Watch(server, polite=not bench.short)
        answers, _ = await watch.during(bench.load("audits", server))
        lost = len(await missing(server.port, watch.ids))
        after, near = await cooled(bench, server, idle)
        result = row(watch, after, f"{said(answers)}; idle {idle:.0f} MB", lost=lost)
        return result, [near, ("memory at most idle + 400 MB", watch.peak <= idle + 400), none_of(answers, "500", "0")]


async def small_rules(bench):
    """A public sandbox is refused, a misspelt variable is named, and a stopping server is first not ready."""
    with bench.server(arguments=["--sandbox", "--no-demo"], BIND="0.0.0.0:0") as public:
        refused = public.process.poll() not in (None, 0)
    with bench.server(BASE_URL="https://ibid.example", DRAIN_SECONDS="60", ROUTER_MAX_IN_FLIHGT="3") as server:
        named = any("ROUTER_MAX_IN_FLIHGT" in json.dumps(line) for line in server.log())
        watch = Watch(server, polite=False)
        _, held = await asyncio.open_connection("127.0.0.1", server.port)
        held.write(b"POST /api/a2a/jsonrpc HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 90000\r\n\r\n{")
        await held.drain()
        await asyncio.sleep(0.5)
        begun = time.monotonic()
        server.process.terminate()
        await asyncio.sleep(0.5)
        ready, health = [(await request(server.port, "GET", path))[0] for path in ("/readyz", "/healthz")]
        watch.peak, after = server.memory(), server.memory()
        await asyncio.to_thread(server.process.wait, 60)
        stopped = time.monotonic() - begun
        held.close()
        seen = f"while stopping /readyz {ready}, /healthz {health}; stopped after {stopped:.0f} s of 60 with a body unfinished"
        return row(watch, after, seen), [
            ("a public sandbox is refused", refused), ("a misspelt variable is named", named),
            ("first not ready", (ready, health) == (503, 200)), ("an unfinished body does not hold the drain", stopped < 30)]


# Item, title, scenario, where it is played (both databases, SQLite or PostgreSQL), whether the short form plays it,
# whether time is judged: goals of /healthz and of polite scans.
ALL = [
    (0, "The patient caller alone", alone, "both", True, True),
    (1, "250 bodies of 4 MiB that do not end", slow_bodies, "SQLite", True, True),
    (2, "Pages and documents as fast as they come", pages, "SQLite", True, True),
    (3, "40 scans whose names are never answered", silent_names, "SQLite", False, True),
    (4, "150 scans with 1,024 descriptors", descriptors, "SQLite", True, True),
    (5, "6 questions beside four times 120, 64 places", fairness, "both", True, False),
    (6, "Guessed passwords from random addresses of a /48", sign_ins, "both", False, True),
    (7, "Writes are locked for 8 s", locked_store, "both", True, False),
    (7, "The disk is full for 8 s", full_disk, "SQLite", False, False),
    (7, "Connections to the database are cut for 8 s", cut_connections, "PostgreSQL", True, False),
    (8, "PostgreSQL is away for 10 s, 100 callers", database_away, "PostgreSQL", True, False),
    (9, "1,440 unpaid tasks of one address", tasks, "both", False, False),
    (10, "96 answers of 3.9 MB", bulk_answers, "SQLite", False, False),
    (10, "32 audits of an origin that serves everything at its largest", audits, "SQLite", False, True),
    (11, "Start and stop", small_rules, "SQLite", True, False),
]
