"""Generates the core of the client when it is built from a copy of the repository. A published archive has it."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

HERE = Path(__file__).parent
CORE = HERE / "ibid_client" / "core"
#: The document of the API, which a test of the server keeps in step.
SNAPSHOT = HERE.parents[1] / "tests" / "api" / "snapshots" / "api__contract__openapi.snap"


class Core(BuildHookInterface):
    def initialize(self, version: str, build_data: dict) -> None:
        made = CORE / "__init__.py"
        if made.exists() and not (SNAPSHOT.exists() and SNAPSHOT.stat().st_mtime > made.stat().st_mtime):
            return
        if not SNAPSHOT.exists():
            raise RuntimeError("ibid_client/core is missing: run ./generate ADDRESS with the address of a server")
        with tempfile.TemporaryDirectory() as folder:
            document = Path(folder) / "openapi.json"
            # The snapshot begins with a head between two lines of hyphens.
            document.write_text(json.dumps(json.loads(SNAPSHOT.read_text().split("---\n", 2)[2])))
            command = [sys.executable, "-m", "openapi_python_client", "generate", "--path", document, "--meta", "none"]
            command += ["--config", HERE / "generate.yml", "--overwrite", "--output-path", CORE]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
