"""ChainWeights: a first-order chain by names and weights, which stands between model files of different tools."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tagpool import _native
from tagpool.compat.wapiti.text_models import TextModel
from tagpool.errors import InputError
from tagpool.experts.linear.crf import CRF
from tagpool.experts.saving import feature_names
from tagpool.experts.tagger import Tagger
from tagpool.features.given import GivenEncoder

_RAW = "u:"  # before an attribute, in a model of Wapiti's that has no patterns


@dataclass(frozen=True, eq=False)
class ChainWeights:
    """What models have in common: weights of attributes with labels, in the order of attributes, and of pairs of labels.

    ``start`` and ``end`` are weights of first and last labels, which only models of ours have.
    """

    labels: list[str]
    attributes: list[str]
    pair_attributes: NDArray[np.uint32]
    pair_labels: NDArray[np.uint16]
    pair_weights: NDArray[np.float64]
    transitions: NDArray[np.float64]
    start: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    end: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))

    @property
    def ends_weigh(self) -> bool:
        """Whether first or last labels have weights, for which other tools have no place."""
        return bool(np.any(self.start) or np.any(self.end))

    @property
    def count(self) -> int:
        """How many weights of attributes and of transitions there are that are not zero."""
        return int(np.count_nonzero(self.pair_weights) + np.count_nonzero(self.transitions))

    def to_crfsuite(self) -> bytes:
        """The file of CRFsuite's."""
        return _native.write_crfsuite(
            [_bytes(text) for text in self.labels],
            [_bytes(text) for text in self.attributes],
            self.pair_attributes,
            self.pair_labels,
            self.pair_weights,
            self.transitions.ravel(),
        )

    def to_wapiti(self) -> str:
        """The text of Wapiti's, without patterns: rows to be tagged have ``u:`` and an attribute in each column, and ``b``."""
        for text in (*self.labels, *self.attributes):
            if not text or any(letter.isspace() for letter in text):
                raise InputError(f"Wapiti separates columns by blanks: {text!r} cannot be a label or an attribute there")
        observations = [_RAW + attribute for attribute in self.attributes] + ["b"]
        count = len(self.labels)
        places = self.pair_attributes.astype(np.int64) * count + self.pair_labels
        weights = dict(zip(places.tolist(), self.pair_weights.tolist(), strict=True))
        first = len(self.attributes) * count
        weights |= {first + place: weight for place, weight in enumerate(self.transitions.ravel().tolist())}
        lines = [f"{place}={weight.hex()}" for place, weight in weights.items() if weight]
        texts = [f"#qrk#{len(self.labels)}", *map(_sized, self.labels), f"#qrk#{len(observations)}", *map(_sized, observations)]
        return "\n".join([f"#mdl#2#{len(lines)}", "#rdr#0/0/0", *texts, *lines]) + "\n"

    def to_expert(self, origin: str) -> CRF:
        """A model of ours on given features, in single precision."""
        for text in (*self.labels, *self.attributes):
            if not text.isascii() and any("\udc80" <= letter <= "\udcff" for letter in text):
                raise InputError(f"models of tagpool's are of text: {_bytes(text)!r} is not UTF-8")
        encoder = GivenEncoder()
        encoder.fit_transform([[[]]], [self.labels[:1]], known=self.attributes)
        encoder.labels_ = tuple(self.labels)
        count = len(self.labels)
        ends = [each if len(each) else np.zeros(count) for each in (self.start, self.end)]
        edges = np.concatenate([self.transitions.ravel(), *ends]).astype(np.float32)
        expert = CRF(pairs="observed")
        expert._model = _native.Model.from_given(
            encoder.fitted_native,
            self.labels,
            self.pair_attributes,
            self.pair_labels,
            self.pair_weights.astype(np.float32),
            edges,
        )
        expert._encoder, expert._names, expert.log_ = encoder, None, []
        expert._summary = {"trainer": f"converted from a model of {origin}"}
        return expert


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _sized(text: str) -> str:
    return f"{len(_bytes(text))}:{text},"


def of_crfsuite(model: _native.CrfsuiteTagger) -> ChainWeights:
    """What a file of CRFsuite's holds."""
    labels = model.labels()
    transitions = np.zeros((len(labels), len(labels)))
    for before, after, weight in model.transitions():
        transitions[before, after] = weight
    states = np.array(model.states(), np.float64).reshape(-1, 3)
    return ChainWeights(
        labels,
        model.attributes(),
        states[:, 0].astype(np.uint32),
        states[:, 1].astype(np.uint16),
        states[:, 2].copy(),
        transitions,
    )


def of_text_model(model: TextModel) -> ChainWeights:
    """What a text model holds; an error if its transitions look at more than labels."""
    count = len(model.labels)
    if model.local:
        raise InputError("the model is a MEMM, whose scores are probabilities at each step: other models have no place for them")
    constant = {"".join(map(str, pattern.parts)) for pattern in model.patterns if all(isinstance(p, str) for p in pattern.parts)}
    varying = [name for name in model.pairs if name not in (constant if model.patterns else {"b"})]
    if varying:
        raise InputError(
            f"the model has transitions that depend on observations, such as {varying[0]!r}: other models have no place for them"
        )
    # Without patterns and all with that mark, as we write them, they are attributes; else they are kept as they are.
    marked = not model.patterns and all(name.startswith(_RAW) for name in model.states)
    transitions = np.zeros((count, count))
    for weights in model.pairs.values():
        transitions += weights
    return _dense(
        list(model.labels),
        [name.removeprefix(_RAW) if marked else name for name in model.states],
        np.array(list(model.states.values()), np.float64).reshape(-1, count),
        transitions,
    )


def of_expert(expert: Tagger) -> ChainWeights:
    """What a model of ours holds; an error if it has transition features."""
    model = expert._fitted()
    if not isinstance(model, _native.Model) or model.has_history:
        raise InputError("only chains without transition features can be converted")
    count = len(model.labels)
    edges = model.edges().astype(np.float64) if model.chain else np.zeros(count * (count + 2))
    names = feature_names(expert)
    found = _dense(
        list(model.labels),
        names,
        model.weights_of(names).astype(np.float64).reshape(-1, count),
        edges[: count * count].reshape(count, count),
    )
    return ChainWeights(**vars(found) | {"start": edges[count * count : -count], "end": edges[-count:]})


def _dense(
    labels: list[str], attributes: list[str], weights: NDArray[np.float64], transitions: NDArray[np.float64]
) -> ChainWeights:
    """Of a matrix with a row for each attribute."""
    rows, columns = np.nonzero(weights)
    return ChainWeights(
        labels, attributes, rows.astype(np.uint32), columns.astype(np.uint16), weights[rows, columns], transitions
    )
