"""The benchmarks, printed as one table: ``make bench``. Uses the corpora below TAGPOOL_DATA, or else the built-in corpus.

python benchmarks/run.py [PART ...] [--write FILE] [--keep FOLDER]
"""

from __future__ import annotations

import argparse
import os
import platform
import tempfile
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from importlib.metadata import version
from pathlib import Path

# Before NumPy is loaded: one thread on both sides.
os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = os.environ["MKL_NUM_THREADS"] = "1"

from measure import data_folder, load_average
from parts.choosing import choosing
from parts.compat import compat
from parts.distilled import distilled
from parts.encoding import encoding, reading
from parts.folders import folders
from parts.inducing import inducing
from parts.loading import loading
from parts.maxent import maxent
from parts.objective import gradient, optimum
from parts.paths import paths
from parts.pools import pools
from parts.ray import ray
from parts.serve import serve
from parts.starting import starting
from parts.tagging import cold, tagging
from parts.threads import threads
from parts.training import footprint, training
from parts.wrappers import wrappers
from table import HEAD, Row
from tasks import Task, prepare

Part = Callable[[list[Task]], Iterator[Row]]
ALWAYS: tuple[Part, ...] = (
    reading, encoding, starting, training, footprint, gradient, optimum, tagging, cold, loading, threads, maxent, pools, inducing,
    paths, compat, wrappers
)  # fmt: skip
PARTS = {part.__name__: part for part in (*ALWAYS, choosing, distilled, folders, ray, serve)}


def introduction() -> str:
    where = "the corpora under TAGPOOL_DATA" if data_folder() else "the built-in corpus"
    peers = ", ".join(f"{name} {version(name)}" for name in ("python-crfsuite", "scikit-learn", "numpy", "scipy"))
    return (
        f"`python benchmarks/run.py` on {where}; {platform.machine()}, {os.cpu_count()} cores, load average {load_average()} at\n"
        f"the beginning, Python {platform.python_version()}, {peers}.\n"
        "One thread on each side unless stated. CPU time, all sides in turns; the minimum of several short runs.\n"
        "Absolute figures depend on the machine and its load: read the ratios.\n"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "parts", nargs="*", metavar="PART", help=f"parts to run (default: all but the last three): {', '.join(PARTS)}"
    )
    parser.add_argument("--write", type=Path, help="also write the table to this Markdown file")
    parser.add_argument("--keep", type=Path, help="keep python-crfsuite's models in this folder, and do not train them again")
    chosen = parser.parse_args()
    unknown = [name for name in chosen.parts if name not in PARTS]
    if unknown:
        parser.error(f"no part {', '.join(unknown)}; there are {', '.join(PARTS)}")
    text = introduction()
    if chosen.keep and any(chosen.keep.glob("*.json")):
        text += "\nThe times of python-crfsuite's training come from an earlier run.\n"
    print(text, HEAD, sep="\n", flush=True)
    rows = []
    with nullcontext(chosen.keep) if chosen.keep else tempfile.TemporaryDirectory() as folder:
        tasks = prepare(Path(folder))
        for part in [PARTS[name] for name in chosen.parts] or ALWAYS:
            for row in part(tasks):
                rows.append(row)
                print(row, flush=True)
    if chosen.write:
        chosen.write.write_text(f"# Speed and memory\n\n{text}\n{HEAD}\n" + "".join(f"{row}\n" for row in rows))


if __name__ == "__main__":
    main()
