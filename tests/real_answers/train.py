#!/usr/bin/env python3
"""Learns the weights with which the reader decides whether an answer puts a name forward. Python 3.9, no packages.

    train.py IBID ANSWERS.jsonl [ANSWERS.jsonl ...] [--write WEIGHTS]

The answers are those of score.py, each read with its own and with coined names. A logistic regression is fitted to the
features that `ibid read --explain` prints. It is deterministic. Printed are the figures on folds by source: each source
is decided by weights that were fitted to all others. `--write` stores the weights of all answers.
"""
import json
import math
import os
import sys
import zlib

from score import NOBODY, asked, fold, form, read, rename

HERE = os.path.dirname(os.path.abspath(__file__))
# The features in their order.
TABLE = os.path.join(HERE, "../../crates/ibid-engine/src/read/judge/weights.txt")
ROUNDS = 40
# The penalty on large weights.
STRENGTH = 2.0
# Models listed the brands of "brands" themselves, names in passing included.
WEAK = 0.15
# A name that is lost weighs more than one too many.
LOST = 1.5
# The odds by which the evidence must overturn a rule, and by which it must speak for a name without one.
OVERTURNED, UNRULED = 2.0, 1.0


def source(record):
    """Records of one source are decided together; those without one are divided by their id."""
    repository = (record.get("provenance") or {}).get("repo")
    return repository or "part " + str(zlib.crc32(record["id"].encode()) % 5)


def examples(exe, records):
    """One list of rows an answer: (features, label, weight, name) of each name, in the order of the text."""
    rows = [asked(str(at), NOBODY, [], record) for at, record in enumerate(records)]
    found = []
    for record, reading in zip(records, read(exe, rows, "--explain")):
        weak = not record.get("entities")
        entities = record.get("entities") or [[brand] for brand in record["brands"]]
        forms = [{fold(spelling) for spelling in entity} for entity in entities]
        names = []
        for name in reading.get("names") or []:
            key = fold(name["name"])
            label = any(key in spellings for spellings in forms)
            # Part of a labelled name, or a labelled name with a product: neither right nor wrong.
            near = any(len(s) > 3 and (key.startswith(s) or len(key) > 3 and s.startswith(key)) for f in forms for s in f)
            weight = 0.0 if near and not label else WEAK if weak else 1.0
            weight *= LOST if label else 1.0
            features = [(one["feature"], one["value"]) for one in name["evidence"]]
            names.append((features, label, weight, key))
        found.append((record, names, forms))
    return found


def targets(exe, records):
    """The same for labelled targets: one row an answer, of the target itself."""
    pairs = [(record, target) for record in records for target in record.get("targets", [])]
    pairs = [(r, t) for r, t in pairs if r["valid"] and not t["uncertain"] and t["cited"]]
    rows = [asked(str(at), target["domain"], target["names"], record) for at, (record, target) in enumerate(pairs)]
    found = []
    for (record, target), reading in zip(pairs, read(exe, rows, "--explain")):
        label = target["prominence"] in ("primary", "secondary")
        names = []
        for name in reading.get("names") or []:
            features = [(one["feature"], one["value"]) for one in name["evidence"]]
            if ("target", 1.0) in features:
                names.append((features, label, LOST if label else 1.0, ""))
        found.append((record, names, []))
    return found


def solve(matrix, vector):
    """Gauss with pivots, for a positive definite matrix."""
    size = len(vector)
    rows = [row[:] + [value] for row, value in zip(matrix, vector)]
    for at in range(size):
        best = max(range(at, size), key=lambda row: abs(rows[row][at]))
        rows[at], rows[best] = rows[best], rows[at]
        for row in range(at + 1, size):
            factor = rows[row][at] / rows[at][at]
            if factor:
                rows[row] = [one - factor * two for one, two in zip(rows[row], rows[at])]
    solution = [0.0] * size
    for at in range(size - 1, -1, -1):
        rest = sum(rows[at][column] * solution[column] for column in range(at + 1, size))
        solution[at] = (rows[at][size] - rest) / rows[at][at]
    return solution


def fit(answers, order):
    """Newton's method for a logistic regression with a penalty on the squares of the weights."""
    place = {name: at for at, name in enumerate(order)}
    merged = {}
    for _, names, _ in answers:
        for features, label, weight, _ in names:
            if weight:
                key = (tuple((place[name], value) for name, value in features), label)
                merged[key] = merged.get(key, 0.0) + weight
    rows = [(features, label, weight) for (features, label), weight in merged.items()]
    weights = [0.0] * len(order)
    for _ in range(ROUNDS):
        gradient = [-STRENGTH * weight for weight in weights]
        curve = [[0.0] * len(order) for _ in order]
        for at in range(len(order)):
            curve[at][at] = STRENGTH
        for features, label, weight in rows:
            odds = sum(weights[at] * value for at, value in features)
            chance = 1 / (1 + math.exp(-max(-30.0, min(30.0, odds))))
            error, bend = weight * (label - chance), weight * chance * (1 - chance)
            for at, value in features:
                gradient[at] += error * value
                line, scaled = curve[at], bend * value
                for other, second in features:
                    line[other] += scaled * second
        step = solve(curve, gradient)
        weights = [weight + change for weight, change in zip(weights, step)]
        if max(map(abs, step)) < 1e-4:
            break
    weights[place["bias"]] -= UNRULED
    weights[place["rule"]] += UNRULED + OVERTURNED
    return weights


class Figures:
    def __init__(self):
        self.found = self.wanted = self.right = self.rows = 0

    def add(self, names, forms):
        got = [key for key, listed in names if listed]
        self.found += sum(any(spelling in got for spelling in spellings) for spellings in forms[:5])
        self.wanted += len(forms[:5])
        self.right += sum(any(key in spellings for spellings in forms) for key in got[:5])
        self.rows += len(got[:5])

    def __str__(self):
        return f"{self.found / max(1, self.wanted):.3f}/{self.right / max(1, self.rows):.3f}"


def main():
    arguments = sys.argv[1:]
    options = {}
    if "--write" in arguments:
        at = arguments.index("--write")
        options["--write"] = arguments[at + 1]
        del arguments[at : at + 2]
    exe, paths = arguments[0], arguments[1:]
    groups, answers = [], []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            records = [json.loads(line) for line in file]
        for kind, same in (("real", records), ("coined", [rename(r, at) for at, r in enumerate(records)])):
            labelled = [record for record in same if record.get("entities") or record.get("brands")]
            groups.append((f"{path} {kind}", examples(exe, labelled)))
            answers += targets(exe, same)
    with open(TABLE, encoding="utf-8") as file:
        order = [line.split(" ")[0] for line in file]
    answers += [answer for _, group in groups for answer in group]
    sources = sorted({source(record) for record, _, _ in answers})
    learned = {}
    for held in sources:
        learned[held] = fit([answer for answer in answers if source(answer[0]) != held], order)
    for name, group in groups:
        figures = {}
        for record, names, forms in group:
            weights = dict(zip(order, learned[source(record)]))
            decided = [(key, sum(weights[f] * v for f, v in features) > 0) for features, _, _, key in names]
            ruled = [(key, ("rule", 1.0) in features) for features, _, _, key in names]
            for part in ("all", record.get("form") or form(record["answer"])):
                rules, folds = figures.setdefault(part, (Figures(), Figures()))
                rules.add(ruled, forms)
                folds.add(decided, forms)
        print(name, "| ".join(f"{part} rules {rules} folds {folds} " for part, (rules, folds) in sorted(figures.items())))
    if "--write" in options:
        weights = fit(answers, order)
        with open(options["--write"], "w", encoding="utf-8") as file:
            file.writelines(f"{name} {weight:.3f}\n" for name, weight in zip(order, weights))


if __name__ == "__main__":
    main()
