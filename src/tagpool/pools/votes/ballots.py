"""Ballots: the labels that experts give to sentences, as numbers, with the gold labels. All checks of predictions are here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tagpool import _native
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.rows import as_rows
from tagpool.errors import InputError
from tagpool.wording import counted

if TYPE_CHECKING:
    from tagpool.pools.votes.automaton import Automaton

Sequences: TypeAlias = Sequence[Sequence[str | None] | None]
LabelRows: TypeAlias = Iterable[Iterable[str | None] | None]
Predictions: TypeAlias = Mapping[str, LabelRows | Corpus] | Iterable[LabelRows | Corpus]
IntArray: TypeAlias = NDArray[np.int32]
FloatArray: TypeAlias = NDArray[np.float64]

NOTHING = ""  # label of columns where an aligned or padded output has no symbol


@dataclass(frozen=True, eq=False)
class Ballots:
    """The votes of all tokens; sentence i is the tokens offsets[i] to offsets[i + 1].

    ``votes`` is [tokens][experts], ``gold`` is [tokens]; both are numbers of ``labels``, or -1 where an expert abstains or a
    label is unknown. ``words`` are for key functions.
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
        """Number of tokens of each sentence."""
        return self.offsets[1:].astype(np.int64) - self.offsets[:-1]

    @property
    def positions(self) -> IntArray:
        """Position of each token in its sentence, from 0."""
        starts = np.repeat(self.offsets[:-1].astype(np.int64), self.lengths)
        return (np.arange(len(self.votes)) - starts).astype(np.int32)

    def select(self, sentences: Sequence[int] | NDArray[Any]) -> Ballots:
        """Return these sentences, in this order."""
        numbers = np.asarray(sentences, np.int64)
        lengths = self.lengths[numbers]
        offsets = np.concatenate(([0], np.cumsum(lengths)))
        tokens = np.arange(offsets[-1]) + np.repeat(self.offsets[numbers].astype(np.int64) - offsets[:-1], lengths)
        words = None if self.words is None else [self.words[number] for number in numbers.tolist()]
        return Ballots(self.experts, self.labels, offsets.astype(np.uint32), self.votes[tokens], self.gold[tokens], words)

    def cut(self, tokens: Sequence[Any]) -> list[list[Any]]:
        """Cut a list with one entry per token into one list per sentence."""
        return [list(tokens[a:b]) for a, b in pairwise(self.offsets.tolist())]


def native_ballots(
    ballots: Ballots, costs: FloatArray | None, rows: IntArray | None, states: int, automaton: Automaton | None
) -> _native.PathBallots:
    """Convert ballots for the native code; without rows, the state of a token is its position. Voting needs no costs."""
    if rows is None:
        rows, states = ballots.positions, int(ballots.lengths.max(initial=0))
    return _native.PathBallots(
        ballots.offsets,
        np.ascontiguousarray(ballots.votes),
        np.ascontiguousarray(ballots.gold),
        np.ascontiguousarray(rows, np.int32),
        np.zeros((len(ballots.labels),) * 2) if costs is None else np.ascontiguousarray(costs),
        states,
        None if automaton is None else automaton.native(ballots),
    )


def leading_labels(ballots: Ballots) -> IntArray:
    """Return the label that most experts give each token, -1 where all abstain."""
    native = native_ballots(ballots, None, np.zeros(len(ballots.votes), np.int32), 1, None)
    return native.vote(np.ones(len(ballots.experts)), True)[0]


class _Numbers(dict[str | None, int]):
    """Labels numbered in the order of their first occurrence; None is -1."""

    def __init__(self, known: Iterable[str]) -> None:
        super().__init__({label: number for number, label in enumerate(known)})
        self[None] = -1

    def __missing__(self, label: str | None) -> int:
        number = self[label] = len(self) - 1
        return number

    def labels(self) -> tuple[Any, ...]:
        """Return the labels by number."""
        return tuple(label for label in self if label is not None)


def predictions_by_name(predictions: Predictions) -> dict[str, Sequences]:
    """Return the predictions by name of the expert; those of a list are named by their numbers.

    >>> predictions_by_name([[["A"]], [["B"]]])
    {'expert 1': [['A']], 'expert 2': [['B']]}
    """
    if isinstance(predictions, (str, Corpus)) or not isinstance(predictions, Iterable):
        raise InputError(
            f"expected the predictions of several experts, as a dict or a list, each with a label sequence for every sentence; "
            f"got {type(predictions).__name__}"
        )
    if not isinstance(predictions, Mapping):
        predictions = {f"expert {number}": labels for number, labels in enumerate(predictions, 1)}
    by_name: dict[str, Sequences] = {}
    for name, labels in predictions.items():
        if isinstance(labels, str) or not isinstance(labels, Iterable):
            raise InputError(f"expected a label sequence for every sentence, got {type(labels).__name__}", source=str(name))
        by_name[str(name)] = labels.labels if isinstance(labels, Corpus) else as_rows(labels)
    return by_name


def ballots_of(
    predictions: Mapping[str, Sequences],
    gold: Sequences | None,
    *,
    labels: Sequence[str] = (),
    open_labels: bool = True,
    words: Sequence[Sequence[str]] | None = None,
) -> Ballots:
    """Return ballots; sentences are as long as the gold labels, or else as the labels of the first expert that has them.

    ``labels`` come first in the numbering. Further labels are added with ``open_labels``, and an error without.

    >>> ballots_of({"a": [["X", None]], "b": [None]}, [["X", "Y"]]).votes.tolist()
    [[0, -1], [-1, -1]]
    """
    lengths = _lengths(predictions, gold, words)
    total = sum(lengths)
    numbers = _Numbers(labels)
    gold_numbers = np.full(total, -1, np.int32)
    if gold is not None:
        gold_numbers = _label_numbers(gold, lengths, numbers, "gold")
    votes = np.empty((len(predictions), total), np.int32)
    for row, (name, sentences) in zip(votes, predictions.items(), strict=True):
        row[:] = _label_numbers(sentences, lengths, numbers, name)
    all_labels = numbers.labels()
    offsets = np.concatenate(([0], np.cumsum(lengths, dtype=np.int64))).astype(np.uint32)
    ballots = Ballots(tuple(predictions), all_labels, offsets, np.ascontiguousarray(votes.T), gold_numbers, words)
    if not all(isinstance(label, str) for label in all_labels):
        wrong = next(number for number, label in enumerate(all_labels) if not isinstance(label, str))
        _raise_at_label(ballots, wrong, f"expected text as a label (or None to abstain), got {all_labels[wrong]!r}")
    if not open_labels and len(all_labels) > len(labels):
        known = ", ".join(map(repr, labels[:20])) + (", ..." if len(labels) > 20 else "")
        _raise_at_label(
            ballots,
            len(labels),
            f"unknown label {all_labels[len(labels)]!r}; the pool was fitted with {known}; "
            "correct the label, fit again with it, or allow new labels with unknown='allow'",
        )
    if words is not None and list(map(len, words)) != lengths:
        raise InputError("expected as many words as labels in every sentence", source="words")
    return ballots


def check_informative(ballots: Ballots) -> None:
    """Raise an InputError if a pool cannot learn from the ballots."""
    if len(ballots.experts) < 2:
        raise InputError(f"expected two experts or more, got {len(ballots.experts)}: there is nothing to pool")
    if len(ballots) < 2:
        raise InputError(f"expected two sentences or more, got {len(ballots)}: there is nothing to learn from")
    if not (ballots.gold >= 0).any():
        raise InputError("no token has a gold label: there is nothing to learn from")
    if (ballots.votes == ballots.votes[:, :1]).all():
        raise InputError("all experts give the same label to every token: there is nothing to pool")
    gold = set(np.unique(ballots.gold).tolist()) - {-1}
    for name, votes in zip(ballots.experts, ballots.votes.T, strict=True):
        labels = set(np.unique(votes).tolist()) - {-1}
        if labels and not labels & gold:
            expert_labels = ", ".join(repr(ballots.labels[number]) for number in sorted(labels)[:5])
            gold_labels = ", ".join(repr(ballots.labels[number]) for number in sorted(gold)[:5])
            raise InputError(
                f"none of its labels ({expert_labels}) is a gold label ({gold_labels}): unknown labels, or another scheme",
                source=name,
            )


def _lengths(predictions: Mapping[str, Sequences], gold: Sequences | None, words: Sequence[Sequence[str]] | None) -> list[int]:
    """Return the length of each sentence; raise an error if the number of sentences differs."""
    if not predictions:
        raise InputError("expected the predictions of several experts, got none")
    for name, rows in [*predictions.items(), *([] if gold is None else [("gold", gold)])]:
        for number, row in enumerate(rows, 1):
            if row is not None and not hasattr(row, "__len__"):
                raise InputError(f"expected a list of labels, got {type(row).__name__}", source=f"{name}, sentence {number}")
    by, first = ("gold", gold) if gold is not None else next(iter(predictions.items()))
    for name, sentences in predictions.items():
        if len(sentences) != len(first):
            raise InputError(f"expected {counted(len(first), 'sentence')}, as {by} has, got {len(sentences)}", source=name)
        text = next((number for number, sentence in enumerate(sentences, 1) if isinstance(sentence, str)), None)
        if text is not None:
            raise InputError(f"expected a list of labels, got {sentences[text - 1]!r}", source=f"{name}, sentence {text}")
    if gold is not None:
        wrong = next((number for number, sentence in enumerate(gold, 1) if sentence is None or isinstance(sentence, str)), None)
        if wrong is not None:
            raise InputError(f"expected a list of labels, got {gold[wrong - 1]!r}", source=f"gold, sentence {wrong}")
        return [len(sentence) for sentence in gold if sentence is not None]
    lengths = []
    for number, rows in enumerate(zip(*predictions.values(), strict=True), 1):
        length = next((len(labels) for labels in rows if labels is not None), None)
        if length is None and words is not None and len(words) >= number:
            length = len(words[number - 1])
        if length is None:
            raise InputError("no expert has labels for it; give [None, ...] with one None per token", source=f"sentence {number}")
        lengths.append(length)
    return lengths


def _label_numbers(sentences: Sequences, lengths: list[int], numbers: _Numbers, name: str) -> IntArray:
    try:
        counts = [length if labels is None else len(labels) for labels, length in zip(sentences, lengths, strict=True)]
    except TypeError as error:
        raise InputError(f"expected a list of labels for every sentence: {error}", source=name) from None
    if counts != lengths:
        wrong = next(number for number, (a, b) in enumerate(zip(counts, lengths, strict=True)) if a != b)
        raise InputError(
            f"expected {counted(lengths[wrong], 'label')}, as the others have, got {counts[wrong]}; "
            "pool outputs of unequal lengths with lengths='align' (or 'pad')",
            source=f"{name}, sentence {wrong + 1}",
        )
    filled = [[None] * length if labels is None else labels for labels, length in zip(sentences, lengths, strict=True)]
    try:
        return np.fromiter(map(numbers.__getitem__, chain.from_iterable(filled)), np.int32, sum(lengths))
    except TypeError as error:
        raise InputError(f"expected text as labels (or None to abstain): {error}", source=name) from None


def _raise_at_label(ballots: Ballots, label: int, message: str) -> None:
    """Raise an InputError at the first token with the label."""
    columns = [("gold", ballots.gold), *zip(ballots.experts, ballots.votes.T, strict=True)]
    for name, column in columns:
        if (tokens := np.flatnonzero(column == label)).size:
            sentence = int(np.searchsorted(ballots.offsets, tokens[0], "right")) - 1
            token = int(tokens[0]) - int(ballots.offsets[sentence])
            raise InputError(message, source=f"{name}, sentence {sentence + 1}, token {token + 1}")
