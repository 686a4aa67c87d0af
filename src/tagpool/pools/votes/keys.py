"""Keys: which state of a table each token belongs to, that is, which tokens share their weights of experts.

``position`` is the paper's. On free text it means little where in a sentence a word stands: there all tokens can share one
state, or those with the same label (the one that most experts give), those in sentences of about the same length, or those
that a function of the user's gives the same name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from tagpool.errors import InputError
from tagpool.pools.votes.ballots import Ballots, IntArray

KEYS = ("position", "shared", "label", "length")


@dataclass(frozen=True)
class Place:
    """A token as a key sees it: its position from 0 on, the sentence's length, what each expert says, and the words if given."""

    position: int
    length: int
    votes: tuple[str | None, ...]
    words: tuple[str, ...] | None

    @property
    def word(self) -> str | None:
        """The token itself, if words were given."""
        return None if self.words is None else self.words[self.position]


Key: TypeAlias = str | Callable[[Place], str]


@dataclass(frozen=True, eq=False)
class Keyed:
    """The state of every token, as numbers of names."""

    names: tuple[str, ...]
    states: IntArray

    def rows(self, known: dict[str, int], other: int) -> IntArray:
        """The same as numbers of other names; ``other`` for those that are not known."""
        if not self.names:
            return self.states
        return np.array([known.get(name, other) for name in self.names], np.int32)[self.states]


def keyed(ballots: Ballots, key: Key, leading: Callable[[], IntArray]) -> Keyed:
    """The states of tokens; ``leading`` finds the label that most experts give each.

    >>> from tagpool.pools.votes.ballots import ballots_of
    >>> ballots = ballots_of({"a": [["X", "Y"], ["X"]], "b": [["X", "X"], ["Y"]]}, None)
    >>> keyed(ballots, "position", lambda: ballots.votes[:, 0]).states.tolist()
    [0, 1, 0]
    >>> keyed(ballots, lambda place: f"{place.length} {place.votes[1]}", lambda: ballots.votes[:, 0]).names
    ('2 X', '1 Y')
    """
    if callable(key):
        return _by_function(ballots, key)
    if key == "shared":
        return Keyed(("all",), np.zeros(len(ballots.votes), np.int32))
    if key == "position":
        starts = np.repeat(ballots.offsets[:-1].astype(np.int64), ballots.lengths)
        longest = int(ballots.lengths.max(initial=0))
        return Keyed(tuple(map(str, range(longest))), (np.arange(len(ballots.votes)) - starts).astype(np.int32))
    if key == "label":
        return _used(("nobody", *(f"label {label}" for label in ballots.labels)), leading() + 1)
    if key == "length":
        buckets = np.ceil(np.log2(np.maximum(ballots.lengths, 1))).astype(np.int32)
        names = tuple(f"up to {1 << bucket}" for bucket in range(int(buckets.max(initial=0)) + 1))
        return _used(names, np.repeat(buckets, ballots.lengths))
    raise InputError(f"key={key!r}: expected {', '.join(KEYS)}, or a function of a Place")


def _used(names: tuple[str, ...], states: IntArray) -> Keyed:
    """Only the states that there are."""
    used, numbers = np.unique(states, return_inverse=True)
    return Keyed(tuple(names[number] for number in used.tolist()), numbers.astype(np.int32))


def _by_function(ballots: Ballots, key: Callable[[Place], str]) -> Keyed:
    numbers: dict[str, int] = {}
    names = (*ballots.labels, None)  # -1 is the last: an expert that abstains
    states = np.empty(len(ballots.votes), np.int32)
    token = 0
    for sentence, length in enumerate(ballots.lengths.tolist()):
        words = None if ballots.words is None else tuple(ballots.words[sentence])
        for position in range(length):
            said = tuple(names[vote] for vote in ballots.votes[token].tolist())
            name = key(Place(position, length, said, words))
            if not isinstance(name, str):
                raise InputError(
                    f"expected the key to return text, got {name!r}", source=f"sentence {sentence + 1}, token {position + 1}"
                )
            states[token] = numbers.setdefault(name, len(numbers))
            token += 1
    return Keyed(tuple(numbers), states)
