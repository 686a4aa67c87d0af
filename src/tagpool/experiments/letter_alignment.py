"""Letters and the phones they stand for: each letter gets none, one or two, by expectation maximisation over all alignments.

The phones of a word are cut into one piece per letter; the probability of a piece depends on its letter alone. So a dictionary
becomes labelled sequences with one label per letter, to train taggers on.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TypeAlias

Piece: TypeAlias = tuple[str, ...]
Table: TypeAlias = dict[tuple[str, Piece], float]  # probability of a piece given its letter

_LONGEST = 2
_FIRST = (0.2, 1.0, 0.05)  # in the first round: weights of pieces of none, one and two phones
_SILENT, _AND = "_", "+"


def learn_pieces(words: Iterable[tuple[Sequence[str], Sequence[str]]], rounds: int = 6) -> Table:
    """Return probabilities of pieces given letters, from words and their phones; words without an alignment are skipped.

    >>> table = learn_pieces([("TAX", ["T", "AE", "K", "S"]), ("AT", ["AE", "T"]), ("TA", ["T", "AE"])])
    >>> table["X", ("K", "S")] > 0.9
    True
    """
    known = [(letters, phones) for letters, phones in words if fits(letters, phones)]
    table: Table | None = None
    for _ in range(rounds):
        counts: dict[tuple[str, Piece], float] = defaultdict(float)
        for letters, phones in known:
            _expect(letters, phones, table, counts)
        totals: dict[str, float] = defaultdict(float)
        for (letter, _), count in counts.items():
            totals[letter] += count
        table = {pair: count / totals[pair[0]] for pair, count in counts.items() if count > 0}
    return table or {}


def fits(letters: Sequence[str], phones: Sequence[str]) -> bool:
    """Return whether there is an alignment.

    >>> fits("TAX", ["T", "AE", "K", "S"]), fits("X", ["EH", "K", "S"])
    (True, False)
    """
    return 0 < len(phones) <= _LONGEST * len(letters)


def pieces_of(letters: Sequence[str], phones: Sequence[str], table: Table) -> list[Piece] | None:
    """Return the most likely alignment, a piece for each letter; None without an alignment.

    >>> table = learn_pieces([("TAX", ["T", "AE", "K", "S"]), ("AT", ["AE", "T"]), ("TA", ["T", "AE"])])
    >>> pieces_of("AX", ["AE", "K", "S"], table)
    [('AE',), ('K', 'S')]
    """
    if not fits(letters, phones):
        return None
    best: list[dict[int, tuple[float, int]]] = [{0: (1.0, 0)}]  # probability and last cut, by number of letters and phones
    for letter in letters:
        now: dict[int, tuple[float, int]] = {}
        for behind, (likely, _) in best[-1].items():
            for end in range(behind, min(behind + _LONGEST, len(phones)) + 1):
                probability = likely * table.get((letter, tuple(phones[behind:end])), 0.0)
                if probability > now.get(end, (0.0, 0))[0]:
                    now[end] = (probability, behind)
        best.append(now)
    end = len(phones)
    if end not in best[-1]:
        return None
    pieces: list[Piece] = []
    for ends in reversed(best[1:]):
        begin = ends[end][1]
        pieces.append(tuple(phones[begin:end]))
        end = begin
    return pieces[::-1]


def label_of(piece: Piece) -> str:
    """Return a piece as a label.

    >>> label_of(("K", "S")), label_of(())
    ('K+S', '_')
    """
    return _AND.join(piece) or _SILENT


def phones_of(labels: Iterable[str | None]) -> list[str]:
    """Return the phones of the labels of a word.

    >>> phones_of(["T", "AE", "K+S", "_"])
    ['T', 'AE', 'K', 'S']
    """
    return [phone for label in labels if label and label != _SILENT for phone in label.split(_AND)]


def _expect(letters: Sequence[str], phones: Sequence[str], table: Table | None, counts: dict[tuple[str, Piece], float]) -> None:
    """Add the expected counts of letters with pieces, over all alignments of a word."""
    n, m = len(letters), len(phones)
    # Cuts that cannot reach the end, or the beginning, are left out.
    room = [range(max(0, m - _LONGEST * (n - i)), min(m, _LONGEST * i) + 1) for i in range(n + 1)]
    ahead = [[0.0] * (m + 1) for _ in range(n + 1)]
    ahead[n][m] = 1.0
    likely: dict[tuple[int, int, int], float] = {}
    for i in range(n - 1, -1, -1):
        for begin in room[i]:
            total = 0.0
            for end in range(begin, min(begin + _LONGEST, m) + 1):
                if ahead[i + 1][end] > 0.0:
                    piece = tuple(phones[begin:end])
                    weight = _FIRST[end - begin] if table is None else table.get((letters[i], piece), 0.0)
                    likely[i, begin, end] = weight
                    total += weight * ahead[i + 1][end]
            ahead[i][begin] = total
    if ahead[0][0] <= 0.0:
        return
    behind = [[0.0] * (m + 1) for _ in range(n + 1)]
    behind[0][0] = 1.0 / ahead[0][0]
    for i in range(n):
        for begin in room[i]:
            if behind[i][begin] > 0.0:
                for end in range(begin, min(begin + _LONGEST, m) + 1):
                    if weight := likely.get((i, begin, end), 0.0):
                        behind[i + 1][end] += behind[i][begin] * weight
                        counts[letters[i], tuple(phones[begin:end])] += behind[i][begin] * weight * ahead[i + 1][end]
