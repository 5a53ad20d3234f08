#!/usr/bin/env python3
"""Rebuilds the labelled real answers from public repositories. Python 3.9; PyYAML for six of them, else the standard
library only.

    rebuild.py REPOSITORIES > answers.jsonl

`REPOSITORIES` holds clones as `owner/name` or `owner+name` (bare ones too). `records.jsonl` names for each answer the
repository, the path, the commit and the SHA-256 of its text; no text is kept here. Every text of the named file is
hashed, and the one that agrees is the answer. What cannot be found is listed on standard error; exit code 1 if a file is
there and its answer is not.
"""
import csv
import hashlib
import io
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
try:
    import yaml
except ImportError:
    yaml = None

csv.field_size_limit(1 << 30)


def digest(text):
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def stored(root, provenance):
    """The bytes of a record's file at its commit, or in the work tree; None where there is no such clone."""
    owner, name = provenance["repo"].split("/")
    for clone in (os.path.join(root, owner, name), os.path.join(root, f"{owner}+{name}")):
        if not os.path.isdir(clone):
            continue
        for revision in (provenance.get("commit"), "HEAD"):
            if not revision:
                continue
            command = ["git", "-C", clone, "show", f"{revision}:{provenance['path']}"]
            done = subprocess.run(command, capture_output=True, check=False)
            if done.returncode == 0:
                return done.stdout
        path = os.path.join(clone, provenance["path"])
        if os.path.isfile(path):
            with open(path, "rb") as file:
                return file.read()
    return None


def strings(value):
    """Every text inside a JSON value."""
    if isinstance(value, str):
        yield value
        # Some logs keep a document inside a text.
        if value[:1] in "[{":
            try:
                yield from strings(json.loads(value))
            except ValueError:
                pass
    elif isinstance(value, list):
        # Some providers cut an answer into blocks.
        yield "".join(item["text"] for item in value if isinstance(item, dict) and isinstance(item.get("text"), str))
        for item in value:
            yield from strings(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from strings(item)


def texts(path, content):
    """Every text of a file: of JSON, JSON lines, CSV, scripts of a page, or the file itself."""
    text = content.decode("utf-8", "replace")
    yield text
    if path.endswith((".yaml", ".yml")):
        if yaml is not None:
            for document in yaml.safe_load_all(text):
                yield from strings(document)
        return
    try:
        yield from strings(json.loads(text))
        return
    except ValueError:
        pass
    if path.endswith((".csv", ".tsv")):
        for row in csv.reader(io.StringIO(text), delimiter="\t" if path.endswith(".tsv") else ","):
            for cell in row:
                yield from strings(cell)
    for part in re.findall(r"<script[^>]*>(.*?)</script>", text, re.S) + text.splitlines():
        try:
            yield from strings(json.loads(part))
        except ValueError:
            continue


def main():
    root = sys.argv[1]
    found, missing, absent = 0, [], []
    with open(os.path.join(HERE, "records.jsonl"), encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    known = {}
    for record in records:
        provenance = record["provenance"]
        key = (provenance["repo"], provenance["path"], provenance.get("commit"))
        if key not in known:
            content = stored(root, provenance)
            known[key] = None
            if content is not None:
                every = texts(provenance["path"], content)
                known[key] = {digest(form): form for text in every for form in (text, text.strip())}
        if known[key] is None:
            absent.append(record["id"])
        elif record["sha256"] in known[key]:
            found += 1
            answer = known[key][record["sha256"]]
            print(json.dumps({**record, "answer": answer}, ensure_ascii=False))
        else:
            missing.append(record["id"])
    print(f"{found} of {len(records)} answers rebuilt", file=sys.stderr)
    for name, ids in (("no such file", absent), ("no text with this hash", missing)):
        if ids:
            print(f"{name}: {', '.join(ids)}", file=sys.stderr)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
