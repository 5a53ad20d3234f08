#!/usr/bin/env python3
"""Checks the form of generated questions against that of real ones.

    cut -f2,3 crates/ibid-engine/tests/pairs.tsv | cargo run -p ibid-engine --example questions > questions.tsv
    tests/questions/check.py questions.tsv [real.jsonl]

A line of the first file is keyword, place, language, kind, intent, id and question. The second file, one JSON object with
`prompt`, `language` a line, is not part of this repository: with it a classifier of frame words tells ours from real ones.
The exit status is 1 where a goal is missed.
"""

import collections
import json
import math
import re
import statistics
import sys

# The form of 482 real prompts: words at the median, and the shares of questions, fragments, orders and statements.
REAL = {"words": 9, "question": 0.73, "fragment": 0.16, "order": 0.06, "statement": 0.04}
ORDER = re.compile(r"^(name|list|compare|recommend|find|give|show|tell|suggest|nenne|vergleiche|empfiehl|cite[zr]?|nombra|recomienda)\b", re.I)
LISTS = re.compile(r"name several|say why|best first|a list of|for this search|give names", re.I)
END = "?？؟;"


def form(text):
    if text.rstrip().endswith(tuple(END)):
        return "question"
    if ORDER.match(text):
        return "order"
    return "statement" if text.rstrip().endswith((".", "。", "!", "।")) else "fragment"


def masked(row):
    """The frame words of a question: without its keyword and place."""
    keyword, place, *_, text = row
    for part in [keyword] + re.split(r"[ ,]+", place):
        if part:
            text = re.sub(re.escape(part), "~", text, flags=re.I)
    return re.findall(r"[\w']+|[?.,~]", text.lower())


FRAME = set(
    "a an the and or of for in on at to with without near by from any some all most best better good top great which what where who how why is are am "
    "do does did can could would should will have has had be been it its that this these those there i me my we our us you your people someone "
    "recommend recommendations recommended suggest suggestions find looking need want know get use buy choose pick go compare list give "
    "reviews rated reliable trusted cheap cheapest affordable price value worth ? . , !".split()
)


def frame(words):
    """The words without those of the thing: a run of them counts once."""
    kept = [word if word in FRAME else "~" for word in words]
    return [word for n, word in enumerate(kept) if word != "~" or n == 0 or kept[n - 1] != "~"]


def auc(ours, real, folds=5):
    """Naive Bayes on words and pairs, cross-validated: .5 cannot tell them apart, 1 always can."""
    def features(words):
        return set(words) | {a + " " + b for a, b in zip(words, words[1:])}

    examples = [(features(frame(it)), 1) for it in ours] + [(features(frame(it)), 0) for it in real]
    scores = []
    for fold in range(folds):
        train = [it for n, it in enumerate(examples) if n % folds != fold]
        counts = [collections.Counter(f for fs, y in train if y == label for f in fs) for label in (0, 1)]
        sizes = [sum(y == label for _, y in train) for label in (0, 1)]
        for fs, y in (it for n, it in enumerate(examples) if n % folds == fold):
            ratio = [math.log((counts[1][f] + 0.5) / (sizes[1] + 1)) - math.log((counts[0][f] + 0.5) / (sizes[0] + 1)) for f in fs]
            scores.append((sum(ratio), y))
    ranked = sorted(scores)
    ranks = sum(n + 1 for n, (_, y) in enumerate(ranked) if y)
    ones = sum(y for _, y in ranked)
    return (ranks - ones * (ones + 1) / 2) / (ones * (len(ranked) - ones))


def main(ours, real=None):
    rows = [line.rstrip("\n").split("\t") for line in open(ours, encoding="utf-8")]
    core = [row for row in rows if row[5].startswith("c")]
    texts = [row[6] for row in core]
    plans = collections.defaultdict(list)
    for row in core:
        plans[(row[0], row[1])].append(" ".join(masked(row)))
    forms = collections.Counter(map(form, texts))
    colon = sum(bool(re.search(r"^[^?!]{2,60}[^\s\d]\s?[:：]\s?\S", text)) for text in texts)
    skeletons = [collections.Counter(plan).most_common(1)[0][1] / len(plan) for plan in plans.values() if len(plan) >= 9]
    spaced = [row for row in core if row[2] not in ("ja", "zh", "zh-Hant")]
    words = statistics.median(len(row[6].split()) for row in spaced)
    share = {it: forms[it] / len(texts) for it in ("question", "fragment", "order", "statement")}
    figures = [
        ("colon forms", colon / len(texts), 0.03),
        ("orders", share["order"], 0.05),
        ("talk about lists", sum(bool(LISTS.search(text)) for text in texts) / len(texts), 0.03),
        ("one skeleton serves more than a third of a plan", sum(it > 1 / 3 for it in skeletons) / len(skeletons), 0.5),
        ("median words, distance from real ones", abs(words - REAL["words"]), 2),
    ]
    if real:
        prompts = [json.loads(line) for line in open(real, encoding="utf-8")]
        english = [it for it in prompts if str(it.get("language", it.get("lang", ""))).startswith("en")]
        theirs = [re.findall(r"[\w']+|[?.,~]", (it.get("prompt") or it["text"]).lower()) for it in english]
        mine = [masked(row) for row in core if row[2] == "en"]
        figures.append(("AUC of frame words, English", auc(mine[:: max(1, len(mine) // (2 * len(theirs)))], theirs), 0.93))
    print(f"{len(texts)} core questions of {len(plans)} plans; forms", {it: round(n, 2) for it, n in share.items()}, "real", REAL)
    missed = [name for name, value, most in figures if value > most]
    for name, value, most in figures:
        print(f"{name}: {value:.3f} (at most {most}){' MISSED' if value > most else ''}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
