"""SentenceLabels: the labels of a sentence with probabilities, from a tagger or a pool."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tagpool.chain.lattice import Lattice
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.schemes import Scheme, Span, spans
from tagpool.pools.stacked.confidence import span_probabilities
from tagpool.pools.votes.calibration import Calibration


class SentenceLabels(NamedTuple):
    """Labels and spans of a sentence; probabilities are None if the model has none."""

    labels: list[str]
    spans: list[Span]
    probabilities: list[float] | None = None
    span_probabilities: list[float] | None = None


@dataclass(frozen=True)
class Calibrations:
    """Calibrations of the probabilities of tokens and of spans; None where the probabilities stay as they are."""

    tokens: Calibration | None = None
    spans: Calibration | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the knots as lists."""
        parts = {"tokens": self.tokens, "spans": self.spans}
        return {name: [part.confidence.tolist(), part.rates.tolist()] for name, part in parts.items() if part is not None}

    @classmethod
    def from_dict(cls, knots: dict[str, Any]) -> Calibrations:
        """Return the calibrations of :meth:`to_dict`."""
        return cls(**{name: Calibration(*(np.array(values, np.float64) for values in both)) for name, both in knots.items()})

    def apply(self, one: SentenceLabels) -> SentenceLabels:
        """Return a sentence with calibrated probabilities."""
        return one._replace(
            probabilities=_calibrated(self.tokens, one.probabilities),
            span_probabilities=_calibrated(self.spans, one.span_probabilities),
        )


def _calibrated(calibration: Calibration | None, values: list[float] | None) -> list[float] | None:
    if calibration is None or values is None:
        return values
    rates: list[float] = calibration(np.array(values, np.float64)).tolist()
    return rates


def label_corpus(model: Any, corpus: Corpus) -> list[SentenceLabels]:
    """Label a corpus with a tagger; the probabilities are those of the model.

    >>> from tagpool import CRF
    >>> crf = CRF("word[0]").fit(Corpus.from_lists(word=[["Ann", "left"]], label=[["B-PER", "O"]]))
    >>> label_corpus(crf, Corpus.from_lists(word=[["Ann"]]))[0].spans
    [Span(start=0, end=1, type='PER')]
    """
    if not len(corpus):
        return []
    rows = model.predict(corpus)
    if not model.has_probabilities:
        return [SentenceLabels(row, spans(row)) for row in rows]
    return with_probabilities(rows, model.lattices(corpus), model.labels_)


def with_probabilities(rows: Sequence[list[str]], lattices: Sequence[Lattice], names: Sequence[str]) -> list[SentenceLabels]:
    """Return labels with the probabilities of lattices; label i of a lattice is ``names[i]``."""
    rules = Scheme.BIO2.constraints(names)  # the spans are those of conlleval in every scheme
    numbers = {name: number for number, name in enumerate(names)}
    results = []
    for row, lattice in zip(rows, lattices, strict=True):
        chosen = lattice.marginals()[np.arange(len(row)), [numbers[label] for label in row]]
        pairs = span_probabilities(lattice, row, rules)
        results.append(SentenceLabels(row, [span for span, _ in pairs], chosen.tolist(), [value for _, value in pairs]))
    return results
