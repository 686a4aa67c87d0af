"""Files of a corpus, as its users have them: what both sides train, tag and are scored on."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import tagpool
from suite.corpora import Source, hold_out


@dataclass(frozen=True)
class Task:
    """A corpus in CoNLL files separated by tabs: train, dev (if the corpus has one) and test.

    A corpus without dev has nine tenths of train in ``most`` and the rest in ``rest``, on which settings are chosen.
    """

    source: Source
    folder: Path
    columns: tuple[str, ...]
    tokens: dict[str, int]

    @property
    def name(self) -> str:
        return self.source.name

    @property
    def has_dev(self) -> bool:
        return "dev" in self.tokens

    def path(self, part: str) -> Path:
        return self.folder / f"{part}.conll"

    def read(self, part: str) -> tagpool.Corpus:
        return tagpool.read_corpus(self.path(part), columns=self.columns)


def prepare(source: Source, data: Path, folder: Path, sentences: int | None = None) -> Task:
    """Write the files of a corpus, or only its first sentences."""
    folder.mkdir(parents=True, exist_ok=True)
    split = source.read(data / source.folder)
    parts = {name: part for name, part in split._asdict().items() if part is not None}
    if sentences is not None:
        parts = {name: part[:sentences] for name, part in parts.items()}
    if "dev" in parts:
        parts["dev"] = _with_known_labels(parts["dev"], parts["train"])
    else:
        parts["most"], parts["rest"] = hold_out(parts["train"])
    columns = tuple(parts["train"].columns)
    task = Task(source, folder, columns, {name: part.token_count for name, part in parts.items()})
    for name, part in parts.items():
        tagpool.write_corpus(part, task.path(name), columns=columns, separator="\t")
    return task


def _with_known_labels(dev: tagpool.Corpus, train: tagpool.Corpus) -> tagpool.Corpus:
    """Drop dev sentences with labels that a part of the training sentences lacks, as the error of tagpool train advises."""
    known = {label for labels in train.labels for label in labels}
    return dev.select(number for number, labels in enumerate(dev.labels) if known.issuperset(labels))
