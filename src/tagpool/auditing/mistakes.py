"""Likely annotation errors: spans on which a corpus and taggers that were trained without them disagree.

A tagger labels the sentences of one fold after training on the others. Its spans are matched with the annotated ones. The score
of a disagreement is the probability of the proposed labels minus that of the annotated ones, both for the tokens of the two
spans. Disagreements about the same tokens are one row.

Scores of different directions are not comparable. Where annotations are inconsistent, a tagger gives each span a low probability:
many missed spans make it doubt the spans that were annotated. Whether annotators missed spans or added too many does not follow
from the labels. So the list takes spans that were missed, spans that are spurious, and spans with another type or other ends in
turn, each ordered by score. Rows where the tagger is not sure (scores below 0.5) are after all others.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import numpy as np

from tagpool.chain.stretches import Stretches
from tagpool.corpus.constraints import SchemeConstraints
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.schemes import Scheme, Span, detect, spans
from tagpool.corpus.splitting import draw_order, separate
from tagpool.errors import InputError, MemoryFor, check_type
from tagpool.evaluation.error_kinds import find_errors
from tagpool.experts.linear.crf import CRF
from tagpool.experts.sequence_tagger import SequenceTagger
from tagpool.experts.tasks import iterate_tasks
from tagpool.views.sentence import spans_of

MISTAKE_KINDS = {
    "missed": "the tagger proposes a span where none is annotated",
    "spurious": "the tagger proposes no span where one is annotated",
    "boundary": "same type, other ends",
    "type": "same ends, other type",
    "both": "overlap with other ends and another type",
}
"""Kinds of likely annotation errors with their meaning."""

_TURNS = (("missed",), ("spurious",), ("type", "boundary", "both"))
_SURE = 0.5
OnFold = Callable[[int, int], object]


@dataclass(frozen=True)
class Mistake:
    """A likely annotation error: the ``annotated`` span, and the ``proposed`` one; one of them may be missing.

    ``sentence`` is the number of the sentence in the corpus, from 0 on. ``kind`` is a key of ``MISTAKE_KINDS``. ``score``, from
    -1 to 1, is the probability of the proposed labels minus that of the annotated ones.
    """

    sentence: int
    kind: str
    annotated: Span | None
    proposed: Span | None
    score: float

    @property
    def start(self) -> int:
        """The first token of both spans."""
        return min(span.start for span in (self.annotated, self.proposed) if span is not None)

    @property
    def end(self) -> int:
        """The token after both spans."""
        return max(span.end for span in (self.annotated, self.proposed) if span is not None)


@MemoryFor("find mistakes")
def find_mistakes(
    corpus: Corpus,
    tagger: SequenceTagger | None = None,
    *,
    folds: int = 5,
    seed: int = 1,
    kinds: Collection[str] = (),
    on_fold: OnFold = lambda done, total: None,
) -> list[Mistake]:
    """Return likely annotation errors of a corpus, one for each suspicious span, the most likely first.

    Folds consist of documents, if there are as many; otherwise of sentences, equal ones in the same fold.

    Args:
        corpus: Sentences with labels.
        tagger: The tagger whose copies are trained; it must have probabilities (default: ``CRF()``).
        folds: Number of parts of the cross-validation.
        seed: Seed of the folds.
        kinds: Keep only these kinds: "missed", "spurious", "boundary", "type", "both" (default: all).
        on_fold: Called with the number of finished folds and of all folds.

    >>> from tagpool import builtin_corpus
    >>> corpus = builtin_corpus(200)
    >>> labels = corpus.labels
    >>> labels[0] = ["O"] * len(labels[0])  # a sentence without its annotation
    >>> first = find_mistakes(corpus.with_labels(labels))[0]
    >>> first.kind, first.sentence, corpus[0].words[first.start : first.end]
    ('missed', 0, ['Kingston'])
    """
    check_type(corpus, Corpus, "a Corpus; make one with read_corpus(path) or Corpus.from_lists(word=..., label=...)")
    corpus.require_labels()
    tagger = CRF(seed=seed) if tagger is None else tagger
    _check(tagger, kinds)
    parts = list(fold_numbers(corpus, folds, seed=seed))
    scheme = detect(corpus.labels).scheme
    tasks = [_Fold(tagger, corpus, scheme, train, test) for train, test in parts]
    mistakes: list[Mistake] = []
    on_fold(0, len(tasks))
    for done, part in enumerate(iterate_tasks(_judge, tasks), 1):
        mistakes += part
        on_fold(done, len(tasks))
    return rank([one for one in mistakes if not kinds or one.kind in kinds])


def _check(tagger: Any, kinds: Collection[str]) -> None:
    if not isinstance(tagger, SequenceTagger):
        raise InputError(f"expected a tagger of tagpool, got {type(tagger).__name__}")
    if not tagger.has_probabilities:
        raise InputError(f"{type(tagger).__name__} has no probabilities, which rank mistakes; use a CRF or MaxEnt")
    if isinstance(kinds, str) or not set(kinds) <= set(MISTAKE_KINDS):
        raise InputError(f"kinds={kinds!r}: expected a list of {', '.join(MISTAKE_KINDS)}")


def fold_numbers(corpus: Corpus, folds: int, *, seed: int) -> Iterator[tuple[list[int], list[int]]]:
    """Yield the numbers of the sentences to train on and to judge, for each fold.

    >>> corpus = Corpus.from_lists(word=[["a"], ["b"], ["a"]])
    >>> sorted(test for _, test in fold_numbers(corpus, 5, seed=1))
    [[0, 2], [1]]
    """
    if not isinstance(folds, int) or folds < 2:
        raise InputError(f"folds={folds!r}: expected a whole number from 2 on")
    if len(corpus.document_starts) >= folds:
        yield from corpus.fold_numbers(folds, seed=seed, by_document=True)
        return
    groups: dict[tuple[str, ...], list[int]] = {}
    for number, words in enumerate(corpus.words):
        if words:
            groups.setdefault(tuple(words), []).append(number)
    units = list(groups.values())
    if len(units) < 2:
        raise InputError("expected two different sentences or more: others tell which labels are wrong", source=corpus.source)
    order = draw_order(len(units), seed, shuffle=True)
    count = min(folds, len(units))
    for fold in range(count):
        yield separate(units, order[fold * len(units) // count : (fold + 1) * len(units) // count])


@dataclass(frozen=True)
class _Fold:
    tagger: SequenceTagger
    corpus: Corpus
    scheme: Scheme
    train: Sequence[int]
    test: Sequence[int]


def _judge(fold: _Fold) -> list[Mistake]:
    """Train a copy of the tagger, and return the disagreements in the other sentences."""
    tagger = type(fold.tagger)(**fold.tagger.get_params(deep=False))
    tagger.fit(fold.corpus.select(fold.train))
    part = fold.corpus.select(fold.test)
    rules = fold.scheme.constraints(tagger.labels_)
    mistakes: list[Mistake] = []
    proposals = zip(fold.test, part.labels, tagger.predict(part), tagger.lattices(part), strict=True)
    for number, annotated, proposed, lattice in proposals:
        if annotated != proposed:
            mistakes += _compare(number, annotated, proposed, lattice, rules)
    return mistakes


def _compare(number: int, annotated: list[str], proposed: list[str], lattice: Any, rules: SchemeConstraints) -> Iterator[Mistake]:
    """Yield the disagreements of a sentence, one for each stretch of tokens."""
    plain = rules.scheme is Scheme.PLAIN
    find = spans if not plain else lambda labels: spans_of(labels, plain=True)
    stretches = Stretches(lattice, np.zeros_like(rules.continues) if plain else rules.continues)
    places = {label: place for place, label in enumerate(rules.labels)}
    rows = [[places.get(label, -1) for label in labels] for labels in (annotated, proposed)]
    mistakes = []
    for kind, right, wrong in find_errors(find(proposed), find(annotated)):
        one = Mistake(number, kind, wrong, right, 0.0)
        before, after = (stretches.probability(row, one.start, one.end) for row in rows)
        mistakes.append(Mistake(number, kind, wrong, right, round(after - before, 6)))
    judged: set[int] = set()
    for one in sorted(mistakes, key=lambda one: (one.annotated is None or one.proposed is None, -one.score)):
        tokens = set(range(one.start, one.end))
        if not judged & tokens:
            judged |= tokens
            yield one


def rank(mistakes: Sequence[Mistake]) -> list[Mistake]:
    """Return mistakes in order: missed, spurious and changed spans in turn, each with the highest score first, unsure ones last.

    >>> kinds, scores = ["missed", "missed", "type", "spurious"], [0.9, 0.7, 0.5, 0.3]
    >>> [(one.kind, one.score) for one in rank([Mistake(0, kind, None, None, score) for kind, score in zip(kinds, scores)])]
    [('missed', 0.9), ('type', 0.5), ('missed', 0.7), ('spurious', 0.3)]
    """
    ordered = sorted(mistakes, key=lambda one: (-one.score, one.sentence))
    ranked: list[Mistake] = []
    for sure in (True, False):
        turns = [[one for one in ordered if one.kind in kinds and (one.score >= _SURE) == sure] for kinds in _TURNS]
        ranked += [one for turn in zip_longest(*turns) for one in turn if one is not None]
    return ranked
