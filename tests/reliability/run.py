"""The reliability suite: loads a server and reports what a patient caller sees. At most ten minutes; --short three.

    python3 -B tests/reliability/run.py [--short] [--program target/debug/ibid-server] [--write docs/RELIABILITY.md]

With IBID_TEST_POSTGRES (see .ci/with-postgres) the scenarios that the database changes are played on PostgreSQL, too. All
traffic is on loopback. The loads run at nice 19. Linux only. Exits with 1 if a goal was missed. The short form judges results
only, not times, and its loads run at the usual priority, so that a busy machine does not fail it.
"""

import argparse
import asyncio
import os
import re
import subprocess
import sys
import tempfile
import time

import edge
import files
import keys
import restarts
import scenarios
from watch import percentile

LIMIT = {True: 170, False: 590}
# One scenario must not use up the time of the others.
SHARE = {True: 60, False: 150}
HEAD = """# Reliability

What a patient caller sees while others load the server. `python3 -B tests/reliability/run.py --write docs/RELIABILITY.md` writes this
page; do not edit it by hand. It takes at most ten minutes, `--short` three. `.ci/with-postgres` before the command adds PostgreSQL.
It needs Linux, Python 3.11 and a built server, and root for the scenarios that mount a file or a disk.

The patient caller asks `/healthz` ten times a second and orders one scan of 6 questions after the other, from a mock router that
answers after 0.5 s, unless the scenario says otherwise.

| Column | Meaning |
|---|---|
| `/healthz`, scan | 99th percentile and longest time, in ms and s |
| memory | resident MB: highest, and after the load |
| goals | `met`, or those that were missed, with results that were lost (paid, and cannot be read) and questions answered twice, if any |

Goals of every scenario: `/healthz` p99 at most 50 ms, polite scans p99 at most 3 times alone and all answered, nothing lost. Some
scenarios have their own goals. Times are goals of the long form only.

"""


def machine(options):
    """The machine and the program that the figures hold for."""
    build = "built without optimisation" if "/debug/" in os.path.abspath(options.program) else "optimised"
    busy = os.getloadavg()[0]
    remark = "" if busy < 1 else (". **The machine was busy with other work, so times are worse than on an idle one: "
                                  "run the command again when it is idle**")
    return (f"This run: {os.cpu_count()} processors, load average {busy:.1f} before the start, a server {build}, loads at nice {options.nice}, "
            f"{time.strftime('%Y-%m-%d', time.gmtime())}{remark}.\n\n")


def judged(result, goals, timed, alone, short):
    """The names of the goals that were missed."""
    goals = [*goals, ("nothing lost", result["lost"] == 0), ("polite scans answered", result["refused"] == 0)]
    if not short:
        goals.append(("/healthz", percentile(result["health"], 0.99) <= 0.05))
        if timed and alone and result["scans"]:
            goals.append(("scan", percentile(result["scans"], 0.99) <= 3 * alone))
    return [name for name, met in goals if not met]


def line(number, title, database, result, missed):
    health, scans = result["health"], result["scans"]
    scan = f"{percentile(scans, 0.99):.2f}, {max(scans):.2f}" if scans else ""
    ms = f"{percentile(health, 0.99) * 1000:.0f}, {max(health) * 1000:.0f}" if health else ""
    goals = "missed: " + "; ".join(missed) if missed else "met"
    if result["lost"] or result["double"]:
        goals += f" ({result['lost']} lost, {result['double']} double)"
    return (f"| {number} | {title} | {database} | {result['seen']} | {ms} | {scan} | {result['peak']:.0f}, {result['after']:.0f} | "
            f"{goals} |")


def postgres_database(number):
    """A new database on the test server."""
    base = os.environ["IBID_TEST_POSTGRES"]
    name = f"reliability_{os.getpid()}_{number}"
    subprocess.run(["psql", "-q", base, "-c", f"CREATE DATABASE {name}"], check=True)
    return re.sub(r"/postgres(\?|$)", rf"/{name}\1", base)


async def play(options):
    end, lines, failed = time.monotonic() + LIMIT[options.short], [], []
    databases = ["SQLite"] + (["PostgreSQL"] if os.environ.get("IBID_TEST_POSTGRES") else [])
    for database in databases:
        alone = None
        for at, (number, title, scenario, where, in_short, timed) in enumerate([*scenarios.ALL, *keys.ALL, *edge.ALL, *restarts.ALL, *files.ALL]):
            if options.short and not in_short or where not in ("both", database):
                continue
            if options.only and str(number) not in ["0", *options.only.split(",")]:
                continue
            left = end - time.monotonic()
            with tempfile.TemporaryDirectory() as folder:
                address = f"sqlite:{folder}/ibid.db" if database == "SQLite" else postgres_database(at)
                bench = scenarios.Bench(os.path.abspath(options.program), folder, address, options)
                share = max(1, min(left, SHARE[options.short]))
                try:
                    played = asyncio.wait_for(scenario(bench), share)
                    result, goals = await played
                except TimeoutError:
                    reason = f"not ended after {share:.0f} s"
                    lines.append(f"| {number} | {title} | {database} | {reason} | | | | - |")
                    # A busy machine may leave the last scenarios of the short form little time.
                    if not options.short or share == SHARE[True]:
                        failed.append(f"{title} ({database}): {reason}")
                except scenarios.NotMeasured as reason:
                    lines.append(f"| {number} | {title} | {database} | not measured: {reason} | | | | - |")
                else:
                    if scenario is scenarios.alone:
                        alone = percentile(result["scans"], 0.99)
                    missed = judged(result, goals, timed, alone, options.short)
                    lines.append(line(number, title, database, result, missed))
                    if missed:
                        failed.append(f"{title} ({database}): {', '.join(missed)}")
                finally:
                    bench.mock.stop()
            print(lines[-1], flush=True)
    return lines, failed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--program", default="target/debug/ibid-server")
    parser.add_argument("--write")
    parser.add_argument("--nice", type=int, default=19, help="priority of the loads in the long form")
    parser.add_argument("--only", help="numbers of scenarios, separated by commas")
    options = parser.parse_args()
    head = HEAD + machine(options)
    lines, failed = asyncio.run(play(options))
    table = ("| Item | Scenario | Database | Seen | `/healthz` | Scan | Memory | Goals |\n"
             "|---|---|---|---|---|---|---|---|\n")
    if options.write:
        with open(options.write, "w") as out:
            out.write(head + table + "\n".join(lines) + "\n")
    if failed:
        print("missed: " + "; ".join(failed), file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
