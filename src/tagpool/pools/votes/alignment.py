"""Alignment of outputs of unequal lengths, such as pronunciations, to columns that can be pooled like labels.

``align`` aligns every output to the pivot, the output with the least summed edit distance to all others. Insertions between two
symbols of the pivot are aligned in the same way. ``pad``, as in the paper, puts symbols at their positions from the left. Outputs
without a symbol in a column have ``NOTHING`` there; columns whose pooled label is ``NOTHING`` are removed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from tagpool.errors import InputError
from tagpool.evaluation.breakdown import levenshtein
from tagpool.pools.votes.ballots import NOTHING, Sequences

Symbols: TypeAlias = Sequence[str]
LENGTHS = ("same", "align", "pad")


def align_all(
    predictions: Mapping[str, Sequences], gold: Sequences | None, lengths: str
) -> tuple[dict[str, list[list[str | None] | None]], list[list[str | None] | None] | None]:
    """Return predictions and gold labels as columns, without columns that only gold has; ``lengths`` is align or pad.

    >>> predictions = {"a": [["k", "t"]], "b": [["k", "a", "t"]], "c": [["g", "a", "t"]]}
    >>> align_all(predictions, [["k", "a", "t", "s"]], "align")
    ({'a': [['k', '', 't']], 'b': [['k', 'a', 't']], 'c': [['g', 'a', 't']]}, [['k', 'a', 't']])
    """
    columns: dict[str, list[list[str | None] | None]] = {name: [] for name in predictions}
    gold_columns: list[list[str | None] | None] = []
    for number in range(len(next(iter(predictions.values())))):
        outputs = {name: _symbols(sentences[number], name, number) for name, sentences in predictions.items()}
        present = [output for output in outputs.values() if output is not None]
        if not present:
            raise InputError("no expert has an output for it", source=f"sentence {number + 1}")
        gold_symbols = None if gold is None else _symbols(gold[number], "gold", number)
        rows = iter((align if lengths == "align" else pad)(present, gold_symbols))
        for name, output in outputs.items():
            columns[name].append(None if output is None else list(next(rows)))
        if gold_symbols is not None:
            gold_columns.append(list(next(rows)))
    return columns, None if gold is None else gold_columns


def pad(outputs: Sequence[Symbols], gold: Symbols | None = None) -> list[list[str]]:
    """Return a row per output, and one for gold; all as long as the longest output.

    >>> pad([["a"], ["b", "c"]], ["d", "e", "f"])
    [['a', ''], ['b', 'c'], ['d', 'e']]
    """
    length = max(map(len, outputs))
    rows = [*outputs, gold] if gold is not None else outputs
    return [[*row, *[NOTHING] * (length - len(row))][:length] for row in rows]


def align(outputs: Sequence[Symbols], gold: Symbols | None = None) -> list[list[str]]:
    """Return a row per output, and one for gold; matched symbols are in the same column.

    >>> for row in align([["a", "b", "d"], ["a", "c", "d", "e"], ["b", "d", "e"]]):
    ...     print(row)
    ['a', 'b', 'd', '']
    ['a', 'c', 'd', 'e']
    ['', 'b', 'd', 'e']
    """
    pivot = min(range(len(outputs)), key=lambda one: sum(levenshtein(outputs[one], other) for other in outputs))
    strings = [list(output) for output in outputs]
    if gold is not None:
        strings.append(list(gold))
    rows = _align_to(strings, pivot)
    used = [column for column in range(len(rows[0])) if any(row[column] != NOTHING for row in rows[: len(outputs)])]
    return [[row[column] for column in used] for row in rows]


def _align_to(strings: list[list[str]], pivot: int) -> list[list[str]]:
    """Align all strings to one of them."""
    center = strings[pivot]
    gaps: list[list[list[str]]] = []  # by string: symbols before each symbol of the pivot, and after the last
    matched: list[list[str]] = []  # by string: the symbol matched to each symbol of the pivot
    for string in strings:
        inserted: list[list[str]] = [[] for _ in range(len(center) + 1)]
        at = [NOTHING] * len(center)
        for place, symbol in _match(center, string):
            if place % 2:
                at[place // 2] = symbol
            else:
                inserted[place // 2].append(symbol)
        gaps.append(inserted)
        matched.append(at)
    rows: list[list[str]] = [[] for _ in strings]
    for place in range(len(center) + 1):
        between = [inserted[place] for inserted in gaps]
        if any(between):
            longest = max(range(len(between)), key=lambda one: len(between[one]))
            for row, part in zip(rows, _align_to(between, longest), strict=True):
                row += part
        if place < len(center):
            for row, at in zip(rows, matched, strict=True):
                row.append(at[place])
    return rows


def _match(center: Symbols, string: Symbols) -> Iterator[tuple[int, str]]:
    """Yield the symbols of a string with their places by a shortest edit script: 2i + 1 at symbol i of the center, 2i before it.

    Equally short scripts: the one that replaces latest. ``table[i][j]`` is the distance of center[i:] and string[j:].
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
            f"expected a list of texts that are not empty, got {sentence!r}; with unequal lengths only whole outputs may be None",
            source=f"{name}, sentence {number + 1}",
        )
    return [symbol for symbol in sentence if symbol is not None]
