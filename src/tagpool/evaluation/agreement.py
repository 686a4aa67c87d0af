"""Agreement of annotators: F1 of spans of each pair, Krippendorff's alpha, and the sentences in dispute.

Alpha (Krippendorff 2011) compares the observed disagreement with that of values drawn by chance. The units are tokens, and the
values are nominal. For all types together, the value of a token is the type of its span, or ``O``. For one type, it is whether
the token is in a span of this type. A value is missing if the annotator has not labelled the sentence, or the label is unknown.
Tokens with fewer than two values are left out. Boundaries between adjacent spans of one type have no effect on alpha, but on F1.

F1 of a pair uses the spans of which the other annotator has labelled all tokens. It is the same in both directions. If labels
are not those of spans, such as parts of speech, every token is a span.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from typing import Any

import numpy as np

from tagpool.corpus.schemes import Scheme, Span, detect, spans
from tagpool.corpus.unknown_labels import UNKNOWN
from tagpool.errors import InputError, check_type
from tagpool.evaluation.chunks import FloatArray
from tagpool.evaluation.significance import Interval, draw_sums
from tagpool.wording import counted

Row = Sequence[str | None] | None
_OUTSIDE = "O"


@dataclass(frozen=True)
class PairAgreement:
    """F1 of the spans of two annotators on the ``sentences`` that both have labelled; None if neither has a span."""

    first: str
    second: str
    sentences: int
    f1: float | None
    interval: Interval | None


@dataclass(frozen=True)
class TypeAgreement:
    """Krippendorff's alpha for a type, on ``tokens`` with two values or more; None if all values are the same.

    The type of all types together is ``""``.
    """

    type: str
    tokens: int
    alpha: float | None
    interval: Interval | None


@dataclass(frozen=True)
class DisputedSpan:
    """Span of a sentence that not all of its annotators have: its tokens, its type, and who has it."""

    start: int
    end: int
    type: str
    annotators: tuple[str, ...]


@dataclass(frozen=True)
class Dispute:
    """Number of a sentence, the number of spans that only one of two annotators has (the mean of all pairs), and the spans."""

    sentence: int
    differences: float
    spans: tuple[DisputedSpan, ...]


@dataclass(frozen=True)
class Agreement:
    """Agreement of all pairs, of all types (``overall``) and each, and the sentences in dispute, most disputed first."""

    pairs: tuple[PairAgreement, ...]
    overall: TypeAgreement
    types: tuple[TypeAgreement, ...]
    disputes: tuple[Dispute, ...]


def agreement(labels: Mapping[str, Sequence[Row]], *, draws: int = 1_000, seed: int = 1) -> Agreement:
    """Measure the agreement of annotators.

    Args:
        labels: Labels of each sentence by annotator. A sentence that an annotator has not labelled is None; so is a label that is
            unknown. ``read_expert_labels({"a": "a.jsonl", "b": "b.jsonl"}).labels`` matches the sentences of files.
        draws: Number of bootstrap samples of the sentences, for 95% intervals.
        seed: Seed of the random numbers.

    >>> first = [["B-PER", "I-PER", "O"], ["B-LOC"], ["O", "O"]]
    >>> second = [["B-PER", "I-PER", "O"], ["B-PER"], None]
    >>> result = agreement({"a": first, "b": second})
    >>> result.pairs[0].f1, round(result.overall.alpha, 3), result.disputes[0].sentence
    (0.5, 0.588, 1)
    """
    rows = _checked(labels)
    is_plain = detect([[one for one in row if one is not None] for row in chain.from_iterable(rows.values()) if row]).scheme
    spans_of = {
        name: [None if row is None else _spans(row, is_plain is Scheme.PLAIN) for row in mine] for name, mine in rows.items()
    }
    pairs = [_Pair(first, second, rows, spans_of) for first, second in combinations(rows, 2)]
    pairs = [pair for pair in pairs if pair.sentences]
    if not pairs:
        raise InputError("no two annotators have labelled the same sentence")
    values = _Values(rows, spans_of)
    tables = [pair.table for pair in pairs] + [values.table]
    joined = np.hstack(tables)
    points = joined.sum(axis=0, keepdims=True)
    samples = np.concatenate(list(draw_sums(joined, draws, seed)))
    width = 3 * len(pairs)
    scores = [_f1(points[:, 3 * at : 3 * at + 3]) for at in range(len(pairs))]
    drawn = [_f1(samples[:, 3 * at : 3 * at + 3]) for at in range(len(pairs))]
    alphas, drawn_alphas = values.alphas(points[:, width:]), values.alphas(samples[:, width:])
    measured = [
        TypeAgreement(name, values.tokens, _number(alphas[0, at]), _interval(alphas[0, at], drawn_alphas[:, at]))
        for at, name in enumerate(values.titles)
    ]
    return Agreement(
        tuple(
            PairAgreement(pair.first, pair.second, pair.sentences, _number(score[0]), _interval(score[0], sample))
            for pair, score, sample in zip(pairs, scores, drawn, strict=True)
        ),
        measured[0],
        tuple(measured[1:]),
        _disputes(pairs, rows, spans_of),
    )


def _checked(labels: Mapping[str, Sequence[Row]]) -> dict[str, list[list[str | None] | None]]:
    """Return the labels of at least two annotators for the same tokens; unknown labels are None."""
    check_type(labels, Mapping, "a dict of labels by annotator; write it as {'a': [['B-PER', 'O']], 'b': [['O', 'O']]}")
    if len(labels) < 2:
        raise InputError(f"expected two annotators or more, got {len(labels)}: there is no agreement of one")
    rows = {
        name: [None if row is None else [None if one == UNKNOWN else one for one in row] for row in mine]
        for name, mine in labels.items()
    }
    if len({len(mine) for mine in rows.values()}) > 1:
        sizes = ", ".join(f"{name} {len(mine):,}" for name, mine in rows.items())
        raise InputError(f"the annotators have different numbers of sentences: {sizes}; write None for those without labels")
    for number, sentence in enumerate(zip(*rows.values(), strict=True)):
        lengths = sorted({len(row) for row in sentence if row is not None})
        if len(lengths) > 1:
            got = f"{lengths[0]} and {counted(lengths[1], 'label')}"
            raise InputError(f"sentence {number}: the annotators have {got}; expected one label per token")
    for name, mine in rows.items():
        wrong = next((one for row in mine for one in row or () if one is not None and not isinstance(one, str)), None)
        if wrong is not None:
            raise InputError(f"{name}: expected labels as strings, or None, got {wrong!r}")
    return rows


def _spans(row: Sequence[str | None], plain: bool) -> set[Span]:
    if plain:
        return {Span(at, at + 1, label) for at, label in enumerate(row) if label is not None}
    return set(spans([_OUTSIDE if label is None else label for label in row]))


class _Pair:
    """Two annotators. ``table`` has the spans that both have, those of the first, and those of the second, [S][3]."""

    def __init__(
        self,
        first: str,
        second: str,
        rows: Mapping[str, Sequence[Row]],
        spans_of: Mapping[str, Sequence[set[Span] | None]],
    ) -> None:
        self.first, self.second = first, second
        self.table = np.zeros((len(rows[first]), 3))
        self.common: list[int] = []
        for number, (row, other) in enumerate(zip(rows[first], rows[second], strict=True)):
            mine, theirs = spans_of[first][number], spans_of[second][number]
            if row is None or other is None or mine is None or theirs is None:
                continue
            self.common.append(number)
            mine, theirs = _known(mine, other), _known(theirs, row)
            self.table[number] = len(mine & theirs), len(mine), len(theirs)

    @property
    def sentences(self) -> int:
        return len(self.common)


def _known(spans_of: set[Span], row: Sequence[str | None]) -> set[Span]:
    """Return the spans of which a row has all labels."""
    return {span for span in spans_of if None not in row[span.start : span.end]} if None in row else spans_of


def _f1(sums: FloatArray) -> FloatArray:
    """Return 2·common / (first + second) for sums [N][3]; NaN without spans."""
    with np.errstate(invalid="ignore"):
        result: FloatArray = 2 * sums[:, 0] / (sums[:, 1] + sums[:, 2])
    return result


class _Values:
    """Values of the tokens, summed by sentence.

    ``table`` [S][2C + 1] has for each of C values the number of its occurrences in tokens with two values or more, then the
    disagreements for each value against all others, and those of all values. The disagreements of a token with m values are
    its ordered pairs of different values, each 1 / (m − 1).
    """

    def __init__(self, rows: Mapping[str, Sequence[Row]], spans_of: Mapping[str, Sequence[set[Span] | None]]) -> None:
        lengths = [next((len(row) for row in sentence if row is not None), 0) for sentence in zip(*rows.values(), strict=True)]
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        kinds = sorted({span.type for mine in spans_of.values() for sentence in mine if sentence for span in sentence})
        self.names = [_OUTSIDE, *(kind for kind in kinds if kind != _OUTSIDE)]
        self.titles = ["", *self.names[1:]]
        numbers = {kind: number for number, kind in enumerate(self.names)}
        counts = np.zeros((len(self.names), int(offsets[-1])), dtype=np.int32)
        for name, mine in rows.items():
            for sentence, row in enumerate(mine):
                if row is None:
                    continue
                values = np.array([-1 if label is None else 0 for label in row], dtype=np.int64)
                for span in spans_of[name][sentence] or ():
                    values[span.start : span.end] = numbers[span.type]
                known = np.flatnonzero(values >= 0)
                counts[values[known], offsets[sentence] + known] += 1
        total = counts.sum(axis=0)
        counts[:, total < 2] = 0
        total = np.where(total < 2, 0, total)
        self.tokens = int((total > 0).sum())
        sentence_of = np.repeat(np.arange(len(lengths)), lengths)
        weights = 1 / np.maximum(total - 1, 1)

        def by_sentence(values: FloatArray) -> FloatArray:
            return np.bincount(sentence_of, values, len(lengths)).astype(np.float64)

        columns = [by_sentence(row.astype(np.float64)) for row in counts]
        differing = [by_sentence(2 * row * (total - row) * weights) for row in counts]
        self.table = np.stack([*columns, *differing, np.sum(differing, axis=0) / 2], axis=1)

    def alphas(self, sums: FloatArray) -> FloatArray:
        """Return alpha of all values and of each but ``O`` for sums [N][2C + 1], as [N][C]; NaN where all values are the same."""
        size = len(self.names)
        counts = sums[:, :size]
        n = counts.sum(axis=1, keepdims=True)
        observed = np.hstack([sums[:, 2 * size :], sums[:, size + 1 : 2 * size]])
        by_value = 2 * counts[:, 1:] * (n - counts[:, 1:])
        expected = np.hstack([n**2 - (counts**2).sum(axis=1, keepdims=True), by_value])
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(expected > 0, 1 - (n - 1) * observed / expected, np.nan)


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _interval(value: float, drawn: FloatArray) -> Interval | None:
    """Return the 95% interval of the samples in which the score is defined."""
    defined = drawn[~np.isnan(drawn)]
    if np.isnan(value) or not len(defined):
        return None
    low, high = np.quantile(defined, [0.025, 0.975])
    return Interval(float(low), float(high))


def _disputes(
    pairs: Sequence[_Pair], rows: Mapping[str, Sequence[Row]], spans_of: Mapping[str, Sequence[set[Span] | None]]
) -> tuple[Dispute, ...]:
    size = len(next(iter(rows.values())))
    differences, both = np.zeros(size), np.zeros(size)
    for pair in pairs:
        differences += pair.table @ [-2.0, 1.0, 1.0]
        both[pair.common] += 1
    means = differences / np.maximum(both, 1)
    order = [number for number in np.argsort(-means, kind="stable").tolist() if means[number] > 0]
    return tuple(Dispute(number, float(means[number]), _disputed_spans(number, rows, spans_of)) for number in order)


def _disputed_spans(
    number: int, rows: Mapping[str, Sequence[Row]], spans_of: Mapping[str, Sequence[set[Span] | None]]
) -> tuple[DisputedSpan, ...]:
    """Return the spans that an annotator has not, who has labelled all of their tokens."""
    everything = sorted({span for mine in spans_of.values() for span in mine[number] or ()})
    result = []
    for span in everything:
        having = tuple(name for name, mine in spans_of.items() if span in (mine[number] or ()))
        others = [row[number] for name, row in rows.items() if name not in having]
        if any(row is not None and None not in row[span.start : span.end] for row in others):
            result.append(DisputedSpan(*span, having))
    return tuple(result)


def as_record(result: Agreement) -> dict[str, Any]:
    """Return the figures as JSON values: percentages for F1, and alpha."""
    return {
        "pairs": [
            {
                "first": pair.first,
                "second": pair.second,
                "sentences": pair.sentences,
                "f1": _percent(pair.f1),
                "interval": None if pair.interval is None else [_percent(end) for end in pair.interval],
            }
            for pair in result.pairs
        ],
        "alpha": _type_record(result.overall),
        "types": {one.type: _type_record(one) for one in result.types},
        "disputed": len(result.disputes),
    }


def _percent(value: float | None) -> float | None:
    return None if value is None else 100 * value


def _type_record(one: TypeAgreement) -> dict[str, Any]:
    return {"alpha": one.alpha, "interval": None if one.interval is None else list(one.interval), "tokens": one.tokens}
