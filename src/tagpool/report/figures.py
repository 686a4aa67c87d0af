"""Figures of a system: scores with intervals, scores of groups of spans, error counts, calibration and coverage.

All rates are from 0 to 1. Every figure is a number, a text, a list or a dictionary, so that JSON and HTML show the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tagpool.corpus.corpus import Corpus
from tagpool.evaluation.alignment import Alignment, IntArray, align
from tagpool.evaluation.breakdown import vocabulary_breakdown, vocabulary_of
from tagpool.evaluation.chunks import ChunkCounts, Chunks, count_chunks
from tagpool.evaluation.error_kinds import KINDS, SpanError, find_errors
from tagpool.evaluation.scores import Score, TypeScore, score
from tagpool.evaluation.significance import mcnemar, paired_bootstrap
from tagpool.pools.stacked.confidence import calibration_error
from tagpool.report.systems import System
from tagpool.views.sentence import spans_of
from tagpool.wording import counted

_LENGTHS = (1, 2, 3, 4, 5)  # tokens; the last group is open
_FREQUENCIES = (0, 1, 2, 5, 20)  # first number of each group; the last group is open
_BINS = 10  # of the calibration plot, as in calibration_error
_POINTS = 40  # of the plot of precision against coverage
_CELLS = 12  # rows of the confusion matrix
NOTHING = "(none)"
"""Row and column of the confusion matrix for spans without a partner."""

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Draws:
    """Number and seed of the bootstrap draws."""

    count: int = 10_000
    seed: int = 1


class Evaluation:
    """A system compared with the gold labels of a corpus."""

    def __init__(self, corpus: Corpus, system: System, *, plain: bool, draws: Draws) -> None:
        self.corpus, self.system, self.plain, self.draws = corpus, system, plain, draws
        self.gold = corpus.labels
        self.words = corpus.words
        self.alignment: Alignment = align(self.gold, system.labels)
        self.counts: ChunkCounts = count_chunks(self.alignment, plain=plain)
        self.score: Score = score(self.gold, system.labels, plain=plain, draws=draws.count, seed=draws.seed)
        self.errors: dict[int, list[SpanError]] = self._find_errors()

    def _find_errors(self) -> dict[int, list[SpanError]]:
        """Return the errors of every sentence that has some."""
        errors = {}
        for number, (gold, predicted) in enumerate(zip(self.gold, self.system.labels, strict=True)):
            if gold != predicted:
                both = (spans_of(row, plain=self.plain) for row in (gold, predicted))
                if rows := find_errors(*both):
                    errors[number] = rows
        return errors

    # Groups of spans ----------------------------------------------------------------------------------------------------

    def by_length(self) -> list[dict[str, Any]]:
        """Return the scores of spans by their number of tokens."""
        names = [counted(length, "token") for length in _LENGTHS[:-1]] + [f"{_LENGTHS[-1]} tokens or more"]
        return self._groups(names, lambda chunks: np.minimum(chunks.ends - chunks.starts, _LENGTHS[-1]) - 1)

    def by_frequency(self, train: Corpus) -> list[dict[str, Any]]:
        """Return the scores of spans by the number of times that their text is a span of the training data."""
        seen = Counter(_span_texts(train.words, train.labels, self.plain))
        flat = list(chain.from_iterable(self.words))

        def group(chunks: Chunks) -> IntArray:
            texts = (" ".join(flat[start:end]) for start, end in zip(chunks.starts.tolist(), chunks.ends.tolist(), strict=True))
            counts = np.fromiter((seen[text] for text in texts), np.int64, len(chunks))
            return np.searchsorted(_FREQUENCIES, counts, side="right") - 1

        return self._groups(["never", "once", "2 to 4 times", "5 to 19 times", "20 times or more"], group)

    def _groups(self, names: Sequence[str], group_of: Callable[[Chunks], IntArray]) -> list[dict[str, Any]]:
        sides = (self.counts.correct, self.counts.predicted, self.counts.gold)
        table = zip(*(np.bincount(group_of(chunks), minlength=len(names)).tolist() for chunks in sides), strict=True)
        rows = [{"name": name, **vars(TypeScore.of(*row))} for name, row in zip(names, table, strict=True)]
        return [row for row in rows if row["gold"] or row["predicted"]]

    def by_type(self) -> list[dict[str, Any]]:
        """Return the scores of each type."""
        return [{"name": kind, **vars(one)} for kind, one in self.score.types.items()]

    def by_vocabulary(self, train: Corpus) -> list[dict[str, Any]]:
        """Return the token scores of words that the training data has, and of the others."""
        words = vocabulary_of(train.words)
        parts = vocabulary_breakdown(self.words, self.gold, self.system.labels, words, plain=self.plain)
        both = (("known words", parts.in_vocabulary), ("unknown words", parts.out_of_vocabulary))
        return [{"name": name, **vars(part)} for name, part in both]

    # Errors -------------------------------------------------------------------------------------------------------------

    def error_counts(self) -> dict[str, int]:
        """Return the number of errors of each kind."""
        counts = Counter(error.kind for rows in self.errors.values() for error in rows)
        return {kind: counts[kind] for kind in KINDS}

    def confusion(self) -> dict[str, Any]:
        """Return gold types (rows) by predicted types, with spans without a partner; only types with most errors if many."""
        cells: Counter[tuple[str, str]] = Counter()
        types = self.counts.types
        for number, count in enumerate(np.bincount(self.counts.correct.types, minlength=len(types)).tolist()):
            cells[types[number], types[number]] += count
        for error in chain.from_iterable(self.errors.values()):
            pair = [NOTHING if span is None else span.type for span in (error.gold, error.predicted)]
            cells[pair[0], pair[1]] += 1
        wrong: Counter[str] = Counter()
        for (gold, predicted), count in cells.items():
            for kind in {gold, predicted}:
                wrong[kind] += count if gold != predicted else 0
        chosen = sorted((kind for kind in types), key=lambda kind: (-wrong[kind], kind))[:_CELLS]
        names = [*sorted(chosen), *([NOTHING] if wrong[NOTHING] else [])]
        counts = [[cells[row, column] for column in names] for row in names]
        return {"types": names, "counts": counts, "left_out": len(types) - len(chosen)}

    # Confidence ---------------------------------------------------------------------------------------------------------

    def confidences(self) -> tuple[FloatArray, NDArray[np.bool_]] | None:
        """Return the confidence of each predicted span and whether it is correct; None without probabilities."""
        if self.system.probabilities is None or not len(self.counts.predicted):
            return None
        flat = np.fromiter(chain.from_iterable(self.system.probabilities), np.float64, self.alignment.tokens)
        spans, right = self.counts.predicted, self.counts.correct
        ends = np.stack([spans.starts, np.minimum(spans.ends, len(flat) - 1)], axis=1).ravel()
        # Pairs of start and end; every second result is the minimum of a span, the others lie between spans.
        least = np.minimum.reduceat(flat, ends)[::2]
        last = spans.ends == len(flat)  # reduceat cannot end after the last token
        least = np.where(last, np.minimum(least, flat[-1]), least)
        return least, np.isin(spans.starts, right.starts)

    def calibration(self) -> dict[str, Any] | None:
        """Return the expected calibration error (ECE), and confidence and precision of ten bins; None without probabilities."""
        values = self.confidences()
        if values is None:
            return None
        confidence, correct = values
        bins = np.minimum((confidence * _BINS).astype(int), _BINS - 1)
        rows = []
        for number in np.unique(bins).tolist():
            inside = bins == number
            rows.append([float(confidence[inside].mean()), float(correct[inside].mean()), int(inside.sum())])
        return {"ece": calibration_error(confidence, correct), "bins": rows}

    def coverage(self) -> list[list[float]] | None:
        """Return the precision of the most confident spans: rows of the lowest confidence, the share of spans, the precision."""
        values = self.confidences()
        if values is None:
            return None
        order = np.argsort(-values[0], kind="stable")
        confidence, right = values[0][order], np.cumsum(values[1][order])
        # Only the last span of equal confidence is a threshold.
        ends = np.flatnonzero(np.append(np.diff(confidence) != 0, True)) + 1
        chosen = ends[np.unique(np.linspace(0, len(ends) - 1, _POINTS).astype(int))]
        return [[float(confidence[end - 1]), end / len(order), float(right[end - 1] / end)] for end in chosen.tolist()]

    def to_dict(self, train: Corpus | None) -> dict[str, Any]:
        """Return all figures; ``train`` adds those by frequency and known words."""
        figures: dict[str, Any] = {"name": self.system.name, "score": self.score.to_dict(), "types": self.by_type()}
        figures["score"].pop("types")
        figures["score"] |= {"gold": self.score.gold, "predicted": self.score.predicted, "correct": self.score.correct}
        if not self.plain:
            figures["lengths"] = self.by_length()
        if train is not None:
            figures["words"] = self.by_vocabulary(train)
            figures["frequencies"] = self.by_frequency(train)
        figures |= {"errors": self.error_counts(), "sentences_with_errors": len(self.errors), "confusion": self.confusion()}
        figures |= {"calibration": self.calibration(), "coverage": self.coverage(), "abstained": self.system.abstained}
        return figures


def compare(first: Evaluation, other: Evaluation) -> dict[str, Any]:
    """Return the difference first − other of the F1, with its interval and p value, and the tokens that only one has right.

    Labels without spans and without an outside label are compared by accuracy, which equals their F1.
    """
    gold, labels = first.gold, first.system.labels
    options = {"draws": first.draws.count, "seed": first.draws.seed, "plain": first.plain}
    bootstrap = paired_bootstrap(gold, other.system.labels, labels, **options)  # type: ignore[arg-type]
    tokens = mcnemar(gold, other.system.labels, labels)
    return {
        "name": other.system.name,
        "difference": bootstrap.difference,
        "interval": list(bootstrap.interval),
        "p_value": bootstrap.p_value,
        "tokens_right_only_here": tokens.second_only,
        "tokens_right_only_there": tokens.first_only,
        "p_value_tokens": tokens.p_value,
    }


def _span_texts(words: Sequence[Sequence[str]], labels: Sequence[Sequence[str]], plain: bool) -> list[str]:
    alignment = align(labels, labels)
    chunks = count_chunks(alignment, plain=plain).gold
    flat = list(chain.from_iterable(words))
    return [" ".join(flat[start:end]) for start, end in zip(chunks.starts.tolist(), chunks.ends.tolist(), strict=True)]
