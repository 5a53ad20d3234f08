#!/usr/bin/env python3
"""Scores the audit's reading of real pages from public repositories. Python 3.9, the standard library only.

    score.py CLONES PROGRAM [--held] [--misses KIND] [--checks]

`CLONES` holds clones of mozilla/readability and adbar/trafilatura as `owner/name` or `owner+name` (bare ones too);
`PROGRAM` is the example `articles` of ibid-audit. Nothing of a page is kept here: `records.jsonl` names each page by
its path and SHA-256, with our labels of its lead (a hash of its beginning) and of its sources. Labels of the text, the
author and the date are read from the repositories: their makers wrote them. `--held` scores the pages that were held
back while the reader was written, else all others. `--misses` lists the misses of one row. `--checks` compares the outcome
of checks on a page with their outcome on the labelled text of the same page. PROGRAM may be a script of `peers`, which
prints the same members.
"""
import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from datetime import date
from html.parser import HTMLParser

HERE = os.path.dirname(os.path.abspath(__file__))
EVALUATION = "tests/evaldata.json"
# Checks that read the article and have no labels of their own.
CHECKS = ("D4",)
# A quarter of the pages of the second repository is held back for authors, dates and segments.
HELD_BELOW = 64


def stored(root, repo, path):
    """The bytes of a file of a clone, or None."""
    owner, name = repo.split("/")
    for clone in (os.path.join(root, owner, name), os.path.join(root, f"{owner}+{name}"),
                  os.path.join(root, f"{owner}+{name}", "repo")):
        if not os.path.isdir(clone):
            continue
        done = subprocess.run(["git", "-C", clone, "show", f"HEAD:{path}"], capture_output=True, check=False)
        if done.returncode == 0:
            return done.stdout
    return None


class Text(HTMLParser):
    """The text and the headings of a small clean page."""

    def __init__(self):
        super().__init__()
        self.parts, self.headings, self.inside = [], [], None

    def handle_starttag(self, tag, attributes):
        self.parts.append(" ")
        if re.fullmatch("h[1-6]", tag):
            self.inside = []

    def handle_endtag(self, tag):
        self.parts.append(" ")
        if re.fullmatch("h[1-6]", tag) and self.inside is not None:
            self.headings.append("".join(self.inside))
            self.inside = None

    def handle_data(self, data):
        self.parts.append(data)
        if self.inside is not None:
            self.inside.append(data)


def key(text):
    return re.sub(r"[\W_]", "", text.lower())


def fingerprint(text):
    return hashlib.sha256(key(text)[:32].encode()).hexdigest()[:16]


def squeeze(text):
    return re.sub(r"\s+", " ", text)


def is_held(sha):
    return int(hashlib.sha256(("held" + sha).encode()).hexdigest()[:2], 16) < HELD_BELOW


def gather(root, held):
    """Pages with all labels that they have."""
    with open(os.path.join(HERE, "records.jsonl"), encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    ours = {record["sha256"]: record for record in records}
    pages, absent = [], []
    for record in records:
        if record["repo"] != "mozilla/readability":
            continue
        body = stored(root, record["repo"], record["path"])
        if body is None or hashlib.sha256(body).hexdigest() != record["sha256"]:
            absent.append(record["path"])
            continue
        folder = os.path.dirname(record["path"])
        gold = Text()
        clean = stored(root, record["repo"], folder + "/expected.html").decode()
        gold.feed(clean)
        # The makers' own excerpt is a lead, too: pages show their standfirst above the text.
        metadata = json.loads(stored(root, record["repo"], folder + "/expected-metadata.json") or b"{}")
        if record["lead"] and metadata.get("excerpt"):
            record["lead"].append(fingerprint(metadata["excerpt"]))
        page = {"name": os.path.basename(folder), "body": body, "url": address(body), "held": record["held"],
                "record": record, "gold": "".join(gold.parts), "headings": gold.headings,
                "clean": labelled(clean, metadata.get("title") or "")}
        pages.append(page)
    evaluation = stored(root, "adbar/trafilatura", EVALUATION)
    seen = set()
    for url, label in json.loads(evaluation or b"{}").items():
        for folder in ("tests/cache/", "tests/eval/"):
            body = stored(root, "adbar/trafilatura", folder + label["file"])
            if body is not None:
                break
        else:
            continue
        sha = hashlib.sha256(body).hexdigest()
        if sha in seen:
            continue
        seen.add(sha)
        record = ours.get(sha)
        is_back = record["held"] if record else is_held(sha)
        pages.append({"name": label["file"], "body": body, "url": url, "held": is_back, "record": record,
                      "label": label})
    if absent:
        print(f"{len(absent)} pages are not in the clones or differ: {', '.join(absent[:5])}", file=sys.stderr)
    return [page for page in pages if page["held"] == held]


def address(body):
    """The canonical address that a page names."""
    for pattern in (rb'<link[^>]+rel="?canonical"?[^>]+href="([^"]+)"', rb'property="og:url"[^>]+content="([^"]+)"'):
        found = re.search(pattern, body)
        if found and found.group(1).startswith(b"http"):
            return found.group(1).decode("utf-8", "replace").strip().split()[0]
    return ""


def labelled(clean, title):
    """A page that holds the labelled text and nothing else."""
    title = title.replace("&", "&amp;").replace("<", "&lt;")
    return (f"<!doctype html><html><head><meta charset=utf-8><title>{title}</title></head><body><main><article>"
            f"<h1>{title}</h1>{clean}</article></main></body></html>").encode()


def agreement(program, pages):
    """Prints, for each check, how often its outcome on the page is that on the labelled text."""
    pages = [page for page in pages if "clean" in page]
    cleaned = [{"body": page["clean"], "url": page["url"]} for page in pages]
    read(program, cleaned)
    open_ones = ("fail", "half", "info")  # "info" where the check gives no points
    for check in CHECKS:
        pairs = [(page["found"]["checks"][check], clean["found"]["checks"][check])
                 for page, clean in zip(pages, cleaned)]
        same = sum(one == two for one, two in pairs)
        found = [two for one, two in pairs if one in open_ones]
        right = sum(two in open_ones for two in found)
        print(f"{check:10} outcome as on the labelled text {same / max(1, len(pairs)):.3f} ({same} of {len(pairs)})  "
              f"findings {right / max(1, len(found)):.3f} ({right} of {len(found)})")


def read(program, pages):
    """What the audit reads of each page."""
    with tempfile.TemporaryDirectory() as folder:
        lines = []
        for number, page in enumerate(pages):
            path = os.path.join(folder, f"{number}.html")
            with open(path, "wb") as file:
                file.write(page["body"])
            lines.append(f"{page['url']}\t{path}\n")
        done = subprocess.run(program.split(), input="".join(lines).encode(), stdout=subprocess.PIPE, check=True)
    for page, line in zip(pages, done.stdout.decode().split("\n")):
        page["found"] = json.loads(line)


def same_name(found, label):
    """One name within the other, in words: labels name one of several authors, or leave a title out."""
    one, two = set(re.findall(r"\w+", found.lower())), set(re.findall(r"\w+", label.lower()))
    return bool(one and two) and (one <= two or two <= one or len(one & two) * 3 >= 2 * min(len(one), len(two)))


def near(one, two):
    try:
        return abs((date.fromisoformat(one) - date.fromisoformat(two)).days) <= 1
    except ValueError:
        return False


def same_site(one, two):
    return one == two or one.endswith("." + two) or two.endswith("." + one)


def rows(pages):
    """Kind, right, found, labelled and misses of each row."""
    table = {kind: [0, 0, 0, []] for kind in ("lead", "author", "date", "sources", "segments", "headings")}
    overlaps, unlabelled = [], []
    for page in pages:
        found, record, label = page["found"], page["record"], page.get("label")
        if record and record["lead"]:
            row = table["lead"]
            right = bool(found["lead"]) and fingerprint(found["lead"]) in record["lead"]
            row[0] += right
            row[1] += bool(found["lead"])
            row[2] += 1
            if not right:
                row[3].append(f"{page['name']}: {(found['lead'] or '')[:90]}")
        if record and record["sources"] is not None:
            row = table["sources"]
            good = [site for site in found["sources"] if any(same_site(site, gold) for gold in record["sources"])]
            row[0] += len(good)
            row[1] += len(found["sources"])
            row[2] += len(record["sources"])
            if len(good) < len(found["sources"]):
                row[3].append(f"{page['name']}: {sorted(set(found['sources']) - set(good))}")
        if label and label.get("author") is not None:
            row, gold = table["author"], label["author"] or ""
            gold = " ".join(gold) if isinstance(gold, list) else gold
            row[2] += bool(gold)
            if found["author"] and not gold:
                unlabelled.append(f"author {page['name']}: {found['author']}")
            elif found["author"]:
                right = same_name(found["author"], gold)
                row[0] += right
                row[1] += 1
                if not right:
                    row[3].append(f"{page['name']}: {found['author']} | {gold}")
        if label and label.get("date") is not None:
            row, gold = table["date"], label["date"] or ""
            row[2] += bool(gold)
            if found["published"] and not gold:
                unlabelled.append(f"date {page['name']}: {found['published']}")
            elif found["published"]:
                # A label names one day: of publication or of the last change, in UTC or where the page was made.
                right = any(near(day, gold) for day in (found["published"], found["modified"]) if day)
                row[0] += right
                row[1] += 1
                if not right:
                    row[3].append(f"{page['name']}: {found['published']} | {gold}")
        if label:
            row, text = table["segments"], key(found["text"])
            inside = [key(part) in text for part in label["with"]]
            outside = [key(part) in text for part in label["without"]]
            row[0] += sum(inside)
            row[1] += sum(inside) + sum(outside)
            row[2] += len(inside)
            if sum(inside) < len(inside) or any(outside):
                row[3].append(f"{page['name']}: {sum(inside)}/{len(inside)} with, {sum(outside)} without")
        if "headings" in page:
            row, gold = table["headings"], {key(text) for text in page["headings"]}
            texts = [key(text) for level, text in found["headings"] if level > 1]
            good = [text for text in texts if text in gold]
            row[0] += len(good)
            row[1] += len(texts)
            row[2] += len(gold)
            if len(good) < len(texts):
                row[3].append(f"{page['name']}: {len(texts) - len(good)} of {len(texts)}")
            one, two = Counter(re.findall(r"\w+", found["text"].lower())), Counter(re.findall(r"\w+", page["gold"].lower()))
            both = sum((one & two).values())
            score = 2 * both / max(1, sum(one.values()) + sum(two.values()))
            overlaps.append((score, page["name"], sum(one.values()), sum(two.values())))
    return table, sorted(overlaps), unlabelled


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("clones")
    parser.add_argument("program")
    parser.add_argument("--held", action="store_true")
    parser.add_argument("--misses")
    parser.add_argument("--checks", action="store_true")
    arguments = parser.parse_args()
    pages = gather(arguments.clones, arguments.held)
    read(arguments.program, pages)
    table, overlaps, unlabelled = rows(pages)
    if arguments.checks:
        agreement(arguments.program, pages)
    print(f"{len(pages)} pages")
    for kind, (right, found, labelled, misses) in table.items():
        precision, recall = right / max(1, found), right / max(1, labelled)
        print(f"{kind:10} precision {precision:.3f} ({right} of {found})  recall {recall:.3f} (of {labelled})  "
              f"F1 {2 * precision * recall / max(1e-9, precision + recall):.3f}")
        if arguments.misses == kind:
            print("\n".join("    " + miss for miss in misses))
    if overlaps:
        print(f"words      F1 {sum(score for score, *_ in overlaps) / len(overlaps):.3f} on {len(overlaps)} pages, "
              f"median {overlaps[len(overlaps) // 2][0]:.3f}")
        if arguments.misses == "words":
            print("\n".join(f"    {score:.2f} {name}: {ours} words, label {gold}" for score, name, ours, gold in overlaps[:40]))
    kinds = Counter(line.split()[0] for line in unlabelled)
    print(f"found where the labels have none: {kinds['author']} authors, {kinds['date']} dates")
    if arguments.misses == "unlabelled":
        print("\n".join("    " + line for line in unlabelled))
    times = sorted(page["found"]["micros"] for page in pages)
    print(f"time       median {times[len(times) // 2] / 1000:.1f} ms, slowest {times[-1] / 1000:.1f} ms")


if __name__ == "__main__":
    main()
