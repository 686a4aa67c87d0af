"""Corpora for pools: sentences with gold labels, the labels of several experts, and documents; random gold sentences."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tagpool.corpus.corpus import Corpus
from tagpool.corpus.files import read_lines
from tagpool.corpus.formats import read_corpus
from tagpool.errors import InputError
from tagpool.evaluation.scores import score
from tagpool.experiments.corpora import folder, require_file
from tagpool.experiments.study import Setting
from tagpool.pools.stacked.inputs import document_numbers

Labels = list[list[str]]
SOURCES = ("expert", "crowdbest", "crowd", "distant", "weak", "llm")  # of NoiseBench, besides the clean labels
NOISY = SOURCES[-4:]
STRONG = ("expert", "crowdbest", "crowd")
_QUICK = 800  # sentences


@dataclass(frozen=True)
class PoolData:
    """Sentences with the labels of experts; None is a sentence that an expert did not label."""

    words: Sequence[Sequence[str]]
    gold: Labels
    experts: Mapping[str, Sequence[Sequence[str] | None]]
    documents: Sequence[int]

    def __len__(self) -> int:
        return len(self.words)

    def f1(self, labels: Sequence[Sequence[str]], numbers: Sequence[int] | None = None) -> float:
        """Return the F1 of labels on some of the sentences (default: all), in percent."""
        chosen = range(len(self)) if numbers is None else numbers
        return 100 * float(score([self.gold[n] for n in chosen], [list(labels[n]) for n in chosen]).f1)

    def select(self, numbers: Sequence[int]) -> PoolData:
        """Return some of the sentences."""
        return PoolData(
            words=[self.words[n] for n in numbers],
            gold=[self.gold[n] for n in numbers],
            experts={name: [rows[n] for n in numbers] for name, rows in self.experts.items()},
            documents=[self.documents[n] for n in numbers],
        )


def noisebench_corpus(setting: Setting) -> Corpus:
    """Return sentences of NoiseBench with the clean labels, and a column of labels for each source."""
    path = require_file(folder(setting) / "noisebench" / "noisebench.conll.gz")
    corpus: Corpus = read_corpus(path, columns=",".join(("word", "label", *SOURCES)))
    return corpus[:_QUICK] if setting.quick else corpus


def noisebench(setting: Setting, experts: Sequence[str] = NOISY) -> PoolData:
    """Return sentences of NoiseBench with the labels of some sources."""
    corpus = noisebench_corpus(setting)
    documents = document_numbers(corpus)
    if documents is None:
        raise InputError("expected lines -DOCSTART- before the documents", source=corpus.source)
    return PoolData(corpus.words, corpus.labels, {name: corpus.column(name) for name in experts}, documents)


def crowd(setting: Setting, part: str) -> tuple[PoolData, int]:
    """Return the sentences of a part ("val" or "test") with the labels of workers, and the number of those without a worker."""
    path = require_file(folder(setting) / "mturk-conll2003" / f"{part}.jsonl.gz")
    rows: list[dict[str, Any]] = []
    for number, line in enumerate(read_lines(path), 1):
        try:
            rows.append(json.loads(line))
        except json.JSONDecodeError as error:
            raise InputError(f"expected JSON: {error}", source=str(path), line=number) from None
    labelled = [row for row in rows if row["workers"]]
    count = len(rows) - len(labelled)
    if setting.quick:
        labelled = labelled[:_QUICK]
    names = sorted({name for row in labelled for name in row["workers"]})
    numbers = {name: number for number, name in enumerate(dict.fromkeys(row["document"] for row in labelled))}
    data = PoolData(
        words=[row["tokens"] for row in labelled],
        gold=[row["labels"] for row in labelled],
        experts={name: [row["workers"].get(name) for row in labelled] for name in names},
        documents=[numbers[row["document"]] for row in labelled],
    )
    return data, count


@dataclass(frozen=True)
class GoldSample:
    """Numbers of gold sentences and of test sentences."""

    gold: Sequence[int]
    test: Sequence[int]

    def rows(self, data: PoolData) -> list[list[str] | None]:
        """Return the gold labels of the gold sentences, None for all others."""
        chosen = set(self.gold)
        return [row if number in chosen else None for number, row in enumerate(data.gold)]


def draw_gold(data: PoolData, size: int, seed: int, *, by_document: bool) -> GoldSample:
    """Draw gold sentences. By document, the test sentences are those of documents without gold, else all others.

    >>> data = PoolData([["a"]] * 6, [["O"]] * 6, {}, [0, 0, 1, 1, 2, 2])
    >>> sample = draw_gold(data, 3, seed=1, by_document=True)
    >>> len(sample.gold), len(sample.test)
    (3, 2)
    """
    source = random.Random(1000 * size + seed)
    if not by_document:
        gold = set(source.sample(range(len(data)), size))
        return GoldSample(sorted(gold), [number for number in range(len(data)) if number not in gold])
    members: dict[int, list[int]] = {}
    for number, document in enumerate(data.documents):
        members.setdefault(document, []).append(number)
    order = sorted(members)
    source.shuffle(order)
    chosen: list[int] = []
    used = 0
    while len(chosen) < size:
        chosen += members[order[used]]
        used += 1
    test = sorted(number for document in order[used:] for number in members[document])
    return GoldSample(sorted(chosen[:size]), test)
