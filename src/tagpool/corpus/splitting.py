"""Parts of a corpus: the order and the numbers of the sentences in them. A start-up file."""

from __future__ import annotations

from collections.abc import Sequence

from tagpool.lazy import TYPE_CHECKING, LazyModule

if TYPE_CHECKING:
    import random
else:
    random = LazyModule("random")


def draw_order(count: int, seed: int, shuffle: bool) -> list[int]:
    """Return the numbers below ``count``, in random order if they are shuffled.

    >>> draw_order(3, 1, False)
    [0, 1, 2]
    """
    order = list(range(count))
    if shuffle:
        random.Random(seed).shuffle(order)
    return order


def separate(units: Sequence[Sequence[int]], chosen: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return the sentences of the other units and those of the chosen ones, both in the order of the corpus.

    >>> separate([[0, 1], [2], [3]], [2, 0])
    ([2], [0, 1, 3])
    """
    held_out = set(chosen)
    rest = [sentence for number, unit in enumerate(units) if number not in held_out for sentence in unit]
    return rest, [sentence for number in sorted(held_out) for sentence in units[number]]
