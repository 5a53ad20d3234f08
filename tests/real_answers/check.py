#!/usr/bin/env python3
"""Checks the scripts of this folder without any real answer. Standard library only; exit code 1 on a fault."""
import json
import os
import re
import subprocess
import sys
import tempfile

import matchers
import rebuild
import score

HERE = os.path.dirname(os.path.abspath(__file__))


def check_records():
    with open(os.path.join(HERE, "records.jsonl"), encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    assert len(records) == 116 and sum(len(record["targets"]) for record in records) == 326
    assert len({record["id"] for record in records}) == 116
    for record in records:
        assert re.fullmatch(r"[0-9a-f]{64}", record["sha256"]), record["id"]
        assert "answer" not in record and "prompt" not in record, record["id"]


def check_texts():
    answer = "Try Zentora, or Rival Works."
    files = {
        "a.json": json.dumps({"runs": [{"response": answer}]}),
        "a.jsonl": json.dumps({"x": 1}) + "\n" + json.dumps({"response": answer}),
        "a.csv": f'id,answer\n1,"{answer}"\n',
        "a.html": f"<script id=q>{json.dumps([answer])}</script>",
        "b.json": json.dumps({"content": [{"text": "Try Zentora, "}, {"text": "or Rival Works."}]}),
    }
    for path, content in files.items():
        found = {rebuild.digest(text.strip()) for text in rebuild.texts(path, content.encode())}
        assert rebuild.digest(answer) in found, path
    with tempfile.TemporaryDirectory() as empty:
        done = subprocess.run(
            [sys.executable, os.path.join(HERE, "rebuild.py"), empty], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0 and "0 of 116" in done.stderr, done.stderr


def check_matchers():
    def found(matcher, answer, sources=()):
        target = {"domain": "zentora.com", "names": ["Zentora"], "cited": True}
        return matcher({"answer": answer, "sources": list(sources)}, target)

    for matcher in matchers.MATCHERS:
        assert found(matcher, "I like ZENTORA best."), matcher
        assert not found(matcher, "I like Rival Works."), matcher
    assert found(matchers.substring, "Zentorama") and not found(matchers.word_boundary, "Zentorama")
    assert not found(matchers.llm_answer_watcher, "Zentorama") and not found(matchers.lettertrace, "Zentorama")
    source = ["https://www.zentora.com/x"]
    for matcher, cited in [(matchers.canonry, True), (matchers.geo_optimizer, True), (matchers.lettertrace, False)]:
        assert found(matcher, "Nothing.", source) is cited, matcher
    assert not found(matchers.geo_optimizer, "See zentora.net for more.")
    assert found(matchers.canonry, "Zen Tora is good.")


def check_score():
    target = {"domain": "zentora.com", "names": ["Zentora"], "cited": True}
    record = {"id": "1", "prompt": "Who?", "answer": "**Zentora** (zentora.com), then ZENTORA or Rival Works.",
              "targets": [target], "entities": [["Zentora"], ["Rival Works"]]}
    other = score.rename(record, 0)
    assert "zentora" not in other["answer"].lower() and "Rival" not in other["answer"], other
    assert other["targets"][0]["names"][0] in other["entities"][0], other
    assert other["targets"][0]["domain"] in other["answer"], other


if __name__ == "__main__":
    check_records()
    check_texts()
    check_matchers()
    check_score()
    print("real answers: records and scripts hold")
