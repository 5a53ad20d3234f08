#!/usr/bin/env python3
"""Decides "is it cited at all" as other tools do, on labelled answers. Python 3.9, standard library only.

    matchers.py ANSWERS.jsonl

Input lines: {"answer", "sources", "annotations", "targets": [{"domain", "names", "cited"}]}. Each matcher is written
from the published rule of its tool; no code is taken from it. Prints precision, recall and F1 of each.
"""
import json
import re
import sys
import unicodedata


def host(address):
    """The lower-case host of an address, without `www.`."""
    address = address.strip().lower()
    address = address.split("://", 1)[-1]
    return re.split(r"[/:?#]", address)[0].removeprefix("www.")


def label(domain):
    """The label before the public suffix, two-part suffixes such as co.uk included."""
    parts = host(domain).split(".")
    if len(parts) >= 3 and parts[-2] in {"co", "com", "org", "net", "gov", "edu", "ac"}:
        return parts[-3]
    return parts[-2] if len(parts) >= 2 else parts[0]


def addresses(record):
    """Every address beside the answer."""
    found = []

    def walk(value):
        if isinstance(value, str):
            if re.match(r"https?://", value):
                found.append(value)
        elif isinstance(value, list):
            for item in value:
                walk(item)
        elif isinstance(value, dict):
            for item in value.values():
                walk(item)

    walk(record.get("sources") or [])
    walk(record.get("annotations") or [])
    return found


def substring(record, target):
    """A name or the host stands anywhere in the answer, or the host in a source, whatever its case."""
    text = "\n".join([record["answer"], *addresses(record)]).lower()
    return host(target["domain"]) in text or any(name.lower() in record["answer"].lower() for name in target["names"])


def word_boundary(record, target):
    """A name stands in the answer as whole words, whatever its case."""
    return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", record["answer"], re.I) for name in target["names"])


def llm_answer_watcher(record, target):
    """llm-answer-watcher: the escaped alias between regular-expression word boundaries, whatever its case."""
    return any(re.search(rf"\b{re.escape(name)}\b", record["answer"], re.I) for name in target["names"])


def lettertrace(record, target):
    """LetterTrace: names and the domain's label, of two letters or more, not between ASCII letters or digits."""
    terms = [term.strip() for term in [*target["names"], label(target["domain"])] if len(term.strip()) >= 2]
    return any(
        re.search(rf"(?<![A-Za-z0-9]){re.escape(term)}(?![A-Za-z0-9])", record["answer"], re.I) for term in terms
    )


def geo_optimizer(record, target):
    """geo-optimizer: the name between word boundaries and not as the root of a host, or the domain itself among the
    sources or the addresses of the text."""
    answer = record["answer"]
    if any(re.search(rf"\b{re.escape(name)}\b(?!\.\w)", answer, re.I) for name in target["names"]):
        return True
    cited = [*addresses(record), *re.findall(r"https?://[^\s)\]>\"']+", answer)]
    return host(target["domain"]) in {host(address) for address in cited}


def folded(text):
    """Letters and digits in lower case, accents removed."""
    text = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    return "".join(c for c in text if c.isalnum())


def canonry(record, target):
    """Canonry: citation markup and addresses are cut out of the prose; then the domain as a written host, or a name
    (three letters or more) or the domain's label (four or more) as complete adjacent words, compared without case,
    punctuation and blanks. Sources that cover the domain count as citations."""
    own = host(target["domain"])

    def covers(address):
        return host(address) == own or host(address).endswith("." + own)

    if any(covers(address) for address in addresses(record)):
        return True
    prose = re.sub(r"!\[[^\]]*\]\([^)]*\)", " ", record["answer"])

    def keep(match):
        named = not re.fullmatch(r"\s*(\d+|https?://\S+|[a-z0-9.-]+\.[a-z]{2,}\S*)\s*", match.group(1))
        return match.group(1) if named else " "

    if any(covers(address) for address in re.findall(r"https?://[^\s)\]>\"']+", prose)):
        return True
    prose = re.sub(r"\[([^\]]*)\]\([^)]*\)", keep, prose)
    prose = re.sub(r"https?://\S+|\[\d+\]|【[^】]*】", " ", prose)
    if any(covers(found) for found in re.findall(r"[a-z0-9-]+(?:\.[a-z0-9-]+)+", prose.lower())):
        return True
    keys = {folded(name) for name in target["names"] if len(folded(name)) >= 3}
    if len(folded(label(own))) >= 4:
        keys.add(folded(label(own)))
    longest = max(map(len, keys), default=0)
    words = [folded(word) for word in re.findall(r"[^\W_]+", prose)]
    for start in range(len(words)):
        joined = ""
        for word in words[start:]:
            joined += word
            if joined in keys:
                return True
            if len(joined) >= longest:
                break
    return False


MATCHERS = [substring, word_boundary, canonry, lettertrace, llm_answer_watcher, geo_optimizer]


def figures(records, matcher):
    """Precision, recall and F1 over every target of every record."""
    hits = misses = wrong = 0
    for record in records:
        for target in record["targets"]:
            found = matcher(record, target)
            hits += found and target["cited"]
            misses += target["cited"] and not found
            wrong += found and not target["cited"]
    precision, recall = hits / max(1, hits + wrong), hits / max(1, hits + misses)
    return precision, recall, 2 * hits / max(1, 2 * hits + wrong + misses)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        records = [json.loads(line) for line in file if line.strip()]
    targets = sum(len(record["targets"]) for record in records)
    print(f"{len(records)} answers, {targets} targets\n")
    print("| Matcher | Precision | Recall | F1 |\n|---|---|---|---|")
    for matcher in MATCHERS:
        precision, recall, f1 = figures(records, matcher)
        print(f"| {matcher.__name__.replace('_', '-')} | {precision:.3f} | {recall:.3f} | {f1:.3f} |")


if __name__ == "__main__":
    main()
