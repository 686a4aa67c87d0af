"""Measures of a text that need no gold labels: a table with sums for each sentence, and the shares and means of any sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from tagpool.auditing.known_words import KnownWords, unknown_words
from tagpool.auditing.labellers import Labeller
from tagpool.auditing.resampling import Array, sentence_lengths
from tagpool.auditing.unweighted import count_unweighted
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.schemes import is_plain, spans
from tagpool.corpus.transitions import label_parts
from tagpool.errors import InputError

TOKENS, UNKNOWN, FEATURES, MISSING, SCORED, SURE, SPANS, SPANS_SURE = range(8)
FIRST_KIND = 8
"""The first column of the kinds of labels."""
_KINDS = 100  # with columns of their own; the rarer ones share one
OTHER = "(other)"


@dataclass(frozen=True)
class Measure:
    """A share or a mean of a text: the sum of one column by that of another; a change of ``sign`` is the worse one."""

    name: str
    numerator: int
    denominator: int
    sign: int
    absent: str  # reason why a tagger or a reference does not have it
    advice: str

    def values(self, sums: Array) -> Array:
        """Return the measure of texts with these sums [..., columns]; NaN if the denominator is 0."""
        bottom = sums[..., self.denominator]
        return np.asarray(np.divide(sums[..., self.numerator], bottom, out=np.full(bottom.shape, np.nan), where=bottom > 0))


UNKNOWN_WORDS = Measure(
    name="unknown words",
    numerator=UNKNOWN,
    denominator=TOKENS,
    sign=1,
    absent="no words",
    advice="new words: label some of this text and train with it, or use clusters or lists that have its words",
)
UNWEIGHTED = Measure(
    name="features without weight",
    numerator=MISSING,
    denominator=FEATURES,
    sign=1,
    absent="the tagger does not say which features have weights",
    advice="the model meets few features that it has learned: label some of this text and train with it",
)
CONFIDENCE = Measure(
    name="confidence per token",
    numerator=SURE,
    denominator=SCORED,
    sign=-1,
    absent="the tagger has no probabilities",
    advice="the labels are less certain: score a labelled sample of this text",
)
SPAN_CONFIDENCE = Measure(
    name="confidence per span",
    numerator=SPANS_SURE,
    denominator=SPANS,
    sign=-1,
    absent="no probabilities, or no spans in the reference",
    advice="the spans are less certain: check a sample of them before they are used",
)
LABELS = "labels"
LABELS_ADVICE = "other labels than usual: the text differs, or the tagger misses or adds spans; check a sample"
RATIOS = (UNKNOWN_WORDS, UNWEIGHTED, CONFIDENCE, SPAN_CONFIDENCE)


class TextMeasures:
    """Computes the tables of texts for a tagger. ``kinds`` are those of the labels of the reference, and one for others."""

    def __init__(self, labeller: Labeller, known: KnownWords | None, reference: Corpus, *, features: bool) -> None:
        self.labeller, self.known, self.features = labeller, known, features
        labels = labeller.labels(reference)
        counts = Counter(chain.from_iterable(labels))
        self.plain = is_plain(counts)
        kinds: Counter[str] = Counter()
        for label, count in counts.items():
            kinds[self._kind(label)] += count
        self.kinds = [*(kind for kind, _ in kinds.most_common(_KINDS)), OTHER]
        self._numbers = {kind: number for number, kind in enumerate(self.kinds[:-1])}
        self.reference = self._table(reference, labels)

    def table(self, corpus: Corpus) -> Array:
        """Return the table [sentences][columns] of a text."""
        return self._table(corpus, self.labeller.labels(corpus))

    def shares(self, sums: Array) -> Array:
        """Return the share of each kind of labels [..., kinds]."""
        return np.asarray(sums[..., FIRST_KIND:] / sums[..., TOKENS, None])

    def _kind(self, label: str) -> str:
        return label if self.plain else (label_parts(label).type or label_parts(label).role)

    def _table(self, corpus: Corpus, labels: Sequence[Sequence[str]]) -> Array:
        lengths = sentence_lengths(corpus)
        table = np.zeros((len(corpus), FIRST_KIND + len(self.kinds)))
        sentence = np.repeat(np.arange(len(corpus)), lengths)
        table[:, TOKENS] = lengths
        if self.known is not None:
            table[:, UNKNOWN] = np.bincount(sentence, unknown_words(corpus, self.known), len(corpus))
        if self.features and self.labeller.model is not None:
            table[:, MISSING], table[:, FEATURES] = count_unweighted(self.labeller.model, corpus)
        kinds = {label: self._numbers.get(self._kind(label), len(self.kinds) - 1) for row in labels for label in row}
        numbers = np.array([FIRST_KIND + kinds[label] for row in labels for label in row], np.int64)
        np.add.at(table, (sentence, numbers), 1)
        if self.labeller.has_confidence:
            self._add_confidence(table, corpus, labels, sentence)
        return table

    def _add_confidence(self, table: Array, corpus: Corpus, labels: Sequence[Sequence[str]], sentence: NDArray[np.int64]) -> None:
        confidences = self.labeller.confidences(corpus)
        values = np.array([*chain.from_iterable(confidences)], np.float64)
        if not np.isfinite(values).all():
            raise InputError("the probabilities of the tagger are not finite; train it again", source=self.labeller.name)
        table[:, SCORED] = table[:, TOKENS]
        table[:, SURE] = np.bincount(sentence, values, len(table))
        if self.plain:
            return
        for number, (row, sure) in enumerate(zip(labels, confidences, strict=True)):
            for span in spans(row):
                table[number, SPANS] += 1
                table[number, SPANS_SURE] += min(sure[span.start : span.end])
