"""VowpalWabbit's search (learning to search, task ``sequence``) on sentences: its own text format, one thread, file to labels.

A token is a line of features with the number of its label in front, a sentence ends with an empty line. Previous labels are
features of VowpalWabbit's own.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from measure import Seconds

import tagpool

try:
    from vowpalwabbit import Workspace
except ImportError:  # there are wheels for some machines only
    Workspace = None

_SPECIAL = re.compile(r"[:|\s]")  # have a meaning in its lines
_HISTORY = 3  # labels before


@dataclass(frozen=True)
class Searched:
    """Time of one pass over a corpus and of tagging another, and the number of correct labels."""

    training: Seconds
    tagging: Seconds
    accuracy: float


def is_there() -> bool:
    return Workspace is not None


def search(train: tagpool.Corpus, dev: tagpool.Corpus, templates: str, passes: int, folder: Path) -> Searched:
    """Trains with the features of templates, and tags; times are those of reading a file of finished features and all behind."""
    encoder = tagpool.Encoder(templates, history=True).fit(train)
    labels = sorted({label for sentence in train.labels for label in sentence})
    numbers = {label: number for number, label in enumerate(labels, 1)}
    for name, corpus in (("train", train), ("dev", dev)):
        (folder / name).write_text("".join(_lines(corpus, encoder, numbers)))
    model, messages = folder / "model", folder / "said"
    cache = f"--cache_file {folder / 'cache'} --kill_cache" if passes > 1 else ""
    training = _run(
        f"--search {len(labels)} --search_task sequence --search_history_length {_HISTORY} -b 22 --passes {passes} {cache} "
        f"-d {folder / 'train'} -f {model}"
    )
    tagging = _run(f"-t -i {model} -d {folder / 'dev'} -p {messages}")
    result = [labels[int(number) - 1] for line in messages.read_text().splitlines() for number in line.split()]
    gold = [label for sentence in dev.labels for label in sentence]
    right = sum(one == other for one, other in zip(result, gold, strict=True)) / len(gold)
    return Searched(Seconds(training.cpu / passes, training.wall / passes), tagging, right)


def _lines(corpus: tagpool.Corpus, encoder: tagpool.Encoder, numbers: dict[str, int]) -> list[str]:
    lines = []
    for sentence, labels in enumerate(corpus.labels):
        for token, label in zip(encoder.describe(corpus, sentence), labels, strict=True):
            lines.append(f"{numbers.get(label, 1)} |f {_features([name for name, _ in token])}\n")
        lines.append("\n")
    return lines


def _features(names: Sequence[str]) -> str:
    return " ".join(_SPECIAL.sub("_", name) for name in names if not name.startswith("label["))


def _run(arguments: str) -> Seconds:
    wall, cpu = time.perf_counter(), time.process_time()
    workspace = Workspace(f"{arguments} --quiet --no_stdin")
    workspace.run_parser()
    workspace.finish()
    return Seconds(time.process_time() - cpu, time.perf_counter() - wall)
