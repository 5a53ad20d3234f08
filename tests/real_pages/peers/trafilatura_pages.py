#!/usr/bin/env python3
"""Reads pages with trafilatura, with the input and output of the example `articles`: `ADDRESS<tab>FILE` a line in, one
JSON object a line out. `pip install trafilatura lxml_html_clean` first.
"""
import json
import sys
import time

from trafilatura import bare_extraction

for line in sys.stdin:
    address, file = line.rstrip("\n").split("\t")
    with open(file, "rb") as page:
        body = page.read()
    start = time.perf_counter()
    document = bare_extraction(body, url=address or None, with_metadata=True, include_comments=False)
    micros = round((time.perf_counter() - start) * 1e6)
    # A page without a text gives nothing.
    found = document.as_dict() if document else {}
    print(json.dumps({
        "file": file,
        "text": found.get("text") or "",
        "lead": None,
        "author": found.get("author"),
        "published": found.get("date"),
        "modified": None,
        "headings": [],
        "sources": [],
        "micros": micros,
    }))
