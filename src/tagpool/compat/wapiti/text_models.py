"""Text models of Wapiti and CRF++: parsing and tagging."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tagpool.chain.lattice import Lattice
from tagpool.compat.wapiti.patterns import Pattern, Rows, attributes_of, parse_crfpp_templates, parse_wapiti_patterns
from tagpool.errors import InputError, ModelError
from tagpool.wording import counted

Weights = NDArray[np.float64] | NDArray[np.float32]
_MAXENT, _MEMM, _CRF = range(3)  # types of Wapiti
_FREE_BYTES = 64 << 20  # memory for transitions beyond four times the file


@dataclass(frozen=True, eq=False)
class TextModel:
    """A chain whose observations have weights for labels (``states``), for label bigrams (``bigrams``), or for both.

    Without patterns the columns of a row are the observations. ``local``: scores are normalised at each step, as in a MEMM.
    ``separate_rows``: each row is a sentence, and its observations have the prefix ``u``, as with ``wapiti train --me``.

    >>> text = "#mdl#2#1\\n#rdr#1/0/0\\n8:u%x[0,0],\\n#qrk#2\\n1:A,\\n1:B,\\n#qrk#1\\n4:udog,\\n1=0x1p+0\\n"
    >>> parse_wapiti_model(text).tag([[["dog"], ["cat"]]])
    [['B', 'A']]
    """

    labels: tuple[str, ...]
    patterns: tuple[Pattern, ...]
    states: dict[str, Weights]
    bigrams: dict[str, Weights]
    local: bool = False
    separate_rows: bool = False

    def lattice(self, rows: Rows) -> Lattice:
        """Return the scores of a sentence, given as rows of columns."""
        nodes, edges = self._scores(rows)
        return Lattice(nodes, edges if len(rows) > 1 else np.zeros((len(self.labels),) * 2))

    def tag(self, sentences: Sequence[Rows]) -> list[list[str]]:
        """Return the best labels of sentences; ties are broken as in Wapiti and CRF++."""
        return [[self.labels[number] for number in _best(*self._scores(rows))] for rows in sentences]

    def _scores(self, rows: Rows) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return scores of labels, [T][L], and of label bigrams, [T-1][L][L]."""
        count = len(self.labels)
        if not rows:
            raise InputError("expected a sentence, got no rows")
        # CRF++ sums in single precision, which matters for scores that are nearly equal.
        kind = next((weights.dtype for weights in self.states.values()), np.dtype(np.float64))
        nodes = np.zeros((len(rows), count), kind)
        edges = np.zeros((len(rows) - 1, count, count), kind)
        for at, observations in enumerate(self._observations(rows)):
            for observation in observations:
                if (states := self.states.get(observation)) is not None:
                    nodes[at] += states
                if at and (bigrams := self.bigrams.get(observation)) is not None:
                    edges[at - 1] += bigrams
        scores = nodes.astype(np.float64), edges.astype(np.float64)
        return _normalise(*scores) if self.local else scores

    def _observations(self, rows: Rows) -> Iterable[Iterable[str]]:
        if self.separate_rows:
            unary = [pattern for pattern in self.patterns if not str(pattern.parts[0]).startswith("b")]
            observed = [attributes_of(unary, [row])[0] if self.patterns else row for row in rows]
            return [["u" + observation for observation in row] for row in observed]
        return attributes_of(self.patterns, rows) if self.patterns else rows


def _normalise(nodes: NDArray[np.float64], edges: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return log-probabilities: of the first label, and of each label given the previous one."""
    edges = edges + nodes[1:, None, :]
    edges = edges - np.logaddexp.reduce(edges, axis=2, keepdims=True)
    first = nodes[0] - np.logaddexp.reduce(nodes[0])
    return np.concatenate([first[None], np.zeros_like(nodes[1:])]), edges


def _best(nodes: NDArray[np.float64], edges: NDArray[np.float64]) -> list[int]:
    """Return the best labels by Viterbi from left to right; ties go to the first label."""
    value, before = nodes[0], []
    for at, edge in enumerate(edges, 1):
        sums = value[:, None] + (edge + nodes[at])
        before.append(sums.argmax(0))
        value = sums.max(0)
    labels = [int(value.argmax())]
    for back in reversed(before):
        labels.append(int(back[labels[-1]]))
    return labels[::-1]


def read_text_model(path: str | Path) -> TextModel:
    """Read a text model of Wapiti or CRF++."""
    try:
        text = Path(path).read_text("utf-8", "surrogateescape")
    except OSError as error:
        raise ModelError(f"reading failed: {error.strerror or error}", source=path) from None
    if text.startswith("#mdl#"):
        return parse_wapiti_model(text, source=str(path))
    if text.startswith("version:"):
        return parse_crfpp_model(text, source=str(path))
    raise ModelError("expected a text model of Wapiti (#mdl#) or CRF++ (version:)", source=path)


def _is_number(text: str) -> bool:
    """Return whether a text is a number of at most 15 digits."""
    return text.isascii() and text.isdigit() and len(text) <= 15


class _Lines:
    """Lines of a model, one after another; errors name the line."""

    def __init__(self, text: str, source: str | None) -> None:
        self._lines = text.split("\n")
        self._source = source
        self.number = 0

    def next(self, expected: str) -> str:
        if self.number >= len(self._lines):
            raise self.error(f"expected {expected}, got the end of the file")
        self.number += 1
        return self._lines[self.number - 1].removesuffix("\r")

    def rest(self) -> Iterator[str]:
        """Yield the remaining lines that are not empty."""
        while self.number < len(self._lines):
            if line := self.next("a line"):
                yield line

    def block(self, expected: str) -> Iterator[str]:
        """Yield the lines up to an empty one."""
        while line := self.next(expected):
            yield line

    def count_different(self, labels: tuple[str, ...]) -> int:
        """Return the number of labels; raise an error if some are equal, or if transitions take far more memory than the file."""
        if not labels or len(set(labels)) < len(labels):
            raise self.error("expected different labels")
        size = 8 * len(labels) ** 2
        if size > _FREE_BYTES + 4 * sum(map(len, self._lines)):
            raise self.error(f"the transitions of {counted(len(labels), 'label')} take {size >> 20:,} MB, too much for this file")
        return len(labels)

    def numbers(self, prefix: str, separator: str) -> list[int]:
        line = self.next(f"a line that begins with {prefix}")
        numbers = line[len(prefix) :].split(separator)
        if not (line.startswith(prefix) and all(map(_is_number, numbers))):
            raise self.error(f"expected {prefix} and numbers, got {line[:40]!r}")
        return [int(number) for number in numbers]

    def weight(self, text: str, content: str = "a weight") -> float:
        try:
            weight = float.fromhex(text) if "x" in text.lower() else float(text)
        except (ValueError, OverflowError):
            weight = float("nan")
        if not np.isfinite(weight):
            raise self.error(f"expected {content}, got {text[:40]!r}")
        return weight

    def texts(self, count: int) -> list[str]:
        """Return texts that follow their length in bytes."""
        return [self._text() for _ in range(count)]

    def _text(self) -> str:
        line = self.next("a text")
        length, colon, text = line.partition(":")
        if not (colon and _is_number(length) and text.endswith(",")):
            raise self.error(f"expected a text such as 5:Chunk, got {line[:40]!r}")
        if len(text.encode("utf-8", "surrogateescape")) - 1 != int(length):
            raise self.error(f"expected a text of {counted(int(length), 'byte')}, got {line[:40]!r}")
        return text[:-1]

    def error(self, message: str) -> ModelError:
        return ModelError(message, source=self._source, line=self.number)


def parse_wapiti_model(text: str, *, source: str | None = None) -> TextModel:
    """Parse a text model of Wapiti: patterns, labels, observations and the nonzero weights by number."""
    lines = _Lines(text, source)
    head = lines.numbers("#mdl#", "#")
    kind = head[0] if len(head) > 1 else _CRF  # early versions have only CRFs
    if kind not in (_MAXENT, _MEMM, _CRF):
        raise lines.error(f"expected a model of type 0 (maxent), 1 (MEMM) or 2 (CRF), got {kind}")
    counts = lines.numbers("#rdr#", "/")
    patterns = parse_wapiti_patterns("\n".join(lines.texts(counts[0])), source=source)
    labels = tuple(lines.texts(lines.numbers("#qrk#", "#")[0]))
    observations = lines.texts(lines.numbers("#qrk#", "#")[0])
    count = lines.count_different(labels)
    states: dict[str, int] = {}
    bigrams: dict[str, int] = {}
    size = 0
    for observation in observations:
        if observation[:1] not in ("u", "b", "*"):
            raise lines.error(f"expected observations that begin with u, b or *, got {observation[:40]!r}")
        for kinds, positions, room in (("u*", states, count), ("b*", bigrams, count * count)):
            if observation[0] in kinds:
                positions[observation] = size
                size += room
    try:
        weights = np.zeros(size)
    except (MemoryError, ValueError):  # ValueError: more than the address space
        numbers = f"{counted(len(observations), 'observation')} and {counted(count, 'label')}"
        message = f"the weights of {numbers} take {size >> 27:,} GB, more than there is"
        raise lines.error(message) from None
    weight_count = 0
    for line in lines.rest():
        number, sign, weight = line.partition("=")
        if not (sign and _is_number(number) and int(number) < size):
            raise lines.error(f"expected a number below {size}, = and a weight, got {line[:40]!r}")
        weights[int(number)] = lines.weight(weight)
        weight_count += 1
    if weight_count != head[-1]:
        raise lines.error(f"expected {counted(head[-1], 'weight')}, got {weight_count}: the file is cut off or damaged")
    separate_rows = len(counts) > 2 and counts[2] > 0
    return TextModel(labels, patterns, *_cut(weights, states, bigrams, count), kind == _MEMM, separate_rows)


def parse_crfpp_model(text: str, *, source: str | None = None) -> TextModel:
    """Parse a text model of CRF++ (``crf_learn -t``): a header, labels, templates, numbers of observations, and all weights.

    >>> text = "version: 100\\ncost-factor: 1\\nmaxid: 2\\nxsize: 1\\n\\nA\\nB\\n\\nU0:%x[0,0]\\n\\n0 U0:dog\\n\\n0.5\\n1.5\\n"
    >>> parse_crfpp_model(text).tag([[["dog"]]])
    [['B']]
    """
    lines = _Lines(text, source)
    head: dict[str, str] = {}
    for line in lines.block("the header"):
        name, _, value = line.partition(":")
        head[name.strip()] = value.strip()
    if not _is_number(head.get("maxid", "")):
        raise lines.error("expected a header with version, cost-factor, maxid and xsize")
    if "cost-factor" in head:
        lines.weight(head["cost-factor"], "a finite number as cost-factor")
    size = int(head["maxid"])  # the cost factor is not used: CRF++ tags with another one, 1 by default
    labels = tuple(lines.block("labels"))
    count = lines.count_different(labels)
    patterns = parse_crfpp_templates("\n".join(lines.block("templates")), source=source)
    positions: dict[str, int] = {}
    for line in lines.block("observations"):
        number, _, observation = line.partition(" ")
        room = count if observation[:1] == "U" else count * count
        if not (_is_number(number) and observation[:1] in ("U", "B") and int(number) + room <= size):
            raise lines.error(f"expected a number and an observation, got {line[:40]!r}")
        positions[observation] = int(number)
    # In single precision, as in the binary model.
    weights = np.array([lines.weight(line) for line in lines.rest()], np.float32)
    if len(weights) != size:
        raise lines.error(f"expected {counted(size, 'weight')}, got {len(weights)}")
    states, bigrams = ({name: begin for name, begin in positions.items() if name[0] == kind} for kind in "UB")
    return TextModel(labels, patterns, *_cut(weights, states, bigrams, count))


def _cut(
    weights: Weights, states: dict[str, int], bigrams: dict[str, int], count: int
) -> tuple[dict[str, Weights], dict[str, Weights]]:
    """Return the weights of each observation, from the positions of its first weight: [L], and [L][L] of bigrams."""
    return (
        {name: weights[begin : begin + count] for name, begin in states.items()},
        {name: weights[begin : begin + count * count].reshape(count, count) for name, begin in bigrams.items()},
    )
