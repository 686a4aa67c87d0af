"""Columns and templates of a stack: the labels of experts, their agreement, and the words.

Column ``e1`` has the labels of the first expert, and ``c1`` the bins of its confidence. ``u`` has the labels of an
:class:`UnsupervisedPool` and ``w`` those of its word taggers; ``ubin`` and ``wbin`` are the bins of their probabilities.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import combinations

import numpy as np

from tagpool.corpus.corpus import Corpus
from tagpool.features.presets import preset_text
from tagpool.pools.votes.ballots import FloatArray

Rows = Sequence[Sequence[str]]
MISSING = "_"  # label of an expert that abstains
_BINS = np.array([0.5, 0.7, 0.9, 0.97, 0.995])
_MOST_PAIRED = 10  # experts: more give too many pairs
_MOST_PATTERN = 5  # experts: the patterns of more rarely occur twice
_MOST_COUNTED = 3  # labels in the count of votes


def bins_of(probabilities: FloatArray) -> list[str]:
    """Return the bin of each probability.

    >>> bins_of(np.array([0.2, 0.95, 1.0]))
    ['0', '3', '5']
    """
    return [str(number) for number in np.searchsorted(_BINS, probabilities).tolist()]


def stack_templates(experts: int, *, confident: Sequence[int] = (), further: Sequence[str] = (), words: bool = True) -> str:
    """Return the templates of a stack; ``confident`` are the numbers of experts with confidences, ``further`` names of columns.

    >>> print(stack_templates(2, words=False))
    bias
    e1[-1..1]
    e2[-1..1]
    e1[0] & e2[0]
    """
    columns = [f"e{number}" for number in range(1, experts + 1)]
    lines = ["bias", *(f"{column}[-1..1]" for column in columns)]
    paired = [*(columns if experts <= _MOST_PAIRED else ()), *further]
    lines += [f"{first}[0] & {second}[0]" for first, second in combinations(paired, 2)]
    if 2 < experts <= _MOST_PATTERN:
        lines.append(" & ".join(f"{column}[0]" for column in columns))
    if experts > _MOST_PATTERN:
        lines.append("votes[-1..1]")
    lines += [f"e{number + 1}[0] & c{number + 1}[0]" for number in confident]
    for column in further:
        lines += [f"{column}[-1..1]", f"{column}bin[0]", f"{column}[0] & {column}bin[0]"]
    if words:
        lines += [line for line in preset_text("auto").splitlines() if line and not line.startswith("#") and line != "bias"]
    return "\n".join(lines)


def stack_corpus(
    words: Rows,
    experts: Sequence[Sequence[Sequence[str | None] | None]],
    *,
    confidence: Mapping[int, Sequence[Sequence[float | None] | None]] | None = None,
    further: Mapping[str, tuple[Rows, Rows]] | None = None,
    blank: int | None = None,
) -> Corpus:
    """Return the sentences with the columns of a stack; ``blank`` is the number of an expert that is left out.

    >>> stack_corpus([["Ann", "left"]], [[["B-PER", "O"]], [None]]).column("e2")
    [['_', '_']]
    """
    columns: dict[str, Rows] = {"word": words}
    labels = [
        [
            [MISSING] * len(sentence) if row is None or number == blank else [label or MISSING for label in row]
            for sentence, row in zip(words, rows, strict=True)
        ]
        for number, rows in enumerate(experts)
    ]
    columns |= {f"e{number}": rows for number, rows in enumerate(labels, 1)}
    for number, values in (confidence or {}).items():
        columns[f"c{number + 1}"] = [
            _confidence_row(row, len(sentence)) if number != blank else [MISSING] * len(sentence)
            for sentence, row in zip(words, values, strict=True)
        ]
    if len(experts) > _MOST_PATTERN:
        columns["votes"] = [[_count(votes) for votes in zip(*rows, strict=True)] for rows in zip(*labels, strict=True)]
    for name, (rows, bins) in (further or {}).items():
        columns |= {name: rows, f"{name}bin": bins}
    return Corpus.from_columns(columns)


def _confidence_row(row: Sequence[float | None] | None, length: int) -> list[str]:
    if row is None:
        return [MISSING] * length
    return [MISSING if value is None else bins_of(np.array([value]))[0] for value in row]


@lru_cache(maxsize=1 << 16)
def _count(votes: tuple[str, ...]) -> str:
    """Return the most frequent labels of a token with their numbers of votes; equal ones by name."""
    counts = sorted(Counter(vote for vote in votes if vote != MISSING).items(), key=lambda item: (-item[1], item[0]))
    return ",".join(f"{label}={count}" for label, count in counts[:_MOST_COUNTED]) or MISSING
