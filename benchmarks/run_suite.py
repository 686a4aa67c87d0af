"""Train and score with defaults on every labelled corpus under TAGPOOL_DATA."""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
from pathlib import Path

from measure import data_folder
from suite import ours
from suite.corpora import SOURCES
from suite.task import prepare


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="*", metavar="CORPUS", help=f"corpora (default: all): {', '.join(SOURCES)}")
    parser.add_argument("--seeds", type=int, default=1, help="number of seeds (default: 1)")
    parser.add_argument(
        "--repeat", type=int, default=1, help="trainings per seed for the time, whose minimum counts (default: 1)"
    )
    parser.add_argument("--sentences", type=int, help="only this many sentences of each part")
    parser.add_argument(
        "--held-out", action="store_true", help="dev scores of corpora without dev, from trainings on nine tenths"
    )
    parser.add_argument("--option", action="append", default=[], help="further option of tagpool train (repeatable)")
    parser.add_argument("--json", type=Path, help="file for all figures")
    chosen = parser.parse_args()
    data = data_folder()
    if data is None:
        parser.error("TAGPOOL_DATA is not set; it names the folder of the corpora")
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for name in chosen.corpora or SOURCES:
            task = prepare(SOURCES[name], data, Path(folder, name), chosen.sentences)
            runs = []
            for seed in range(1, chosen.seeds + 1):
                one = ours.measure(task, seed=seed, options=chosen.option, repeat=chosen.repeat, held_out=chosen.held_out)
                runs.append(one)
                found.append({"corpus": name, "side": "tagpool", "seed": seed, **one})
                if chosen.json:
                    chosen.json.write_text(json.dumps(found, indent=1))
            print(
                name,
                summary([run["dev"]["f1"] for run in runs if "dev" in run], "dev"),
                summary([run["test"]["f1"] for run in runs], "test"),
                f"CPU {statistics.mean(run['cpu'] for run in runs):.2f} s, peak {runs[0]['peak'] / 2**20:.0f} MB, "
                f"model {runs[0]['bytes'] / 1e6:.1f} MB",
                flush=True,
            )


def summary(values: list[float], part: str) -> str:
    if not values:
        return f"{part} -"
    spread = f" ± {statistics.stdev(values):.2f}" if len(values) > 1 else ""
    return f"{part} {statistics.mean(values):.2f}{spread}"


if __name__ == "__main__":
    main()
