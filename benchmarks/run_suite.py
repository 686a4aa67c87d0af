"""Train and score on every labelled corpus under TAGPOOL_DATA.

tagpool has its pure defaults, python-crfsuite the features of its tutorial; then both have the same features and settings.

python benchmarks/run_suite.py [CORPUS...] [--modes defaults] [--seeds 5] [--no-peers] [--json FILE] [--write FILE]
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import tempfile
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

from measure import data_folder, load_average
from suite.corpora import SOURCES
from suite.measuring import Store
from suite.modes import MODES, Plan, Record, cold
from suite.report import report
from suite.task import prepare


def parser() -> argparse.ArgumentParser:
    result = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    result.add_argument("corpora", nargs="*", metavar="CORPUS", help=f"corpora (default: all): {', '.join(SOURCES)}")
    result.add_argument("--modes", default=",".join(MODES), help=f"comparisons (default: {','.join(MODES)})")
    result.add_argument("--seeds", type=int, default=1, help="number of seeds of tagpool (default: 1)")
    result.add_argument(
        "--repeat", type=int, default=3, help="trainings of tagpool for the time, whose minimum counts (default: 3)"
    )
    result.add_argument("--repeat-peer", type=int, default=1, help="the same for python-crfsuite, which is slow (default: 1)")
    result.add_argument("--no-peers", action="store_true", help="only tagpool")
    result.add_argument("--held-out", action="store_true", help="dev F1 of corpora without dev, from training on nine tenths")
    result.add_argument("--sentences", type=int, help="only the first sentences of each part, for a quick try")
    result.add_argument(
        "--option", action="append", default=[], help="word to append to tagpool train in the mode defaults (repeatable)"
    )
    result.add_argument(
        "--peers", type=Path, metavar="FILE", help="read and store python-crfsuite's figures there; for exploration"
    )
    result.add_argument("--json", type=Path, metavar="FILE", help="file for all figures")
    result.add_argument("--write", type=Path, metavar="FILE", help="Markdown file for the tables, written after each corpus")
    return result


def introduction(chosen: argparse.Namespace, store: Store) -> str:
    lines = [
        f"`make suite` on {platform.machine()}, {os.cpu_count()} cores, load average {load_average()} at the beginning, Python "
        f"{platform.python_version()}, tagpool {version('tagpool')}, python-crfsuite {version('python-crfsuite')}.",
        f"CPU time is user and system time of the whole process and all its threads: the minimum of {chosen.repeat} trainings of "
        f"tagpool and {chosen.repeat_peer} of python-crfsuite, in turns.",
        "F1 is that of conlleval, on the test file, with the 95% interval of the bootstrap over sentences; accuracy for parts of "
        "speech and for GROBID's labels.",
    ]
    if chosen.seeds > 1:
        lines.append(f"F1 of tagpool: mean and standard deviation of {chosen.seeds} seeds, and the interval of the first.")
    if chosen.option:
        lines.append(f"**Not the defaults:** with the options `{' '.join(chosen.option)}`.")
    if chosen.sentences:
        lines.append(f"**A sample:** {chosen.sentences} sentences of each part.")
    if store.was_read:
        lines.append("**Figures of python-crfsuite come from an earlier run.**")
    return "".join(f"{line}\n" for line in lines)


def main() -> None:
    arguments = parser()
    chosen = arguments.parse_args()
    data = data_folder()
    if data is None:
        arguments.error("TAGPOOL_DATA is not set; it names the folder of the corpora")
    modes = chosen.modes.split(",")
    for kind, names, known in (("corpus", chosen.corpora, SOURCES), ("mode", modes, MODES)):
        for name in names:
            if name not in known:
                arguments.error(f"no {kind} {name}; there are {', '.join(known)}")
    store = Store(chosen.peers)
    begun = introduction(chosen, store)
    records: list[Record] = []
    for record in run(chosen, data, modes, store):
        records.append(record)
        print(describe(record), flush=True)
        text = f"# Suite\n\n{begun}\n{report(records)}"
        if chosen.json:
            chosen.json.write_text(json.dumps(records, indent=1))
        if chosen.write:
            chosen.write.write_text(text)
    if not records:
        arguments.error(f"{data} has no corpora of the suite")
    print(text)


def run(chosen: argparse.Namespace, data: Path, modes: list[str], store: Store) -> Iterator[Record]:
    plan = Plan(
        seeds=chosen.seeds,
        repeat=chosen.repeat,
        repeat_peer=chosen.repeat_peer,
        options=tuple(chosen.option),
        peers=not chosen.no_peers,
        held_out=chosen.held_out,
        store=store,
    )
    sources = [SOURCES[name] for name in chosen.corpora] or [source for source in SOURCES.values() if source.is_in(data)]
    for number, source in enumerate(sources):
        with tempfile.TemporaryDirectory() as folder:
            task = prepare(source, data, Path(folder), chosen.sentences)
            for mode in modes:
                yield from MODES[mode](task, plan)
            if number == 0 and "defaults" in modes:
                yield from cold(task)


def describe(record: Record) -> str:
    """Return a line for one measurement."""
    scores = ", ".join(f"{part} {record[part]['f1']:.2f}" for part in ("dev", "test") if part in record)
    side = f"{record['side']} seed {record['seed']}" if "seed" in record else record["side"]
    costs = f"CPU {record['cpu']:.2f} s, {record['peak'] / 1e6:.0f} MB"
    return f"{record['corpus']}, {record['mode']}, {side}: {scores} {costs}"


if __name__ == "__main__":
    main()
