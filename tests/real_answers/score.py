#!/usr/bin/env python3
"""Scores `ibid read` on labelled answers. Python 3.9, standard library only.

    score.py IBID ANSWERS.jsonl [ANSWERS.jsonl ...] [--by form|lang|source] [--misses]

Two kinds of records: {"id", "prompt", "answer", "targets", "entities"} labelled by hand, and {"id", "prompt", "answer",
"brands"} whose model listed the brands that it had named. Each file is scored as it is and with every labelled name
replaced by a coined one, as a local firm is in no list of brands. Substring search is printed on the same targets.
"""
import collections
import json
import re
import subprocess
import sys
import unicodedata

FIRST = "Brindle Calder Tavi Oxen Perrin Quill Rook Sandle Thorn Umber Vex Wren Yarrow Zell Ashcom Bracken Corvan".split()
LAST = "hatch moor strand low vale marsh haven ford wick lea holme field by gate".split()
NOBODY = "nobody-at-all.example"


def coined(at):
    """A name that no list of brands has; the fifth of each five has two words."""
    name = FIRST[at % len(FIRST)] + LAST[at * 5 % len(LAST)]
    return name + " " + FIRST[(at + 7) % len(FIRST)] if at % 5 == 4 else name


def fold(text):
    """Letters and digits without case and accents."""
    text = unicodedata.normalize("NFKC", text).casefold()
    for sign, plain in (("æ", "ae"), ("ø", "oe"), ("å", "aa"), ("ß", "ss")):
        text = text.replace(sign, plain)
    kept = (c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    return re.sub(r"[\W_]", "", "".join(kept))


def form(answer):
    """The form of an answer: a table, a list, a copy from a browser, paragraphs with bold names, or plain prose."""
    lines = [line.strip() for line in answer.split("\n") if line.strip()]
    if sum(line.count("|") >= 2 for line in lines) >= 3 or sum("\t" in line for line in lines) >= 3:
        return "table"
    if sum(bool(re.match(r"([-*•–+]|\d{1,2}[.)])\s|#{1,6}\s", line)) for line in lines) >= 2:
        return "list"
    if len(re.findall(r"\*\*[^*\n]+\*\*", answer)) >= 3:
        return "bold"
    glued = re.search(r"[a-z]\+\d|[a-z.!?][A-Z][a-z]+ |\S - \S.* - \S", answer)
    short = sum(len(line) < 60 for line in lines)
    return "copy" if len(lines) >= 6 and short * 3 > len(lines) or len(lines) < 3 and glued else "prose"


def rename(record, at):
    """The record with every labelled name and host replaced by a coined one."""
    swap, parties = {}, []
    for spellings in record.get("entities") or [[brand] for brand in record.get("brands", [])]:
        parties.append(list(spellings))
    for target in record.get("targets", []):
        own = {fold(name) for name in target["names"]}
        same = [party for party in parties if own & {fold(name) for name in party}]
        if same:
            same[0].extend(target["names"])
        else:
            parties.append(list(target["names"]))
    for place, spellings in enumerate(parties):
        known = next((swap[fold(name)] for name in spellings if fold(name) in swap), None)
        for name in spellings:
            swap.setdefault(fold(name), known or coined(at * 7 + place))
    names = {name for spellings in parties for name in spellings if len(fold(name)) > 1}
    hosts = {}
    for target in record.get("targets", []):
        label = fold(swap[fold(target["names"][0])]) if target["names"] else "nobody"
        hosts[target["domain"]] = label + ".example"
    unspaced = r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]"

    def replaced(text):
        for host, new in sorted(hosts.items(), key=lambda pair: -len(pair[0])):
            text = re.sub(r"(?i)(?<![\w-])((?:www\.)?)" + re.escape(host) + r"(?![\w-])", r"\g<1>" + new, text)
        for name in sorted(names, key=len, reverse=True):
            new = swap[fold(name)]
            # Another case of a name is the same name, unless it is a word in small letters.
            pattern = "(?i:" + re.escape(name) + ")" if len(name) > 2 else re.escape(name)
            small = name[:1].islower()
            spaced = not re.search(unspaced, name)

            def renamed(hit):
                before, behind = text[: hit.start()][-1:], text[hit.end() :]
                # Copies glue a name to the words around it: `see allNike27`.
                glued = before.islower() and hit[0][:1].isupper() or before.isdigit()
                starts = glued or not re.match(r"[\w.@/-]", before) or before == "." and hit[0][:1].isupper()
                ends = not re.match(r"[@_]|\.[a-z]{2,3}\b|-[A-Za-z]", behind)
                ends = ends and not (behind[:1].islower() or hit[0][-1:].isdigit() and behind[:1].isdigit())
                lower = hit[0][:1].islower() and not small
                return new if not lower and (not spaced or starts and ends) else hit[0]

            text = re.sub(pattern, renamed, text)
        return text

    changed = json.loads(replaced(json.dumps({k: record.get(k) for k in ("annotations", "sources")}, ensure_ascii=False)))
    changed.update(form=form(record["answer"]), prompt=replaced(record["prompt"]), answer=replaced(record["answer"]))
    targets = []
    for target in record.get("targets", []):
        own = list(dict.fromkeys(swap[fold(name)] for name in target["names"]))
        targets.append(dict(target, names=own, domain=hosts[target["domain"]]))
    changed["targets"] = targets
    if record.get("entities"):
        changed["entities"] = [sorted({swap[fold(n)] for n in e if fold(n) in swap} or {e[0]}) for e in record["entities"]]
    if record.get("brands"):
        changed["brands"] = [swap[fold(brand)] if len(fold(brand)) > 1 else brand for brand in record["brands"]]
    return {**record, **changed}


def read(exe, rows, *options):
    """The readings of records, in their order."""
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    done = subprocess.run([exe, "read", *options, "-"], input=text, capture_output=True, text=True, check=False)
    found = {}
    for line in done.stdout.splitlines():
        reading = json.loads(line)
        found[reading["id"]] = reading
    empty = dict(cited=False, linkKind="none", prominence="none", stance="absent", rank=None, competitors=[])
    return [found.get(row["id"], empty) for row in rows]


def asked(identity, domain, names, record):
    members = {key: record.get(key) or [] for key in ("annotations", "sources")}
    return dict(id=identity, domain=domain, brandNames=names, prompt=record["prompt"], answer=record["answer"], **members)


def in_rank(target, reading):
    low, high = target["rankAcceptable"] or (target["rank"],) * 2
    return reading["rank"] is not None and low <= reading["rank"] <= high


def share(part, whole):
    return f"{part / whole:.3f}" if whole else "  -  "


class Figures:
    """Sums over targets and over competitors."""

    def __init__(self):
        self.sums = collections.Counter()

    def target(self, record, target, reading):
        sums, cited = self.sums, target["cited"]
        plain = any(n and n.lower() in record["answer"].lower() for n in [*target["names"], target["domain"]])
        for name, found in (("own", reading["cited"]), ("plain", plain)):
            sums[name + "+"] += found and cited
            sums[name + "?"] += found
        sums["cited"] += cited
        sums["targets"] += 1
        sums["link"] += reading["linkKind"] == target["linkKind"]
        if not record.get("valid", True) or target["uncertain"]:
            return
        sums["judged"] += 1
        sums["strict"] += reading["prominence"] == target["prominence"]
        sums["lenient"] += reading["prominence"] in target["prominenceAcceptable"]
        praised = set(target["prominenceAcceptable"]) & {"primary", "secondary"}
        sums["praised"] += bool(praised)
        sums["slandered"] += bool(praised) and reading["stance"] == "discouraged"
        if target["rank"] is not None:
            sums["ranks"] += 1
            sums["rank"] += in_rank(target, reading)

    def rivals(self, entities, reading):
        forms = [[fold(spelling) for spelling in entity] for entity in entities]
        got = [fold(competitor["name"]) for competitor in reading["competitors"]]
        found = [any(spelling in got for spelling in entity) for entity in forms[:5]]
        right = [any(name in entity for entity in forms) for name in got[:5]]
        for name, values in (("recall", found), ("precision", right)):
            self.sums[name] += sum(values)
            self.sums[name + "/"] += len(values)
        self.sums["answers"] += 1
        return all(found) and all(right)

    def line(self):
        s, parts = self.sums, []
        if s["targets"]:
            f1 = [share(2 * s[name + "+"], s[name + "?"] + s["cited"]) for name in ("own", "plain")]
            parts.append(f"n {s['targets']:4} cited {f1[0]} (substring {f1[1]}) link {share(s['link'], s['targets'])}")
            parts.append(f"prominence {share(s['strict'], s['judged'])}/{share(s['lenient'], s['judged'])}")
            parts.append(f"rank {share(s['rank'], s['ranks'])} ({s['rank']}/{s['ranks']})")
            parts.append(f"falsely discouraged {s['slandered']}/{s['praised']}")
        if s["answers"]:
            figures = f"{share(s['recall'], s['recall/'])}/{share(s['precision'], s['precision/'])}"
            parts.append(f"competitors {figures} ({s['answers']} answers)")
        return " | ".join(parts)


def score(exe, records, group, misses):
    """Figures of all records and of each group."""
    all_of, groups = Figures(), collections.defaultdict(Figures)
    pairs = [(record, target) for record in records for target in record.get("targets", [])]
    rows = [asked(str(at), target["domain"], target["names"], record) for at, (record, target) in enumerate(pairs)]
    for (record, target), reading in zip(pairs, read(exe, rows)):
        for figures in (all_of, groups[group(record)]):
            figures.target(record, target, reading)
        wrong = [key for key in ("cited", "linkKind") if reading[key] != target[key]]
        if record.get("valid", True) and not target["uncertain"]:
            wrong += ["prominence"] * (reading["prominence"] not in target["prominenceAcceptable"])
            wrong += ["rank"] * (target["rank"] is not None and not in_rank(target, reading))
        if misses and wrong:
            print("  ", record["id"], target["domain"], *(f"{key} {reading[key]}, not {target[key]};" for key in wrong))
    labelled = [(r, r.get("entities") or [[b] for b in r.get("brands", [])]) for r in records]
    labelled = [(record, entities) for record, entities in labelled if entities]
    rows = [asked(str(at), NOBODY, [], record) for at, (record, _) in enumerate(labelled)]
    for (record, entities), reading in zip(labelled, read(exe, rows)):
        good = [figures.rivals(entities, reading) for figures in (all_of, groups[group(record)])]
        if misses and not all(good):
            got = [competitor["name"] for competitor in reading["competitors"][:5]]
            print("  ", record["id"], form(record["answer"]), "want", [e[0] for e in entities[:5]], "got", got)
    return all_of, groups


def main():
    options = [arg for arg in sys.argv[1:] if arg.startswith("--")]
    by = sys.argv[sys.argv.index("--by") + 1] if "--by" in options else "form"
    plain = [arg for arg in sys.argv[1:] if not arg.startswith("--") and arg != by]
    exe, paths = plain[0], plain[1:]
    group = {
        "form": lambda record: record.get("form") or form(record["answer"]),
        "lang": lambda record: record.get("lang", "?"),
        "source": lambda record: (record.get("provenance") or {}).get("repo", record.get("model", "?")),
    }[by]
    for path in paths:
        with open(path, encoding="utf-8") as file:
            records = [json.loads(line) for line in file]
        for name, kind in (("real", records), ("coined", [rename(r, at) for at, r in enumerate(records)])):
            print(f"{path} with {name} names")
            all_of, groups = score(exe, kind, group, "--misses" in options)
            print(f"  {'all':7}", all_of.line())
            for key in sorted(groups):
                print(f"  {key[-28:]:7}", groups[key].line())


if __name__ == "__main__":
    main()
