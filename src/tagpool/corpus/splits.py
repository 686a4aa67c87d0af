"""Splits: hold-out and k-fold, over sentences or over whole documents. Seeded, and the same on every machine."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from tagpool.corpus.corpus import Corpus
from tagpool.errors import InputError


def hold_out(
    corpus: Corpus, share: float = 0.1, *, seed: int = 1, by_document: bool = False, shuffle: bool = True
) -> tuple[Corpus, Corpus]:
    """Splits off about ``share`` of the sentences (or documents): the larger part first. Both keep the corpus's order.

    >>> corpus = Corpus.from_lists(word=[[str(i)] for i in range(10)])
    >>> train, dev = hold_out(corpus, 0.2)
    >>> len(train), len(dev)
    (8, 2)
    """
    if not 0 < share < 1:
        raise InputError(f"share={share}: expected a number between 0 and 1")
    units = _units(corpus, by_document)
    if len(units) < 2:
        raise InputError(f"cannot split {len(units)} {'document' if by_document else 'sentence'}: two are needed")
    order = _order(len(units), seed, shuffle)
    count = min(max(round(share * len(units)), 1), len(units) - 1)
    # Without shuffling, the end of the corpus is held out.
    chosen = set(order[len(units) - count :])
    return _take(corpus, units, [i for i in range(len(units)) if i not in chosen]), _take(corpus, units, sorted(chosen))


def k_fold(
    corpus: Corpus, folds: int = 5, *, seed: int = 1, by_document: bool = False, shuffle: bool = True
) -> Iterator[tuple[Corpus, Corpus]]:
    """Yields (train, test) ``folds`` times; the test parts are disjoint and together are the corpus.

    >>> corpus = Corpus.from_lists(word=[[str(i)] for i in range(5)])
    >>> sorted(sentence.words[0] for _, test in k_fold(corpus, 2) for sentence in test)
    ['0', '1', '2', '3', '4']
    """
    for rest, held_out in fold_numbers(corpus, folds, seed=seed, by_document=by_document, shuffle=shuffle):
        yield corpus.select(rest), corpus.select(held_out)


def fold_numbers(
    corpus: Corpus, folds: int = 5, *, seed: int = 1, by_document: bool = False, shuffle: bool = True
) -> Iterator[tuple[list[int], list[int]]]:
    """The same as the numbers of sentences, for those who put parts together again.

    >>> list(fold_numbers(Corpus.from_lists(word=[["a"], ["b"], ["c"]]), 3, shuffle=False))
    [([1, 2], [0]), ([0, 2], [1]), ([0, 1], [2])]
    """
    units = _units(corpus, by_document)
    if not 2 <= folds <= len(units):
        what = "documents" if by_document else "sentences"
        raise InputError(f"folds={folds}: expected 2 to {len(units)}, the number of {what}")
    order = _order(len(units), seed, shuffle)
    for fold in range(folds):
        first, last = fold * len(units) // folds, (fold + 1) * len(units) // folds
        chosen = set(order[first:last])
        held_out = [sentence for number in sorted(chosen) for sentence in units[number]]
        yield [s for number in range(len(units)) if number not in chosen for s in units[number]], held_out


def by_documents(corpus: Corpus) -> list[Corpus]:
    """One corpus a document."""
    return [corpus.select(unit) for unit in _units(corpus, by_document=True)]


def _units(corpus: Corpus, by_document: bool) -> Sequence[Sequence[int]]:
    if not by_document:
        return [[i] for i in range(len(corpus))]
    starts = corpus.documents
    if not starts:
        raise InputError(
            "the corpus has no documents: mark them with -DOCSTART- lines (CoNLL), # newdoc (CoNLL-U) or a key document (JSONL)",
            source=corpus.source,
        )
    return [range(first, last) for first, last in zip(starts, [*starts[1:], len(corpus)], strict=True)]


def _order(count: int, seed: int, shuffle: bool) -> list[int]:
    order = list(range(count))
    if shuffle:
        random.Random(seed).shuffle(order)
    return order


def _take(corpus: Corpus, units: Sequence[Sequence[int]], chosen: Sequence[int]) -> Corpus:
    return corpus.select([sentence for unit in chosen for sentence in units[unit]])
