"""Labels as numbers, and the counts of their spans, without NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from tagpool import _native
from tagpool.corpus.schemes import is_plain
from tagpool.corpus.transitions import LabelParts, label_parts


class SpanCounts(NamedTuple):
    """Numbers of correct, predicted and gold spans."""

    correct: int
    predicted: int
    gold: int

    @property
    def f1(self) -> float:
        """F1 from 0 to 1; 0/0 counts as 0, as in conlleval.

        >>> SpanCounts(1, 2, 4).f1
        0.3333333333333333
        """
        both = self.predicted + self.gold
        return 2 * self.correct / both if both else 0.0


def count_spans(labels: Sequence[str], gold: Any, predicted: Any, bounds: Any) -> SpanCounts:
    """Count the spans of label numbers, or the tokens of plain labels: as :func:`tagpool.evaluation.chunks.count_chunks`.

    ``gold`` and ``predicted`` have the number of each token's label; ``bounds`` the first token of each sentence, and the end.

    >>> from array import array
    >>> gold, predicted, bounds = array("i", [0, 1, 2]), array("i", [0, 1, 0]), array("I", [0, 3])
    >>> count_spans(["B-PER", "O", "B-LOC"], gold, predicted, bounds)
    SpanCounts(correct=1, predicted=2, gold=2)
    """
    counts = zip(*(_native.count_labels(numbers, len(labels)) for numbers in (gold, predicted)), strict=True)
    plain = is_plain(dict(zip(labels, map(sum, counts), strict=True)))
    _, *tables = number_spans(read_labels(labels, plain, "O"))
    return SpanCounts(*_native.count_spans(gold, predicted, bounds, *tables))


def read_labels(labels: Sequence[str], plain: bool, outside: str | None) -> list[LabelParts]:
    """Return the parts of each label. A plain label is a span of one token, whose type is the label."""
    if plain:
        return [LabelParts("O" if label == outside else "S", label, "") for label in labels]
    return [label_parts(label) for label in labels]


def number_spans(parts: Sequence[LabelParts]) -> tuple[tuple[str, ...], list[int], list[int], list[int]]:
    """Return the types of spans, and three numbers of each label.

    The numbers are its type (-1: outside), its type if a span may continue after it (else -1), and its type if it may continue a
    span (else -2).

    >>> number_spans([label_parts("O"), label_parts("B-X"), label_parts("E-X")])
    (('X',), [-1, 0, 0], [-1, 0, -1], [-2, -2, 0])
    """
    types = tuple(dict.fromkeys(part.type for part in parts if part.role != "O"))
    number = {kind: index for index, kind in enumerate(types)}
    return (
        types,
        [number[part.type] if part.role != "O" else -1 for part in parts],
        [number[part.type] if part.role in "BI" else -1 for part in parts],
        [number[part.type] if part.role in "IE" else -2 for part in parts],
    )
