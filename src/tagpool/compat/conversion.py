"""ChainWeights: a first-order chain as names and weights, to convert between model files of different tools."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tagpool import _native
from tagpool.compat.wapiti.patterns import parse_wapiti_patterns
from tagpool.compat.wapiti.text_models import TextModel
from tagpool.errors import InputError
from tagpool.experts.inside.inspection import iterate_weights
from tagpool.experts.linear.crf import CRF
from tagpool.experts.saving import feature_names
from tagpool.experts.tagger import Tagger
from tagpool.features.given import GivenEncoder

_RAW = "u:"  # prefix of an attribute in a Wapiti model without patterns
_BIGRAM = "b"
_FIRST, _LAST = "u:first=%x[-1,0]", "u:last=%x[1,0]"  # patterns whose observation outside of a sentence is always the same


@dataclass(frozen=True, eq=False)
class ChainWeights:
    """Weights that all tools have: of cells (attribute, label), in the order of attributes, and of label bigrams.

    ``transitions`` is an [L][L] matrix. ``start`` and ``end`` are weights of first and last labels, [L], which only tagpool has
    (default: 0).
    """

    labels: list[str]
    attributes: list[str]
    pair_attributes: NDArray[np.uint32]
    pair_labels: NDArray[np.uint16]
    pair_weights: NDArray[np.float64]
    transitions: NDArray[np.float64]
    start: NDArray[np.float64] | float = 0.0
    end: NDArray[np.float64] | float = 0.0

    @property
    def has_end_weights(self) -> bool:
        """Whether first or last labels have weights, which other tools lack."""
        return bool(np.any(self.start) or np.any(self.end))

    @property
    def count(self) -> int:
        """Number of nonzero weights of cells and transitions."""
        return int(np.count_nonzero(self.pair_weights) + np.count_nonzero(self.transitions))

    def to_crfsuite(self) -> bytes:
        """Return a model file of CRFsuite."""
        labels, attributes = ([_bytes(text) for text in texts] for texts in (self.labels, self.attributes))
        cells = self.pair_attributes, self.pair_labels, self.pair_weights
        return _native.write_crfsuite(labels, attributes, *cells, self.transitions.ravel())

    def to_wapiti(self, patterns: Sequence[str] | None = None) -> str:
        """Return a text model of Wapiti.

        With the lines of a pattern file, whose observations are the attributes, its rows are those of the file. Two more patterns
        have the weights of first and last labels. Without patterns, rows have ``u:`` and an attribute per column, and ``b``.
        """
        for text in (*self.labels, *self.attributes):
            if not text or (patterns is None and any(letter.isspace() for letter in text)):
                raise InputError(f"{text!r}: expected labels and attributes without blanks, which separate columns in Wapiti")
        count = len(self.labels)
        prefix = _RAW if patterns is None else ""
        observations = [prefix + attribute for attribute in self.attributes]
        positions = self.pair_attributes.astype(np.int64) * count + self.pair_labels
        weights = dict(zip(positions.tolist(), self.pair_weights.tolist(), strict=True))
        ends = {} if patterns is None else {_FIRST: self.start, _LAST: self.end}
        for pattern, values in ends.items():
            number = len(observations) * count
            observations.append(parse_wapiti_patterns(pattern)[0].observation([["-"]], 0))
            weights |= {number + label: weight for label, weight in enumerate(np.broadcast_to(values, count).tolist())}
        first = len(observations) * count
        observations.append(_BIGRAM)
        weights |= {first + position: weight for position, weight in enumerate(self.transitions.ravel().tolist())}
        lines = [f"{position}={weight.hex()}" for position, weight in weights.items() if weight]
        texts = []
        for names in (self.labels, observations):
            texts += [f"#qrk#{len(names)}", *(f"{len(_bytes(name))}:{name}," for name in names)]
        reader = _reader([] if patterns is None else [*patterns, *ends])
        return "\n".join([f"#mdl#2#{len(lines)}", *reader, *texts, *lines]) + "\n"

    def to_expert(self, origin: str) -> CRF:
        """Return a CRF on given features, in single precision."""
        for text in (*self.labels, *self.attributes):
            if not text.isascii() and any("\udc80" <= letter <= "\udcff" for letter in text):
                raise InputError(f"{_bytes(text)!r}: expected UTF-8, which tagpool models need")
        if len(set(self.attributes)) < len(self.attributes):
            twice = Counter(self.attributes).most_common(1)[0][0]
            raise InputError(f"the model has two attributes with the name {twice!r}: its file is damaged")
        encoder = GivenEncoder()
        encoder.fit_transform([[[]]], [self.labels[:1]], known=self.attributes)
        encoder.labels_ = tuple(self.labels)
        count = len(self.labels)
        ends = [np.broadcast_to(weights, count) for weights in (self.start, self.end)]
        edges = _single(np.concatenate([self.transitions.ravel(), *ends]))
        expert = CRF(pairs="observed")
        cells = self.pair_attributes, self.pair_labels, _single(self.pair_weights)
        expert._model = _native.Model.from_given(encoder.fitted_native, _native.ModelLabels(self.labels), *cells, edges)
        expert._encoder, expert._names, expert.log_ = encoder, None, []
        expert._summary = {"trainer": f"converted from a model of {origin}"}
        return expert


def _reader(patterns: Sequence[str]) -> list[str]:
    """Return the patterns of a text model, with the number of columns that they need."""
    parsed = parse_wapiti_patterns("\n".join(patterns))
    columns = [part.column + 1 for pattern in parsed for part in pattern.parts if not isinstance(part, str)]
    return [f"#rdr#{len(patterns)}/{max(columns, default=0)}/0", *(f"{len(_bytes(line))}:{line}," for line in patterns)]


def _single(weights: NDArray[np.float64]) -> NDArray[np.float32]:
    largest = float(np.abs(weights).max(initial=0))
    if largest > float(np.finfo(np.float32).max):
        raise InputError(f"a weight of magnitude {largest:g} exceeds single precision, which tagpool models have")
    return weights.astype(np.float32)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def from_crfsuite(model: _native.CrfsuiteTagger) -> ChainWeights:
    """Return the weights of a CRFsuite model. Weights of the same cell are added, as CRFsuite does when it tags."""
    labels = model.labels()
    if not labels:
        raise InputError("the model has no labels: it was trained without instances")
    transitions = np.zeros((len(labels), len(labels)))
    for before, after, weight in model.transitions():
        transitions[before, after] = weight
    states = np.array(model.states(), np.float64).reshape(-1, 3)
    cells, numbers = np.unique(states[:, 0] * len(labels) + states[:, 1], return_inverse=True)
    weights = np.zeros(len(cells))
    np.add.at(weights, numbers, states[:, 2])
    attributes, cell_labels = (cells // len(labels)).astype(np.uint32), (cells % len(labels)).astype(np.uint16)
    return ChainWeights(labels, model.attributes(), attributes, cell_labels, weights, transitions)


def from_text_model(model: TextModel) -> ChainWeights:
    """Return the weights of a text model; raise an error if its transitions depend on more than labels."""
    count = len(model.labels)
    if model.local:
        raise InputError("the model is a MEMM, which other tools do not have")
    constant = {"".join(map(str, pattern.parts)) for pattern in model.patterns if all(isinstance(p, str) for p in pattern.parts)}
    varying = [name for name in model.bigrams if name not in (constant if model.patterns else {"b"})]
    if varying:
        raise InputError(
            f"the model has transitions that depend on observations, such as {varying[0]!r}, which other tools do not have"
        )
    # to_wapiti writes a prefix and no patterns; remove it again.
    marked = not model.patterns and all(name.startswith(_RAW) for name in model.states)
    transitions = np.zeros((count, count))
    for weights in model.bigrams.values():
        transitions += weights
    return _from_matrix(
        list(model.labels),
        [name.removeprefix(_RAW) if marked else name for name in model.states],
        np.array(list(model.states.values()), np.float64).reshape(-1, count),
        transitions,
    )


def from_expert(expert: Tagger) -> ChainWeights:
    """Return the weights of a tagpool model; raise an error if it has transition features."""
    model = expert._fitted()
    if not isinstance(model, _native.Model) or model.has_history:
        raise InputError("expected a chain without transition features, which other tools do not have")
    if len(expert.labels_) < len(model.labels):
        raise InputError("the model has BILOU inside, which other tools do not have; train it with learner.inner_scheme=same")
    count = len(model.labels)
    edges = model.edges().astype(np.float64) if model.chain else np.zeros(count * (count + 2))
    names = feature_names(expert)
    cells: list[tuple[NDArray[Any], ...]] = [(np.empty(0, np.uint32), np.empty(0, np.uint16), np.empty(0))]
    begin = 0
    for chunk, weights in iterate_weights(model, names):  # the whole matrix would be larger than the file
        rows, columns = np.nonzero(weights)
        cells.append(((begin + rows).astype(np.uint32), columns.astype(np.uint16), weights[rows, columns].astype(np.float64)))
        begin += len(chunk)
    attributes, cell_labels, cell_weights = (np.concatenate(parts) for parts in zip(*cells, strict=True))
    transitions = edges[: count * count].reshape(count, count)
    chain = ChainWeights(list(model.labels), names, attributes, cell_labels, cell_weights, transitions)
    return replace(chain, start=edges[count * count : -count], end=edges[-count:])


def _from_matrix(
    labels: list[str], attributes: list[str], weights: NDArray[np.float64], transitions: NDArray[np.float64]
) -> ChainWeights:
    """Return the nonzero cells of a matrix with a row for each attribute."""
    rows, columns = np.nonzero(weights)
    return ChainWeights(
        labels, attributes, rows.astype(np.uint32), columns.astype(np.uint16), weights[rows, columns], transitions
    )
