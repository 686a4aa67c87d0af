"""Chunks (spans) of aligned label sequences, counted as conlleval does, without a loop over tokens.

The result equals that of ``tagpool.corpus.schemes.spans`` on every input. The rule is that of :mod:`tagpool.corpus.transitions`:
a token continues the chunk before it if that token is ``B`` or ``I``, this one is ``I`` or ``E``, and their types are equal.
Each distinct label gets two numbers: its type if a chunk may continue after it, and its type if it may continue a chunk
(different negative numbers if not). Then the rule is one comparison of adjacent tokens.

A predicted chunk is correct if a gold chunk has the same first and last token and the same type.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tagpool.evaluation.alignment import Alignment, IntArray
from tagpool.evaluation.numbered_labels import number_spans, read_labels
from tagpool.lazy import TYPE_CHECKING, LazyModule

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    FloatArray = NDArray[np.float64]
else:
    np = LazyModule("numpy")
    FloatArray = object


@dataclass(frozen=True, eq=False)
class Chunks:
    """Chunks in order: tokens ``starts[i]`` to ``ends[i]`` (exclusive) of the flat array, of type ``types[i]``."""

    starts: IntArray
    ends: IntArray
    types: IntArray

    def __len__(self) -> int:
        return len(self.starts)

    def where(self, mask: NDArray[np.bool_]) -> Chunks:
        """Return the chunks where the mask is true."""
        return Chunks(self.starts[mask], self.ends[mask], self.types[mask])


@dataclass(frozen=True, eq=False)
class ChunkCounts:
    """Chunks of gold and prediction and those in both, with counts by type and by sentence.

    ``types`` names the type ids. Counts have the columns correct, predicted, gold.
    """

    types: tuple[str, ...]
    gold: Chunks
    predicted: Chunks
    correct: Chunks
    alignment: Alignment

    def by_type(self) -> IntArray:
        """Return the counts of each type, one row per type."""
        return self._columns(lambda chunks: np.bincount(chunks.types, minlength=len(self.types)))

    def by_sentence(self) -> IntArray:
        """Return the counts of each sentence, one row per sentence."""
        offsets, size = self.alignment.offsets, self.alignment.sentences

        def count(chunks: Chunks) -> IntArray:
            # Empty sentences share an offset with the next one; "right" chooses the last of them, which has the token.
            return np.bincount(np.searchsorted(offsets, chunks.starts, side="right") - 1, minlength=size)

        return self._columns(count)

    def _columns(self, count: Any) -> IntArray:
        table: IntArray = np.stack([count(self.correct), count(self.predicted), count(self.gold)], axis=1)
        return table


def count_chunks(alignment: Alignment, *, plain: bool | None = None, outside: str | None = "O") -> ChunkCounts:
    """Find and compare the chunks of gold and prediction.

    With ``plain``, every token is a chunk whose type is its label, except those labelled ``outside``, as with conlleval's
    option -r. None (the default) decides by the labels: plain if they have no spans.

    >>> from tagpool.evaluation.alignment import align
    >>> count_chunks(align([["B-PER", "O", "B-LOC"]], [["B-PER", "O", "B-PER"]])).by_type().tolist()
    [[1, 2, 1], [0, 0, 1]]
    """
    types, *numbers = number_spans(read_labels(alignment.labels, alignment.plain if plain is None else plain, outside))
    tables = [np.array(table, np.int64) for table in numbers]
    gold = _find_chunks(alignment.gold, alignment.offsets, *tables)
    predicted = _find_chunks(alignment.predicted, alignment.offsets, *tables)
    return ChunkCounts(types, gold, predicted, _common(gold, predicted, alignment.tokens), alignment)


def rates(correct: Any, predicted: Any, gold: Any) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return precision, recall and F1 from 0 to 1, for numbers or arrays; 0/0 counts as 0, as in conlleval.

    F1 = 2PR / (P + R) = 2·correct / (predicted + gold).

    >>> [float(rate) for rate in rates(1, 2, 4)]
    [0.5, 0.25, 0.3333333333333333]
    """
    return ratio(correct, predicted), ratio(correct, gold), ratio(2 * correct, predicted + gold)


def ratio(part: Any, whole: Any) -> FloatArray:
    """Return ``part / whole`` for numbers or arrays; 0/0 counts as 0.

    >>> ratio(np.array([1, 0]), np.array([4, 0]))
    array([0.25, 0.  ])
    """
    part, whole = np.broadcast_arrays(np.asarray(part, np.float64), np.asarray(whole, np.float64))
    rate: FloatArray = np.divide(part, whole, out=np.zeros(part.shape), where=whole > 0)
    return rate


def _find_chunks(
    ids: IntArray, offsets: IntArray, type_of: IntArray, continues_after: IntArray, continues_into: IntArray
) -> Chunks:
    """Find chunks; ``continues_after`` and ``continues_into`` are the two numbers of each label (see the module)."""
    types = type_of[ids]
    continued = np.zeros(len(ids) + 1, bool)  # continued[t]: token t continues the chunk of token t - 1
    continued[1:-1] = continues_after[ids[:-1]] == continues_into[ids[1:]]
    continued[offsets] = False
    inside = types >= 0
    starts = np.flatnonzero(inside & ~continued[:-1])
    ends = np.flatnonzero(inside & ~continued[1:]) + 1
    return Chunks(starts, ends, types[starts])


def _common(gold: Chunks, predicted: Chunks, tokens: int) -> Chunks:
    """Return the chunks in both; at most one chunk per side starts at a token."""
    at = np.full(tokens, -1, np.int64)
    at[predicted.starts] = np.arange(len(predicted))
    candidate = at[gold.starts]
    exists = candidate >= 0
    gold, candidate = gold.where(exists), candidate[exists]
    same = (predicted.ends[candidate] == gold.ends) & (predicted.types[candidate] == gold.types)
    return gold.where(same)
