"""Scores of partial matches: the four schemes of SemEval-2013, task 9.1 (Segura-Bedmar et al. 2013).

===========  ================================================  ========================
scheme       correct                                           half correct
===========  ================================================  ========================
``strict``   same ends and type (the F1 of :func:`score`)
``exact``    same ends, any type
``partial``  same ends, any type                               overlap, any type
``type``     overlap, same type
===========  ================================================  ========================

A gold span is matched with at most one predicted span (:mod:`tagpool.evaluation.error_kinds`), so that the order of the spans
has no effect.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from tagpool.corpus.corpus import Corpus
from tagpool.errors import InputError
from tagpool.evaluation.alignment import LabelSequences, align
from tagpool.evaluation.chunks import count_chunks, rates
from tagpool.evaluation.error_kinds import errors_of_spans

# Kinds of errors whose spans overlap, by scheme: those that count as correct, and those that count as half correct.
_SCHEMES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "strict": ((), ()),
    "exact": (("type",), ()),
    "partial": (("type",), ("boundary", "both")),
    "type": (("boundary",), ()),
}
_OVERLAPPING = ("type", "boundary", "both")


@dataclass(frozen=True)
class PartialScore:
    """Score of one scheme: rates from 0 to 1, and counts of spans.

    ``missed`` gold spans and ``spurious`` predicted ones have no match. A ``partial`` match is half correct.
    """

    precision: float
    recall: float
    f1: float
    correct: int
    partial: int
    incorrect: int
    missed: int
    spurious: int


def partial_scores(gold: LabelSequences | Corpus, predicted: LabelSequences | Corpus) -> dict[str, PartialScore]:
    """Score spans by the four schemes of SemEval-2013: ``strict``, ``exact``, ``partial`` and ``type``.

    Args:
        gold: Gold labels of each sentence, or a corpus.
        predicted: Predicted labels of the same sentences.

    >>> scores = partial_scores([["B-PER", "I-PER", "O", "B-LOC"]], [["B-PER", "O", "O", "B-ORG"]])
    >>> {scheme: score.f1 for scheme, score in scores.items()}
    {'strict': 0.0, 'exact': 0.5, 'partial': 0.75, 'type': 0.5}
    """
    alignment = align(gold, predicted)
    if alignment.plain and len(alignment.labels) > 1:
        raise InputError("partial matches need spans such as B-PER, I-PER and O; these labels are plain")
    counts = count_chunks(alignment, plain=False)
    kinds = Counter(error.kind for error in errors_of_spans(alignment))
    return {scheme: _score(len(counts.correct), kinds, *parts) for scheme, parts in _SCHEMES.items()}


def _score(same: int, kinds: Counter[str], correct_kinds: tuple[str, ...], half_kinds: tuple[str, ...]) -> PartialScore:
    correct = same + sum(kinds[kind] for kind in correct_kinds)
    partial = sum(kinds[kind] for kind in half_kinds)
    matched = same + sum(kinds[kind] for kind in _OVERLAPPING)
    missed, spurious = kinds["missed"], kinds["spurious"]
    precision, recall, f1 = (float(rate) for rate in rates(correct + partial / 2, matched + spurious, matched + missed))
    return PartialScore(precision, recall, f1, correct, partial, matched - correct - partial, missed, spurious)
