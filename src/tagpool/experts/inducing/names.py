"""Names and weights of an inducing tagger: single features, features with previous labels, and conjunctions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tagpool import _native
from tagpool.corpus.faults import NameFaults
from tagpool.errors import InputError, ModelError
from tagpool.experts.inducing.tagger import InducingTagger
from tagpool.experts.inside.inspection import template_of
from tagpool.experts.saving import feature_names, history_names

Numbers = NDArray[np.int64]
_HISTORY, _CONJUNCTIONS = "induced.history", "induced.pairs"
_ROWS, _CELLS = 1 << 14, 1 << 20  # features and weights that are read at once
OUTSIDE = "_B"  # in place of the label before a sentence


@dataclass(frozen=True, eq=False)
class InducedFeatures:
    """Numbers of the features that were added in training.

    A row of ``history`` has the number of the feature without labels (in ``history_names``) and the numbers of its labels; the
    number L means before the sentence. A row of ``conjunctions`` has two features. Numbers below ``singles`` are those of
    ``feature_names``, larger ones are rows of ``history``.
    """

    singles: int
    history: Numbers
    conjunctions: Numbers

    @classmethod
    def of(cls, learned: _native.Induced, singles: int) -> InducedFeatures:
        """The features of a learner, which are numbered as in the encoder."""
        features = learned.history_features().astype(np.int64)
        labels = learned.history_labels().astype(np.int64).reshape(len(features), learned.width)
        conjunctions = np.column_stack([learned.conjunction_first(), learned.conjunction_second()]).astype(np.int64)
        return cls(singles, np.column_stack([features, labels]), conjunctions)


class NamedFeatures:
    """The features of a tagger, with names and weights."""

    def __init__(self, tagger: InducingTagger) -> None:
        self.model = tagger._fitted()
        self.labels = list(self.model.labels)
        self.names = feature_names(tagger)
        self.static = history_names(tagger)
        self.induced = _induced(tagger)
        self.backs = dict(zip(self.model.history_template_keys, self.model.backs, strict=True))
        if not {template_of(name) for name in self.static} <= self.backs.keys():
            raise ModelError("damaged model: a feature with previous labels has an unknown template")

    @cached_property
    def befores(self) -> list[list[int]]:
        """The labels of each feature with previous labels."""
        return [row[: len(self.backs[template_of(self.static[number])])] for number, *row in self.induced.history.tolist()]

    def label_feature_name(self, number: int) -> str:
        """The name of a feature with previous labels."""
        static, *befores = self.induced.history[number].tolist()
        name, texts = self.static[static], [*self.labels, OUTSIDE]
        return label_name(name, [texts[y] for y in befores[: len(self.backs[template_of(name)])]])

    @cached_property
    def label_keys(self) -> list[str]:
        """The templates of features with previous labels."""
        return [template_of(self.static[number]) for number in self.induced.history[:, 0].tolist()]

    @cached_property
    def numbers(self) -> NDArray[np.uint32]:
        """The model's numbers of single features, then of features with labels."""
        parts = [self.model.numbers_of(self.names[begin : begin + _ROWS]) for begin in range(0, len(self.names), _ROWS)]
        for begin in range(0, len(self.induced.history), _ROWS):
            rows = self.induced.history[begin : begin + _ROWS].tolist()
            statics = [self.static[number] for number, *_ in rows]
            befores = [row[1 : 1 + len(self.backs[template_of(name)])] for row, name in zip(rows, statics, strict=True)]
            with NameFaults():
                parts.append(self.model.labelled_numbers_of(statics, befores))
        return np.concatenate(parts) if parts else np.empty(0, np.uint32)

    def single_weights(self) -> NDArray[np.float32]:
        """A [features][labels] array: single features, then features with labels."""
        return self.model.weights_at(self.numbers).reshape(-1, len(self.labels))

    def label_weights(self) -> Iterator[NDArray[np.float32]]:
        """Yield the weights of features with previous labels, in [features][labels] arrays of limited size."""
        numbers = self.numbers[len(self.names) :]
        for part in self._parts(len(numbers)):
            yield self.model.weights_at(numbers[part]).reshape(-1, len(self.labels))

    def conjunction_weights(self) -> Iterator[NDArray[np.float32]]:
        """Yield the weights of conjunctions, in [conjunctions][labels] arrays of limited size."""
        for part in self._parts(len(self.induced.conjunctions)):
            first, second = (np.ascontiguousarray(self.numbers[column]) for column in self.induced.conjunctions[part].T)
            yield self.model.conjunction_weights_at(first, second).reshape(-1, len(self.labels))

    def _parts(self, count: int) -> Iterator[slice]:
        size = max(1, _CELLS // len(self.labels))
        return (slice(begin, begin + size) for begin in range(0, count, size))

    def conjunction_name(self, number: int) -> str:
        """The name of a conjunction."""
        return conjunction_name(*(self._name(feature) for feature in self.induced.conjunctions[number].tolist()))

    def _name(self, number: int) -> str:
        return self.names[number] if number < len(self.names) else self.label_feature_name(number - len(self.names))


def conjunction_name(first: str, second: str) -> str:
    """The name of a conjunction, independent of the order of its features.

    >>> conjunction_name("word[0]=to", "label[-1]=NN")
    'label[-1]=NN & word[0]=to'
    """
    return " & ".join(sorted((first, second)))


def label_name(static: str, labels: Sequence[str]) -> str:
    """The name of a feature with previous labels, from its name without them.

    >>> label_name("label[-1]&word[0]=to", ["NN"]), label_name("label[-1]=1", ["NN"])
    ('label[-1]&word[0]=NN|to', 'label[-1]=NN')
    """
    key, _, value = static.partition("=")
    only_labels = all(term.startswith("label[") for term in key.split("&"))
    return f"{key}={'|'.join(labels if only_labels else [*labels, value])}"


def pack(tagger: InducingTagger) -> dict[str, bytes]:
    """Arrays of a model file; features are numbered in the order of their names, as in the file."""
    induced = _induced(tagger)
    names, static = _ranks(feature_names(tagger)), _ranks(history_names(tagger))
    history = induced.history.copy()
    history[:, 0] = static[history[:, 0]]
    ranks = np.concatenate([names, np.arange(induced.singles, induced.singles + len(history))])
    return {_HISTORY: history.astype(np.int32).tobytes(), _CONJUNCTIONS: ranks[induced.conjunctions].astype(np.int32).tobytes()}


def _induced(tagger: InducingTagger) -> InducedFeatures:
    """The features added in training, or those of the model file."""
    if tagger._induced is None:
        model = tagger._fitted()
        history, conjunctions = model.array(_HISTORY), model.array(_CONJUNCTIONS)
        if history is None or conjunctions is None:
            raise InputError("the model was saved without names of features; train it again with output.names=true")
        width = max(map(len, model.backs), default=0)
        try:
            rows = np.frombuffer(history, np.int32).astype(np.int64).reshape(-1, 1 + width)
            pairs = np.frombuffer(conjunctions, np.int32).astype(np.int64).reshape(-1, 2)
            singles, statics = len(feature_names(tagger)), len(history_names(tagger))
            _demand_below(rows[:, 0], statics)
            _demand_below(rows[:, 1:], len(model.labels) + 1)
            _demand_below(pairs, singles + len(rows))
        except ValueError:
            raise ModelError("damaged model: a conjunction has an unknown feature") from None
        tagger._induced = InducedFeatures(singles, rows, pairs)
    return tagger._induced


def _demand_below(numbers: Numbers, bound: int) -> None:
    if numbers.size and not (numbers.min() >= 0 and numbers.max() < bound):
        raise ValueError("out of range")


def _ranks(names: list[str]) -> Numbers:
    order = sorted(range(len(names)), key=names.__getitem__)
    ranks = np.empty(len(names), np.int64)
    ranks[order] = np.arange(len(names))
    return ranks
