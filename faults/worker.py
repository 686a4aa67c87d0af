"""The process that ``run.py`` starts for some operations, with the library preloaded.

    worker.py FOLDER SETTINGS OPERATION...

It prints one JSON object for each fault.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import sys
from pathlib import Path

OTHER_LIBRARIES = ("numpy", "typer", "rich.table", "rich.progress", "rich.traceback", "ctypes", "random", "runpy", "shutil")
MODULES = (
    "tagpool.cli.training.run", "tagpool.cli.pooling.compare", "tagpool.cli.pooling.fit", "tagpool.compat.conversion",
    "tagpool.experts.linear.training", "tagpool.pools.loading", "tagpool.tagging.conll", "tagpool.tagging.jsonl",
    "tagpool.tagging.models", "tagpool.tagging.text",
)  # fmt: skip


def main() -> None:
    """Run the faults that the settings select."""
    folder, settings, names = Path(sys.argv[1]), json.loads(sys.argv[2]), sys.argv[3:]
    results = os.fdopen(os.dup(1), "w")
    os.environ.update(TMPDIR=f"{folder}/tmp", HOME=f"{folder}/home", COLUMNS="160")
    os.chdir(folder / "here")
    for module in OTHER_LIBRARIES:
        importlib.import_module(module)
    gc.collect()
    gc.freeze()  # a fork ends faster; tagpool is not frozen, so that nanobind's report of leaks is right
    for module in MODULES:
        importlib.import_module(module)
    importlib.import_module("injector").inject(folder, names, settings, results)


if __name__ == "__main__":
    main()
