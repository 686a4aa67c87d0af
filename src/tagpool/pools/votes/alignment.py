"""Outputs of unequal lengths, such as pronunciations: brought to columns of equal number, which can then be pooled like labels.

*Aligned*: the pivot is the output that is nearest to all others by edit distance. Each other output is aligned to it; between the
pivot's symbols there is room for what others insert, which is aligned in the same way among themselves: a small lattice of
insertions and deletions. *Padded*, as in the paper: symbols stand at their positions from the left. In both, who has no symbol in
a column says ``NOTHING`` there, and pooled columns that say so vanish.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from tagpool.errors import InputError
from tagpool.evaluation.breakdown import levenshtein
from tagpool.pools.votes.ballots import NOTHING, Sequences

Symbols: TypeAlias = Sequence[str]
LENGTHS = ("same", "align", "pad")


def columns_of(
    predictions: Mapping[str, Sequences], gold: Sequences | None, how: str
) -> tuple[dict[str, list[list[str | None] | None]], list[list[str | None] | None] | None]:
    """The predictions, and gold labels if there are any, as columns; columns that only the gold labels have are left out.

    >>> predictions = {"a": [["k", "t"]], "b": [["k", "a", "t"]], "c": [["g", "a", "t"]]}
    >>> columns_of(predictions, [["k", "a", "t", "s"]], "align")
    ({'a': [['k', '', 't']], 'b': [['k', 'a', 't']], 'c': [['g', 'a', 't']]}, [['k', 'a', 't']])
    """
    found: dict[str, list[list[str | None] | None]] = {name: [] for name in predictions}
    right: list[list[str | None] | None] = []
    for number in range(len(next(iter(predictions.values())))):
        said = {name: _symbols(sentences[number], name, number) for name, sentences in predictions.items()}
        there = [each for each in said.values() if each is not None]
        if not there:
            raise InputError("no expert has an output for it", source=f"sentence {number + 1}")
        truth = None if gold is None else _symbols(gold[number], "gold", number)
        rows = aligned(there, truth) if how == "align" else padded(there, truth)
        left = iter(rows)
        for name, each in said.items():
            found[name].append(None if each is None else list(next(left)))
        if truth is not None:
            right.append(list(next(left)))
    return found, None if gold is None else right


def padded(outputs: Sequence[Symbols], gold: Symbols | None = None) -> list[list[str]]:
    """A row for each output, and one for the gold labels; as long as the longest output.

    >>> padded([["a"], ["b", "c"]], ["d", "e", "f"])
    [['a', ''], ['b', 'c'], ['d', 'e']]
    """
    length = max(map(len, outputs))
    rows = [*outputs, gold] if gold is not None else outputs
    return [[*row, *[NOTHING] * (length - len(row))][:length] for row in rows]


def aligned(outputs: Sequence[Symbols], gold: Symbols | None = None) -> list[list[str]]:
    """A row for each output, and one for the gold labels; symbols that are matched stand in the same column.

    >>> for row in aligned([["a", "b", "d"], ["a", "c", "d", "e"], ["b", "d", "e"]]):
    ...     print(row)
    ['a', 'b', 'd', '']
    ['a', 'c', 'd', 'e']
    ['', 'b', 'd', 'e']
    """
    pivot = min(range(len(outputs)), key=lambda one: sum(levenshtein(outputs[one], other) for other in outputs))
    strings = [list(each) for each in outputs]
    if gold is not None:
        strings.append(list(gold))
    rows = _around(strings, pivot)
    used = [column for column in range(len(rows[0])) if any(row[column] != NOTHING for row in rows[: len(outputs)])]
    return [[row[column] for column in used] for row in rows]


def _around(strings: list[list[str]], pivot: int) -> list[list[str]]:
    """All strings aligned to one of them."""
    center = strings[pivot]
    gaps: list[list[list[str]]] = []  # by string: what stands before each symbol of the pivot, and behind the last
    beside: list[list[str]] = []  # by string: what stands at each symbol of the pivot
    for string in strings:
        inserted: list[list[str]] = [[] for _ in range(len(center) + 1)]
        at = [NOTHING] * len(center)
        for place, symbol in _matched(center, string):
            if place % 2:
                at[place // 2] = symbol
            else:
                inserted[place // 2].append(symbol)
        gaps.append(inserted)
        beside.append(at)
    rows: list[list[str]] = [[] for _ in strings]
    for place in range(len(center) + 1):
        between = [inserted[place] for inserted in gaps]
        if any(between):
            longest = max(range(len(between)), key=lambda one: len(between[one]))
            for row, part in zip(rows, _around(between, longest), strict=True):
                row += part
        if place < len(center):
            for row, at in zip(rows, beside, strict=True):
                row.append(at[place])
    return rows


def _matched(center: Symbols, string: Symbols) -> Iterator[tuple[int, str]]:
    """The symbols of a string with their places by a shortest edit script: 2i + 1 at symbol i of the center, 2i before it.

    Of equally short scripts the one that replaces latest; the table has the distances of the ends of both.
    """
    n, m = len(center), len(string)
    table = [[0] * (m + 1) for _ in range(n + 1)]
    for i in range(n, -1, -1):
        for j in range(m, -1, -1):
            if i == n or j == m:
                table[i][j] = n - i + m - j
            else:
                table[i][j] = min(table[i + 1][j + 1] + (center[i] != string[j]), table[i + 1][j] + 1, table[i][j + 1] + 1)
    i = j = 0
    while j < m:
        if i < n and table[i][j] == table[i + 1][j + 1] + (center[i] != string[j]):
            yield 2 * i + 1, string[j]
            i, j = i + 1, j + 1
        elif table[i][j] == table[i][j + 1] + 1:
            yield 2 * i, string[j]
            j += 1
        else:
            i += 1


def _symbols(sentence: Sequence[str | None] | None, name: str, number: int) -> list[str] | None:
    if sentence is None and name != "gold":
        return None
    if sentence is None or isinstance(sentence, str) or not all(isinstance(symbol, str) and symbol for symbol in sentence):
        raise InputError(
            f"expected a list of texts, none of them empty, got {sentence!r}; only whole outputs can be missing (None) "
            "where lengths differ",
            source=f"{name}, sentence {number + 1}",
        )
    return [symbol for symbol in sentence if symbol is not None]
