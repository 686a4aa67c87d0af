"""Weak experts on the built-in corpus, for tests of pools that learn from few sentences."""

from __future__ import annotations

import random
from functools import cache

from tagpool import Corpus, StackedPool, UnsupervisedPool, builtin_corpus
from tagpool.corpus.schemes import spans, to_labels

Rows = list[list[str]]


def careless(corpus: Corpus, seed: int, missed: float = 0.3) -> Rows:
    """Gold labels without some of the spans."""
    chance = random.Random(seed)
    return [list(to_labels([s for s in spans(row) if chance.random() > missed], len(row), "bio2")) for row in corpus.labels]


def capitals(corpus: Corpus) -> Rows:
    return [["B-PER" if word.istitle() else "O" for word in words] for words in corpus.words]


@cache
def sample(count: int = 40) -> tuple[Corpus, dict[str, Rows]]:
    """A corpus, and three experts."""
    corpus = builtin_corpus(count, seed=4).with_columns(["word", "label"])
    return corpus, {"capitals": capitals(corpus), "one": careless(corpus, 1), "two": careless(corpus, 2, 0.5)}


@cache
def stack() -> StackedPool:
    """A stack with confidences of an expert, on gold for half of the sentences."""
    corpus, experts = sample()
    gold = [row if number % 2 else None for number, row in enumerate(corpus.labels)]
    confidence = {"one": [[0.9] * len(row) for row in corpus.labels]}
    return StackedPool(l2=1.0, folds=3).fit(experts, gold, words=corpus, confidence=confidence)


@cache
def unsupervised(method: str) -> UnsupervisedPool:
    corpus, experts = sample()
    return UnsupervisedPool(method, rounds=2, folds=3).fit(experts, words=corpus)
