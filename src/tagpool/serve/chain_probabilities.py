"""Probabilities of the labels of short texts: the transitions of a model are prepared once, not with every request."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from tagpool import _native
from tagpool.corpus.corpus import Corpus
from tagpool.experts.linear.expert import Expert
from tagpool.experts.linear.lattices import demand_lattice, edge_scores
from tagpool.experts.states import States


class ChainProbabilities:
    """The probabilities that a CRF or MaxEnt gives to labels, the same as those of its lattices.

    >>> from tagpool import CRF
    >>> crf = CRF("word[0]").fit(Corpus.from_lists(word=[["Ann", "left"]], label=[["PER", "O"]]))
    >>> rows = ChainProbabilities(crf).of(Corpus.from_lists(word=[["Ann"]]), [["PER"]])
    >>> rows[0] == [crf.predict_proba([["Ann"]])[0].max()]
    True
    """

    def __init__(self, expert: Expert) -> None:
        demand_lattice(expert)
        self._model = expert._fitted()
        edges = edge_scores(self._model)
        count = len(self._model.labels)
        self._parts = tuple(np.ascontiguousarray(part) for part in (edges[:count], edges[count], edges[count + 1]))
        self._is_finite = all(np.isfinite(part).all() for part in self._parts)
        self._number = {label: number for number, label in enumerate(self._model.labels)}
        self._threads = expert.threads

    @staticmethod
    def suits(tagger: Any) -> bool:
        """Return whether a tagger is one chain of labels with the same transitions everywhere."""
        if not isinstance(tagger, Expert):
            return False
        model = tagger._fitted()
        return not (model.given or model.has_history or States(model.labels).merged)

    def of(self, corpus: Corpus, labels: Sequence[Sequence[str]]) -> list[list[float]] | None:
        """Return the probability of every label; None if a score is not finite, which lattices report."""
        width = len(self._number)
        nodes = self._model.score_columns(corpus.native, self._threads).astype(np.float64).reshape(-1, width)
        if not self._is_finite or not np.isfinite(nodes).all():
            return None
        rows = []
        for (begin, end), sentence in zip(pairwise(corpus.offsets().tolist()), labels, strict=True):
            chain = _native.Chain(nodes[begin:end], *self._parts)
            marginals = chain.marginals(chain.messages())
            places = [row * width + self._number[label] for row, label in enumerate(sentence)]
            probabilities: list[float] = marginals.take(places).tolist()
            rows.append(probabilities)
        return rows
