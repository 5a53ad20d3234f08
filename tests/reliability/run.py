"""The reliability suite: loads a server and reports what a patient caller sees. At most ten minutes; --short three.

    python3 -B tests/reliability/run.py [--short] [--program target/debug/ibid-server] [--write docs/RELIABILITY.md]

With IBID_TEST_POSTGRES (see .ci/with-postgres) the scenarios that the database changes are played on PostgreSQL, too. All
traffic is on loopback. The loads run at nice 19. Linux only. Exits with 1 if a goal was missed.
"""

import argparse
import asyncio
import os
import re
import subprocess
import sys
import tempfile
import time

import scenarios

LIMIT = {True: 170, False: 590}
# One scenario must not use up the time of the others.
SHARE = {True: 40, False: 110}
HEAD = """# Reliability

What a patient caller sees while others load the server. Written by `python3 -B tests/reliability/run.py --write
docs/RELIABILITY.md`; do not edit it by hand. Loads run at nice 19, all on one machine ({machine}), with a mock router that
answers after 0.5 s. The patient caller asks `/healthz` ten times a second and orders one scan of 6 questions after the other.

| Column | Meaning |
|---|---|
| `/healthz`, scan | 99th percentile of the time, in ms and s |
| memory | resident MB: highest, and after the load |
| lost, double | results that were paid and not returned; questions that were paid twice |
| goal | whether the goal of the scenario was met: `met`, `missed`, or `-` where it was not measured |

"""


def machine():
    return f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.0f} before the start"


def line(number, title, database, result, good):
    if "health" not in result:
        return f"| {number} | {title} | {database} | {result['seen']} | | | | | | - |"
    goal = "-" if good is None else "met" if good else "missed"
    scan = f"{result['scan']:.2f}" if result["scan"] else ""
    return (f"| {number} | {title} | {database} | {result['seen']} | {result['health']:.0f} | {scan} | "
            f"{result['peak']:.0f}, {result['after']:.0f} | {result['lost']} | {result['double']} | {goal} |")


def postgres_database(number):
    """A new database on the test server."""
    base = os.environ["IBID_TEST_POSTGRES"]
    name = f"reliability_{os.getpid()}_{number}"
    subprocess.run(["psql", "-q", base, "-c", f"CREATE DATABASE {name}"], check=True)
    return re.sub(r"/postgres(\?|$)", rf"/{name}\1", base)


async def play(options):
    end, lines, missed = time.monotonic() + LIMIT[options.short], [], []
    databases = ["SQLite"] + (["PostgreSQL"] if os.environ.get("IBID_TEST_POSTGRES") else [])
    for database in databases:
        for number, title, scenario, differs, in_short in scenarios.ALL:
            if options.short and not in_short or database == "PostgreSQL" and not differs:
                continue
            if options.only and str(number) not in options.only.split(","):
                continue
            left = end - time.monotonic()
            with tempfile.TemporaryDirectory() as folder:
                address = f"sqlite:{folder}/ibid.db" if database == "SQLite" else postgres_database(number)
                bench = scenarios.Bench(os.path.abspath(options.program), folder, address, options.short)
                try:
                    result, good = await asyncio.wait_for(scenario(bench), max(1, min(left, SHARE[options.short])))
                except TimeoutError:
                    result, good = {"seen": "not measured: its time was used up"}, None
                finally:
                    bench.mock.stop()
            if good is False:
                missed.append(title)
            lines.append(line(number, title, database, result, good))
            print(lines[-1], flush=True)
    return lines, missed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--program", default="target/debug/ibid-server")
    parser.add_argument("--write")
    parser.add_argument("--only", help="numbers of scenarios, separated by commas")
    options = parser.parse_args()
    head = HEAD.format(machine=machine())
    lines, missed = asyncio.run(play(options))
    table = "| | Scenario | Database | Seen | `/healthz` | Scan | Memory | Lost | Double | Goal |\n|---|---|---|---|---|---|---|---|---|---|\n"
    if options.write:
        with open(options.write, "w") as out:
            out.write(head + table + "\n".join(lines) + "\n")
    if missed:
        print("missed: " + "; ".join(missed), file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
