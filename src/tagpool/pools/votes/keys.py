"""Keys: which tokens share the weights of the experts.

Tokens with the same state share weights. ``shared`` has one state for all tokens, ``position`` (as in the paper) one per
position, ``label`` one per label that most experts give, ``length`` one per range of sentence lengths. A function of a
:class:`Place` returns the name of the state.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from tagpool.errors import InputError
from tagpool.pools.votes.ballots import Ballots, IntArray, leading_labels

KEYS = ("shared", "position", "label", "length")


@dataclass(frozen=True)
class Place:
    """A token for a key function: its position from 0, the sentence length, the label of each expert, and the words if given."""

    position: int
    length: int
    votes: tuple[str | None, ...]
    words: tuple[str, ...] | None

    @property
    def word(self) -> str | None:
        """The word of the token, if words were given."""
        return None if self.words is None else self.words[self.position]


Key: TypeAlias = str | Callable[[Place], str]


@dataclass(frozen=True, eq=False)
class TokenStates:
    """The state of every token, as an index into ``names``."""

    names: tuple[str, ...]
    states: IntArray


def token_states(ballots: Ballots, key: Key) -> TokenStates:
    """Return the states of all tokens.

    >>> from tagpool.pools.votes.ballots import ballots_of
    >>> ballots = ballots_of({"a": [["X", "Y"], ["X"]], "b": [["X", "X"], ["Y"]]}, None)
    >>> token_states(ballots, "position").states.tolist()
    [0, 1, 0]
    >>> token_states(ballots, lambda place: f"{place.length} {place.votes[1]}").names
    ('2 X', '1 Y')
    """
    if callable(key):
        return _states_of_function(ballots, key)
    if key == "shared":
        return TokenStates(("all",), np.zeros(len(ballots.votes), np.int32))
    if key == "position":
        return TokenStates(tuple(map(str, range(int(ballots.lengths.max(initial=0))))), ballots.positions)
    if key == "label":
        return _occurring(("no vote", *(f"label {label}" for label in ballots.labels)), leading_labels(ballots) + 1)
    if key == "length":
        buckets = np.ceil(np.log2(np.maximum(ballots.lengths, 1))).astype(np.int32)
        names = tuple(f"up to {1 << bucket}" for bucket in range(int(buckets.max(initial=0)) + 1))
        return _occurring(names, np.repeat(buckets, ballots.lengths))
    raise InputError(f"key={key!r}: expected {', '.join(KEYS)}, or a function of a Place")


def _occurring(names: tuple[str, ...], states: IntArray) -> TokenStates:
    """Renumber states so that only those that occur remain."""
    used, numbers = np.unique(states, return_inverse=True)
    return TokenStates(tuple(names[number] for number in used.tolist()), numbers.astype(np.int32))


def _states_of_function(ballots: Ballots, key: Callable[[Place], str]) -> TokenStates:
    numbers: dict[str, int] = {}
    label_names = (*ballots.labels, None)  # index -1: the expert abstains
    states = np.empty(len(ballots.votes), np.int32)
    token = 0
    for sentence, length in enumerate(ballots.lengths.tolist()):
        words = None if ballots.words is None else tuple(ballots.words[sentence])
        for position in range(length):
            votes = tuple(label_names[vote] for vote in ballots.votes[token].tolist())
            name = key(Place(position, length, votes, words))
            if not isinstance(name, str):
                raise InputError(
                    f"expected the key to return text, got {name!r}", source=f"sentence {sentence + 1}, token {position + 1}"
                )
            states[token] = numbers.setdefault(name, len(numbers))
            token += 1
    return TokenStates(tuple(numbers), states)
