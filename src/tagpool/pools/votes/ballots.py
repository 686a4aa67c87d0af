"""Ballots: what experts say of sentences, as numbers, beside what is right. Every demand on a user's predictions is made here.

Not here: what is learned from them. Experts that abstain (None for a token) or are missing (None for a sentence) have -1.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tagpool.corpus.corpus import Corpus
from tagpool.errors import InputError

Sequences: TypeAlias = Sequence[Sequence[str | None] | None]
Predictions: TypeAlias = Mapping[str, Sequences | Corpus] | Sequence[Sequences | Corpus]
IntArray: TypeAlias = NDArray[np.int32]
FloatArray: TypeAlias = NDArray[np.float64]

NOTHING = ""  # the label of places where an expert (or the truth) has no symbol: outputs of unequal lengths have such places


@dataclass(frozen=True, eq=False)
class Ballots:
    """The votes of all tokens, one sentence after another: sentence i is the tokens offsets[i] to offsets[i + 1].

    ``votes`` is (tokens, experts), ``gold`` (tokens,); both are numbers of ``labels``, or -1. ``words`` are what a key of the
    user's may look at, None if there are none.
    """

    experts: tuple[str, ...]
    labels: tuple[str, ...]
    offsets: NDArray[np.uint32]
    votes: IntArray
    gold: IntArray
    words: Sequence[Sequence[str]] | None = None

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> NDArray[np.int64]:
        """How many tokens each sentence has."""
        return self.offsets[1:].astype(np.int64) - self.offsets[:-1]

    def select(self, sentences: Sequence[int] | NDArray[Any]) -> Ballots:
        """These sentences, in this order."""
        chosen = np.asarray(sentences, np.int64)
        lengths = self.lengths[chosen]
        offsets = np.concatenate(([0], np.cumsum(lengths)))
        tokens = np.arange(offsets[-1]) + np.repeat(self.offsets[chosen].astype(np.int64) - offsets[:-1], lengths)
        words = None if self.words is None else [self.words[number] for number in chosen.tolist()]
        return Ballots(self.experts, self.labels, offsets.astype(np.uint32), self.votes[tokens], self.gold[tokens], words)

    def cut(self, tokens: Sequence[Any]) -> list[list[Any]]:
        """A list with one entry a token as one list for each sentence."""
        return [list(tokens[a:b]) for a, b in pairwise(self.offsets.tolist())]


class _Numbers(dict[str | None, int]):
    """Numbers labels as they are met; None is -1."""

    def __init__(self, known: Iterable[str]) -> None:
        super().__init__({label: number for number, label in enumerate(known)})
        self[None] = -1

    def __missing__(self, label: str | None) -> int:
        number = self[label] = len(self) - 1
        return number

    def labels(self) -> tuple[Any, ...]:
        """All of them, by number."""
        return tuple(label for label in self if label is not None)


def named(predictions: Predictions) -> dict[str, Sequences]:
    """The experts by name; those of a list are called by their numbers.

    >>> named([[["A"]], [["B"]]])
    {'expert 1': [['A']], 'expert 2': [['B']]}
    """
    if isinstance(predictions, (str, Corpus)) or not isinstance(predictions, (Mapping, Sequence)):
        raise InputError(
            f"expected the predictions of several experts, as a dict or a list, each with a label sequence for every sentence; "
            f"got {type(predictions).__name__}"
        )
    pairs = (
        predictions.items() if isinstance(predictions, Mapping) else ((f"expert {n}", p) for n, p in enumerate(predictions, 1))
    )
    found: dict[str, Sequences] = {}
    for name, given in pairs:
        sentences: Any = given.labels if isinstance(given, Corpus) else given
        if isinstance(sentences, str) or not hasattr(sentences, "__len__"):
            raise InputError(f"expected a label sequence for every sentence, got {type(sentences).__name__}", source=str(name))
        found[str(name)] = sentences
    return found


def ballots_of(
    predictions: Mapping[str, Sequences],
    gold: Sequences | None,
    *,
    labels: Sequence[str] = (),
    open_labels: bool = True,
    words: Sequence[Sequence[str]] | None = None,
) -> Ballots:
    """Ballots of experts by name, all as long as the gold labels (without those, as the first expert that has the sentence).

    Labels are numbered from ``labels`` on; with ``open_labels`` new ones are added, else they are an error.

    >>> ballots_of({"a": [["X", None]], "b": [None]}, [["X", "Y"]]).votes.tolist()
    [[0, -1], [-1, -1]]
    """
    lengths = _lengths(predictions, gold)
    total = sum(lengths)
    numbers = _Numbers(labels)
    right = np.full(total, -1, np.int32)
    if gold is not None:
        right = _numbered(gold, lengths, numbers, "gold")
    votes = np.empty((len(predictions), total), np.int32)
    for row, (name, sentences) in zip(votes, predictions.items(), strict=True):
        row[:] = _numbered(sentences, lengths, numbers, name)
    found = numbers.labels()
    offsets = np.concatenate(([0], np.cumsum(lengths, dtype=np.int64))).astype(np.uint32)
    made = Ballots(tuple(predictions), found, offsets, np.ascontiguousarray(votes.T), right, words)
    if not all(isinstance(label, str) for label in found):
        wrong = next(number for number, label in enumerate(found) if not isinstance(label, str))
        _point_at(made, wrong, f"expected text as a label (or None to abstain), got {found[wrong]!r}")
    if not open_labels and len(found) > len(labels):
        known = ", ".join(map(repr, labels[:20])) + (", ..." if len(labels) > 20 else "")
        _point_at(
            made,
            len(labels),
            f"unknown label {found[len(labels)]!r}; the pool was fitted with {known}; "
            "correct the label, fit again with it, or allow new ones with unknown='allow'",
        )
    if words is not None and list(map(len, words)) != lengths:
        raise InputError("expected as many words as labels in every sentence", source="words")
    return made


def demand_votes(ballots: Ballots) -> None:
    """What a pool can be learned from at all."""
    if len(ballots.experts) < 2:
        raise InputError(f"expected two experts or more, got {len(ballots.experts)}: there is nothing to pool")
    if len(ballots) < 2:
        raise InputError(f"expected two sentences or more, got {len(ballots)}: there is nothing to learn from")
    if not (ballots.gold >= 0).any():
        raise InputError("no token has a gold label: there is nothing to learn from")
    if (ballots.votes == ballots.votes[:, :1]).all():
        raise InputError("all experts say the same of every token: there is nothing to pool")
    right = set(np.unique(ballots.gold).tolist()) - {-1}
    for name, votes in zip(ballots.experts, ballots.votes.T, strict=True):
        said = set(np.unique(votes).tolist()) - {-1}
        if said and not said & right:
            theirs = ", ".join(repr(ballots.labels[number]) for number in sorted(said)[:5])
            ours = ", ".join(repr(ballots.labels[number]) for number in sorted(right)[:5])
            raise InputError(
                f"none of its labels ({theirs}) is a gold label ({ours}): unknown labels, or another scheme", source=name
            )


def _lengths(predictions: Mapping[str, Sequences], gold: Sequences | None) -> list[int]:
    """How long each sentence is; an error where somebody disagrees."""
    by, first = ("gold", gold) if gold is not None else next(iter(predictions.items()))
    for name, sentences in predictions.items():
        if len(sentences) != len(first):
            raise InputError(f"expected {len(first)} sentences, as {by} has, got {len(sentences)}", source=name)
        text = next((number for number, sentence in enumerate(sentences, 1) if isinstance(sentence, str)), None)
        if text is not None:
            raise InputError(f"expected a list of labels, got {sentences[text - 1]!r}", source=f"{name}, sentence {text}")
    if gold is not None:
        none = next((number for number, sentence in enumerate(gold, 1) if sentence is None or isinstance(sentence, str)), None)
        if none is not None:
            raise InputError(f"expected a list of labels, got {gold[none - 1]!r}", source=f"gold, sentence {none}")
        return [len(sentence) for sentence in gold if sentence is not None]
    found = []
    for number, said in enumerate(zip(*predictions.values(), strict=True), 1):
        length = next((len(labels) for labels in said if labels is not None), None)
        if length is None:
            raise InputError("no expert has labels for it; give [None, ...] with one None a token", source=f"sentence {number}")
        found.append(length)
    return found


def _numbered(sentences: Sequences, lengths: list[int], numbers: _Numbers, name: str) -> IntArray:
    try:
        own = [length if each is None else len(each) for each, length in zip(sentences, lengths, strict=True)]
    except TypeError as error:
        raise InputError(f"expected a list of labels for every sentence: {error}", source=name) from None
    if own != lengths:
        wrong = next(number for number, (a, b) in enumerate(zip(own, lengths, strict=True)) if a != b)
        raise InputError(
            f"expected {lengths[wrong]} labels, as the others have, got {own[wrong]}; "
            "outputs that differ in length are pooled with lengths='align' (or 'pad')",
            source=f"{name}, sentence {wrong + 1}",
        )
    whole = [[None] * length if each is None else each for each, length in zip(sentences, lengths, strict=True)]
    try:
        return np.fromiter(map(numbers.__getitem__, chain.from_iterable(whole)), np.int32, sum(lengths))
    except TypeError as error:
        raise InputError(f"expected text as labels (or None to abstain): {error}", source=name) from None


def _point_at(ballots: Ballots, label: int, message: str) -> None:
    """Raises the error at the first place that has the label."""
    columns = [("gold", ballots.gold), *zip(ballots.experts, ballots.votes.T, strict=True)]
    for name, column in columns:
        if (places := np.flatnonzero(column == label)).size:
            sentence = int(np.searchsorted(ballots.offsets, places[0], "right")) - 1
            token = int(places[0]) - int(ballots.offsets[sentence])
            raise InputError(message, source=f"{name}, sentence {sentence + 1}, token {token + 1}")
