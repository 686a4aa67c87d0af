"""Seeded splits into parts, as sentence numbers. The same seed gives the same split on every machine.

A unit is a run of sentences that stays together: one sentence, or one document.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from tagpool.errors import InputError

Units = Sequence[Sequence[int]]


def split_units(units: Units, share: float, *, seed: int, shuffle: bool, unit: str) -> tuple[list[int], list[int]]:
    """Split off about ``share`` of the units; without shuffling the last ones. Return the sentences of both parts.

    >>> split_units([[0, 1], [2], [3]], 0.3, seed=1, shuffle=False, unit="document")
    ([0, 1, 2], [3])
    """
    if not 0 < share < 1:
        raise InputError(f"share={share}: expected a number between 0 and 1")
    if len(units) < 2:
        raise InputError(f"cannot split {len(units)} {unit}: expected at least 2")
    count = min(max(round(share * len(units)), 1), len(units) - 1)
    return _separate(units, _order(len(units), seed, shuffle)[len(units) - count :])


def fold_units(units: Units, folds: int, *, seed: int, shuffle: bool, unit: str) -> Iterator[tuple[list[int], list[int]]]:
    """Yield the sentences of (train, test) ``folds`` times; the test parts are disjoint and cover all units.

    >>> list(fold_units([[0], [1], [2]], 3, seed=1, shuffle=False, unit="sentence"))
    [([1, 2], [0]), ([0, 2], [1]), ([0, 1], [2])]
    """
    if not 2 <= folds <= len(units):
        raise InputError(f"folds={folds}: expected 2 to {len(units)}, the number of {unit}s")
    order = _order(len(units), seed, shuffle)
    for fold in range(folds):
        yield _separate(units, order[fold * len(units) // folds : (fold + 1) * len(units) // folds])


def _order(count: int, seed: int, shuffle: bool) -> list[int]:
    order = list(range(count))
    if shuffle:
        random.Random(seed).shuffle(order)
    return order


def _separate(units: Units, chosen: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return the sentences of the other units and those of the chosen ones, both in the order of the corpus."""
    held_out = set(chosen)
    rest = [sentence for number, unit in enumerate(units) if number not in held_out for sentence in unit]
    return rest, [sentence for number in sorted(held_out) for sentence in units[number]]
