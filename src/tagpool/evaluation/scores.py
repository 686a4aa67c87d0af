"""Precision, recall, F1 and accuracy of predicted labels, equal to conlleval's.

All rates are from 0 to 1; 0/0 counts as 0. Error analysis is in ``breakdown``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tagpool.corpus.corpus import Corpus
from tagpool.evaluation.alignment import LabelSequences, align
from tagpool.evaluation.chunks import count_chunks, rates, ratio
from tagpool.evaluation.significance import METRICS, Interval, count_intervals

_SEQEVAL_KEYS = ("precision", "recall", "f1-score", "support")


@dataclass(frozen=True)
class TypeScore:
    """Score of one type of chunks, or of one label if labels are scored by token."""

    precision: float
    recall: float
    f1: float
    gold: int
    predicted: int
    correct: int

    @classmethod
    def of(cls, correct: int, predicted: int, gold: int) -> TypeScore:
        """Return the score of these counts."""
        precision, recall, f1 = (float(rate) for rate in rates(correct, predicted, gold))
        return TypeScore(precision, recall, f1, gold, predicted, correct)


@dataclass(frozen=True)
class Score(TypeScore):
    """Agreement of predicted labels with gold ones; rates are from 0 to 1.

    ``gold``, ``predicted`` and ``correct`` count chunks (or tokens, if ``plain``). ``intervals`` has confidence
    intervals of the rates, if ``draws`` was given.
    """

    accuracy: float
    tokens: int
    sentences: int
    plain: bool
    types: Mapping[str, TypeScore]
    intervals: Mapping[str, Interval] = field(default_factory=dict)

    @property
    def only_accuracy(self) -> bool:
        """Whether every token counts, as for parts of speech: precision, recall and F1 then equal the accuracy."""
        return self.plain and self.gold == self.predicted == self.tokens

    def to_dict(self) -> dict[str, Any]:
        """Return rates, types, tokens, sentences and intervals as a dictionary.

        >>> score([["B-PER"]], [["B-PER"]]).to_dict()["types"]
        {'PER': {'precision': 1.0, 'recall': 1.0, 'f1': 1.0, 'gold': 1, 'predicted': 1, 'correct': 1}}
        """
        return {
            **{rate: getattr(self, rate) for rate in METRICS},
            "types": {kind: dict(vars(one)) for kind, one in self.types.items()},
            "tokens": self.tokens,
            "sentences": self.sentences,
            "intervals": {metric: list(interval) for metric, interval in self.intervals.items()},
        }

    def to_evaluate(self) -> dict[str, Any]:
        """Return the dictionary of the metric seqeval of Hugging Face Evaluate, without that library.

        >>> score([["B-PER", "O"]], [["B-PER", "O"]]).to_evaluate() == {
        ...     "PER": {"precision": 1.0, "recall": 1.0, "f1": 1.0, "number": 1},
        ...     "overall_precision": 1.0, "overall_recall": 1.0, "overall_f1": 1.0, "overall_accuracy": 1.0,
        ... }
        True
        """
        rates = ("precision", "recall", "f1")
        types = {kind: {rate: getattr(one, rate) for rate in rates} | {"number": one.gold} for kind, one in self.types.items()}
        return {**types, **{f"overall_{rate}": getattr(self, rate) for rate in METRICS}}

    def to_seqeval(self) -> dict[str, dict[str, float]]:
        """Return the dictionary of seqeval's ``classification_report(output_dict=True)``, without that library.

        >>> report = score([["B-PER", "B-LOC"]], [["B-PER", "O"]]).to_seqeval()
        >>> report["PER"], report["macro avg"]["f1-score"]
        ({'precision': 1.0, 'recall': 1.0, 'f1-score': 1.0, 'support': 1}, 0.5)
        """
        rows = [(one.precision, one.recall, one.f1, one.gold) for one in self.types.values()]
        count, support = max(len(rows), 1), sum(row[3] for row in rows)
        averages = {
            "micro avg": (self.precision, self.recall, self.f1),
            "macro avg": tuple(sum(row[i] for row in rows) / count for i in range(3)),
            "weighted avg": tuple(sum(row[i] * row[3] for row in rows) / max(support, 1) for i in range(3)),
        }
        named = {**dict(zip(self.types, rows, strict=True)), **{name: (*rates, support) for name, rates in averages.items()}}
        return {name: dict(zip(_SEQEVAL_KEYS, row, strict=True)) for name, row in named.items()}


def score(
    gold: LabelSequences | Corpus,
    predicted: LabelSequences | Corpus,
    *,
    plain: bool | None = None,
    outside: str | None = "O",
    draws: int = 0,
    level: float = 0.95,
    seed: int = 0,
) -> Score:
    """Score predicted label sequences against gold ones, as conlleval does.

    Precision, recall and F1 are over chunks: a predicted chunk is correct if its first token, its last token and its type are.
    Invalid sequences are read as conlleval reads them. Accuracy is over tokens, ``O`` included.

    Plain labels, such as parts of speech, are scored by token: every token is a chunk whose type is its label, except tokens
    labelled ``outside``, as with conlleval -r. Without such a label (or if ``outside`` is None), precision, recall and F1 are
    micro-averages equal to the accuracy, and ``types`` has the scores of each label. ``plain`` forces this (True) or forbids it
    (False); by default the labels decide.

    ``draws`` greater than 0 adds bootstrap intervals (10,000 is usual) at ``level``, with ``seed``.

    >>> result = score([["B-PER", "I-PER", "O", "B-LOC"]], [["B-PER", "I-PER", "O", "B-PER"]])
    >>> result.f1, result.accuracy, result.types["PER"].precision
    (0.5, 0.75, 0.5)
    >>> score([["DT", "NN"]], [["DT", "VB"]]).accuracy
    0.5
    """
    alignment = align(gold, predicted)
    if plain is None:
        plain = alignment.plain
    counts = count_chunks(alignment, plain=plain, outside=outside)
    return Score(
        **vars(TypeScore.of(len(counts.correct), len(counts.predicted), len(counts.gold))),
        accuracy=float(ratio(alignment.right.sum(), alignment.tokens)),
        tokens=alignment.tokens,
        sentences=alignment.sentences,
        plain=plain,
        types={kind: TypeScore.of(*row) for kind, row in sorted(zip(counts.types, counts.by_type().tolist(), strict=True))},
        intervals=count_intervals(counts, draws=draws, level=level, seed=seed) if draws else {},
    )
