"""Sentences to label next, for a tagger that will be trained on them: the most useful first.

A sentence is useful if it has words whose labels the tagger doubts, if they are frequent in the texts, and if they were not
shown by sentences before it. A word is worth the sum of the probabilities that its labels are wrong, in all texts
(:class:`tagpool.pools.cover.Cover`). So a batch has no near duplicates, and odd sentences, which teach nothing about others, are
late. Sentences are compared by worth per token, and opening one costs as much as some tokens.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from tagpool.chain.lattice import Lattice
from tagpool.chain.stretches import Stretches
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.schemes import Scheme, Span, detect
from tagpool.errors import InputError, MemoryFor, check_type
from tagpool.experts.sequence_tagger import SequenceTagger
from tagpool.pools.cover import Cover
from tagpool.views.sentence import spans_of

_OPENING = 10  # tokens that reading takes as long as opening a sentence in a tool
_BLOCK = 4096  # sentences whose probabilities are in memory at once


@dataclass(frozen=True)
class Suggestion:
    """A sentence to label, with the labels that the tagger proposes.

    ``sentence`` is its number in the texts, from 0 on. ``spans`` are the proposed spans with their probabilities. ``scores`` are
    the probabilities of the labels, and ``expected_errors`` is the expected number of wrong ones.
    """

    sentence: int
    labels: list[str]
    scores: list[float]
    spans: list[tuple[Span, float]]
    expected_errors: float


@MemoryFor("rank the sentences; pass fewer at a time")
def suggest(
    tagger: SequenceTagger, sentences: Corpus, *, count: int | None = None, labelled: Corpus | None = None
) -> list[Suggestion]:
    """Return the sentences to label next, the most useful first, with proposed labels.

    Equal sentences are suggested once, and those that are labelled already not at all.

    Args:
        tagger: A fitted tagger or pool with probabilities.
        sentences: The texts to choose from; labels are ignored.
        count: Number of sentences (default: all).
        labelled: Sentences that are labelled already, such as the training data.

    >>> from tagpool import CRF, builtin_corpus
    >>> train, texts = builtin_corpus(100), builtin_corpus(200, part="dev")
    >>> batch = suggest(CRF("word[0]").fit(train), texts, count=2, labelled=train)
    >>> [len(one.labels) == len(texts[one.sentence]) for one in batch]
    [True, True]
    """
    check_type(sentences, Corpus, "a Corpus; make one with read_corpus(path) or Corpus.from_lists(word=...)")
    if not isinstance(tagger, SequenceTagger) or not tagger.has_probabilities:
        raise InputError("expected a tagger with probabilities, which show what it doubts; use a CRF or MaxEnt")
    if count is not None and (not isinstance(count, int) or count < 1):
        raise InputError(f"count={count!r}: expected a whole number from 1 on")
    known = labelled.words if labelled is not None else ()
    doubts = [doubt for block in _blocks(tagger, sentences) for doubt in doubts_of(tagger, block)]
    order = list(islice(suggestion_order(sentences.words, doubts, labelled=known), count))
    return _describe(tagger, sentences, order)


def suggestion_order(
    words: Sequence[Sequence[str]], doubts: Sequence[NDArray[np.float64]], *, labelled: Sequence[Sequence[str]] = ()
) -> Iterator[int]:
    """Yield the numbers of the sentences, the most useful first; ``doubts`` has the probability that each label is wrong.

    >>> doubts = [np.array([0.4]), np.array([0.4]), np.array([0.5]), np.array([0.3])]
    >>> list(suggestion_order([["Ann"], ["Ann"], ["Bob"], ["Bob"]], doubts, labelled=[["Bob"]]))
    [0]
    """
    cover = Cover([[[word.lower()] for word in row] for row in words], doubts, opening=_OPENING)
    seen = {tuple(row) for row in labelled}
    for number in cover.rank():
        row = tuple(words[number])
        if row and row not in seen:
            seen.add(row)
            yield number


def doubts_of(tagger: SequenceTagger, sentences: Corpus) -> list[NDArray[np.float64]]:
    """Return the probability that the most likely label is wrong, for each token of each sentence."""
    return [1 - row.max(axis=1) if len(row) else np.zeros(0) for row in tagger.predict_proba(sentences)]


def _blocks(tagger: SequenceTagger, sentences: Corpus) -> Iterator[Corpus]:
    """Yield the sentences in parts; all at once if labels depend on the document."""
    size = max(len(sentences), 1) if tagger.reads_documents else _BLOCK
    for start in range(0, len(sentences), size):
        yield sentences[start : start + size]


def _describe(tagger: SequenceTagger, sentences: Corpus, order: Sequence[int]) -> list[Suggestion]:
    """Return the sentences with the labels and the spans that the tagger proposes."""
    rules = detect([list(tagger.labels_)]).scheme.constraints(tagger.labels_)
    plain = rules.scheme is Scheme.PLAIN
    continues = np.zeros_like(rules.continues) if plain else rules.continues
    places = {label: place for place, label in enumerate(rules.labels)}
    suggestions = []
    for number, labels, lattice in _labelled(tagger, sentences, order):
        row = [places[label] for label in labels]
        stretches = Stretches(lattice, continues)
        scores = lattice.marginals()[np.arange(len(row)), row]
        spans = [(span, round(stretches.probability(row, span.start, span.end), 4)) for span in spans_of(labels, plain=plain)]
        suggestions.append(Suggestion(number, labels, scores.round(4).tolist(), spans, round(float((1 - scores).sum()), 4)))
    return suggestions


def _labelled(tagger: SequenceTagger, sentences: Corpus, order: Sequence[int]) -> Iterator[tuple[int, list[str], Lattice]]:
    """Yield the chosen sentences with their labels and lattices."""
    if tagger.reads_documents:
        rows = list(zip(tagger.predict(sentences), tagger.lattices(sentences), strict=True))
        yield from ((number, *rows[number]) for number in order)
        return
    for start in range(0, len(order), _BLOCK):
        numbers = order[start : start + _BLOCK]
        part = sentences.select(numbers)
        yield from zip(numbers, tagger.predict(part), tagger.lattices(part), strict=True)
