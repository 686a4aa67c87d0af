"""What an inducing tagger has found beside its single features: features with previous labels, and pairs, all by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tagpool import _native
from tagpool.errors import InputError, ModelError
from tagpool.experts.inducing.tagger import InducingTagger
from tagpool.experts.saving import feature_names, history_names

Numbers = NDArray[np.int64]
_HISTORY, _PAIRS = "induced.history", "induced.pairs"
OUTSIDE = "_B"  # stands for the label before a sentence


@dataclass(frozen=True, eq=False)
class InducedFeatures:
    """Features of a tagger as numbers.

    A row of ``history`` is the number of the feature without its labels (among ``history_names``) and those of its labels; the
    number of labels stands for none, before the sentence. A row of ``pairs`` are two features: single ones by their numbers
    among the ``feature_names``, of which there are ``singles``, and those with labels behind them.
    """

    singles: int
    history: Numbers
    pairs: Numbers

    @classmethod
    def of(cls, learned: _native.Induced, singles: int) -> InducedFeatures:
        """From what a learner has; its features are numbered as the encoder's."""
        features = learned.history_features().astype(np.int64)
        labels = learned.history_labels().astype(np.int64).reshape(len(features), learned.width)
        pairs = np.column_stack([learned.pair_first(), learned.pair_second()]).astype(np.int64)
        return cls(singles, np.column_stack([features, labels]), pairs)


class NamedFeatures:
    """The features of a tagger with their names and weights."""

    def __init__(self, tagger: InducingTagger) -> None:
        self.model = tagger._fitted()
        self.labels = list(self.model.labels)
        self.names = feature_names(tagger)
        self.static = history_names(tagger) if self.model.has_history else []
        self.induced = _induced(tagger)
        self.backs = dict(zip(self.model.history_template_keys, self.model.backs, strict=True))

    @cached_property
    def befores(self) -> list[list[int]]:
        """The labels of each feature with previous labels."""
        return [row[: len(self.backs[_key(self.static[number])])] for number, *row in self.induced.history.tolist()]

    @cached_property
    def labelled_names(self) -> list[str]:
        """The names of features with previous labels."""
        texts = [*self.labels, OUTSIDE]
        statics = [self.static[number] for number in self.induced.history[:, 0].tolist()]
        return [labelled_name(name, [texts[y] for y in before]) for name, before in zip(statics, self.befores, strict=True)]

    @cached_property
    def numbers(self) -> NDArray[np.uint32]:
        """The model's numbers of single features and of those with labels."""
        statics = [self.static[number] for number in self.induced.history[:, 0].tolist()]
        labelled = self.model.labelled_numbers_of(statics, self.befores)
        return np.concatenate([self.model.numbers_of(self.names), labelled])

    def single_weights(self) -> NDArray[np.float32]:
        """Of single features, then of those with labels: a row of labels each."""
        return self.model.weights_at(self.numbers).reshape(-1, len(self.labels))

    def pair_weights(self) -> NDArray[np.float32]:
        """Of pairs."""
        first, second = (np.ascontiguousarray(self.numbers[each]) for each in self.induced.pairs.T)
        return self.model.pair_weights_at(first, second).reshape(-1, len(self.labels))

    def pair_name(self, number: int) -> str:
        """A pair as the conjunction that it is."""
        return joined_name(*(self._name(each) for each in self.induced.pairs[number].tolist()))

    def _name(self, number: int) -> str:
        return self.names[number] if number < len(self.names) else self.labelled_names[number - len(self.names)]


def joined_name(first: str, second: str) -> str:
    """The name of a pair; it has no order.

    >>> joined_name("word[0]=to", "label[-1]=NN")
    'label[-1]=NN & word[0]=to'
    """
    return " & ".join(sorted((first, second)))


def labelled_name(static: str, labels: Sequence[str]) -> str:
    """The name of a feature with previous labels, from that of what it is without.

    >>> labelled_name("label[-1]&word[0]=to", ["NN"]), labelled_name("label[-1]=1", ["NN"])
    ('label[-1]&word[0]=NN|to', 'label[-1]=NN')
    """
    key, _, value = static.partition("=")
    only_labels = all(term.startswith("label[") for term in key.split("&"))
    return f"{key}={'|'.join(labels if only_labels else [*labels, value])}"


def packed(tagger: InducingTagger) -> dict[str, bytes]:
    """What a file keeps of it; features are numbered in the order of their names, as the file has them."""
    found = _induced(tagger)
    names, static = _ranks(feature_names(tagger)), _ranks(history_names(tagger) if tagger._fitted().has_history else [])
    history = found.history.copy()
    history[:, 0] = static[history[:, 0]]
    ranks = np.concatenate([names, np.arange(found.singles, found.singles + len(history))])
    return {_HISTORY: history.astype(np.int32).tobytes(), _PAIRS: ranks[found.pairs].astype(np.int32).tobytes()}


def _induced(tagger: InducingTagger) -> InducedFeatures:
    """From the training, or from the model's file."""
    if tagger._induced is None:
        model = tagger._fitted()
        history, pairs = model.array(_HISTORY), model.array(_PAIRS)
        if history is None or pairs is None:
            raise InputError("the model was saved without the names of its features: it can only tag")
        width = max((len(each) for each in model.backs), default=0)
        try:
            rows = np.frombuffer(history, np.int32).astype(np.int64).reshape(-1, 1 + width)
            joined = np.frombuffer(pairs, np.int32).astype(np.int64).reshape(-1, 2)
            singles, statics = len(feature_names(tagger)), len(history_names(tagger)) if model.has_history else 0
            _demand_below(rows[:, 0], statics)
            _demand_below(rows[:, 1:], len(model.labels) + 1)
            _demand_below(joined, singles + len(rows))
        except ValueError:
            raise ModelError("the model's list of pairs is damaged") from None
        tagger._induced = InducedFeatures(singles, rows, joined)
    return tagger._induced


def _demand_below(numbers: Numbers, bound: int) -> None:
    if numbers.size and not (numbers.min() >= 0 and numbers.max() < bound):
        raise ValueError("out of range")


def _ranks(names: list[str]) -> Numbers:
    order = sorted(range(len(names)), key=names.__getitem__)
    ranks = np.empty(len(names), np.int64)
    ranks[order] = np.arange(len(names))
    return ranks


def _key(name: str) -> str:
    return name.partition("=")[0]
