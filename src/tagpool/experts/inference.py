"""Lattices of an expert: its scores of sentences, for everything but the plain best labels."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from tagpool import _native
from tagpool.chain.lattice import Lattice
from tagpool.experts.expert import Expert
from tagpool.experts.inputs import as_corpus


def lattices(expert: Expert, sentences: Any) -> list[Lattice]:
    """One lattice a sentence; tokens that stand alone have edges of zero."""
    model = expert._fitted()
    count = len(model.labels)
    try:
        if model.given:
            scores, offsets = model.score_given(sentences)
        else:
            corpus = as_corpus(sentences)
            scores, offsets = model.score_columns(corpus.native, expert.threads), corpus.offsets()
    except _native.InputFault as fault:
        raise expert._explained(fault, sentences) from None
    nodes = scores.reshape(-1, count).astype(np.float64)
    weights = model.edges().astype(np.float64) if model.chain else np.zeros(count * (count + 2))
    edges, start, end = weights[: count * count].reshape(count, count), weights[-2 * count : -count], weights[-count:]
    bounds = offsets.tolist()
    return [Lattice(nodes[a:b], edges, start, end) for a, b in pairwise(bounds)]
