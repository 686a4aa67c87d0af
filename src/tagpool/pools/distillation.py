"""Distillation: one ordinary tagger that learns from the labels of a pool, and needs no expert at run time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from tagpool.chain.lattice import Lattice
from tagpool.corpus.corpus import Corpus
from tagpool.errors import InputError
from tagpool.experts.linear.crf import CRF
from tagpool.experts.tagger import Tagger
from tagpool.pools.stacked.pool import Confidence
from tagpool.pools.unsupervised.pool import word_rows
from tagpool.pools.votes.ballots import LabelRows, Predictions
from tagpool.wording import counted

Weighted = list[tuple[list[str | None], float]]  # label sequences of a sentence with their weights
_SHARPNESS = 2.0  # exponent of the probabilities: the errors of a pool are less certain than its correct labels


def distill(
    pool: Any,
    predictions: Predictions,
    words: Corpus | Iterable[Iterable[str]],
    *,
    gold: LabelRows | None = None,
    tagger: Tagger | None = None,
    samples: int = 8,
    gold_weight: float = 3.0,
    confidence: Confidence | None = None,
) -> Tagger:
    """Train a tagger on the words and the soft labels of a pool.

    Label sequences are drawn from the probabilities of the pool, and each counts by its frequency. So the tagger learns from the
    expected statistics of the features, not only from the best sequence.

    Args:
        pool: A fitted StackedPool or UnsupervisedPool.
        predictions: The labels of the experts for the sentences.
        words: The words of the sentences.
        gold: The gold labels of each sentence, None for sentences without.
        tagger: The tagger to train (default: a CRF with default features).
        samples: Label sequences that are drawn for each sentence; 0 takes the best sequence.
        gold_weight: The weight of a gold sentence; that of another sentence is 1.
        confidence: The confidence of experts in their labels, by name.

    >>> from tagpool import UnsupervisedPool, builtin_corpus
    >>> corpus = builtin_corpus(200)
    >>> experts = {"a": corpus.labels, "b": corpus.labels, "c": [["O"] * len(row) for row in corpus.labels]}
    >>> pool = UnsupervisedPool("dawid-skene").fit(experts)
    >>> distill(pool, experts, corpus).score(corpus) > 0.9
    True
    """
    if samples < 0 or gold_weight <= 0:
        raise InputError(f"expected samples of at least 0 and a positive gold_weight, got {samples} and {gold_weight}")
    if not hasattr(pool, "lattices"):
        raise InputError(f"a {type(pool).__name__} has no probabilities; use a StackedPool or an UnsupervisedPool")
    rows = word_rows(words) or ()
    gold_rows = _gold_rows(gold, rows)
    sentences: list[Sequence[str]] = []
    labels: list[list[str | None]] = []
    weights: list[float] = []
    names = pool.labels_
    for number, lattice in enumerate(pool.lattices(predictions, words=rows, confidence=confidence)):
        if not rows[number]:
            continue
        known = gold_rows[number]
        targets: Weighted = [(known, gold_weight)]
        if not any(label is not None for label in known or ()):
            targets = _targets(names, _sharpened(lattice), samples, number)
        for row, weight in targets:
            sentences.append(rows[number])
            labels.append(row)
            weights.append(weight)
    if not sentences:
        raise InputError("there is no sentence with words: there is nothing to learn from")
    tagger = CRF() if tagger is None else tagger
    return tagger.fit(sentences, labels, sample_weight=weights)


def _gold_rows(gold: LabelRows | None, rows: Sequence[Sequence[str]]) -> list[Any]:
    """Return the gold labels as lists; raise an InputError if they do not fit the words."""
    gold_rows: list[Any] = [None] * len(rows) if gold is None else [None if row is None else list(row) for row in gold]
    if len(gold_rows) != len(rows):
        raise InputError(f"expected gold labels or None for {counted(len(rows), 'sentence')}, got {len(gold_rows)}")
    for number, (sentence, known) in enumerate(zip(rows, gold_rows, strict=True), 1):
        if known is not None and len(known) != len(sentence):
            raise InputError(
                f"expected {counted(len(sentence), 'label')}, one for each word, got {len(known)}",
                source=f"gold, sentence {number}",
            )
    return gold_rows


def _sharpened(lattice: Lattice) -> Lattice:
    return Lattice(*(_SHARPNESS * part for part in (lattice.nodes, lattice.edges, lattice.start, lattice.end)))


def _targets(names: Sequence[str], lattice: Lattice, samples: int, seed: int) -> Weighted:
    """Return label sequences of a sentence, with weights that sum to 1."""
    if not samples:
        return [([names[number] for number in lattice.best().labels.tolist()], 1.0)]
    counts = Counter(map(tuple, lattice.sample(samples, seed=seed).tolist()))
    return [([names[number] for number in row], count / samples) for row, count in counts.items()]
