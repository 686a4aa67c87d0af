"""Members that tell only some labels apart: trained with all others as one, then widened to all labels.

A widened expert scores a sequence by what it is with the other labels merged: W[k, v] = W'[k, merged v], and so for
transitions. It is a log-linear expert like any other.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tagpool import _native
from tagpool.corpus.corpus import Corpus
from tagpool.errors import InputError
from tagpool.experts.linear.expert import Expert
from tagpool.features.encoder import Encoder

OTHER = "\ufffdother"  # stands for all labels that are not told apart


def merged(corpus: Corpus, kept: Sequence[str]) -> Corpus:
    """The corpus with all labels but these as one.

    >>> corpus = Corpus.from_lists(word=[["Ann", "saw", "Oslo"]], label=[["PER", "O", "LOC"]])
    >>> merged(corpus, ["PER"]).labels == [["PER", OTHER, OTHER]]
    True
    """
    known = set(kept)
    return corpus.with_labels([[label if label in known else OTHER for label in row] for row in corpus.labels])


def widen(expert: Expert, labels: Sequence[str]) -> None:
    """Makes an expert that was trained on merged labels one of all labels."""
    model, encoder = expert._fitted(), expert._encoder
    if not isinstance(encoder, Encoder) or model.has_history:
        raise InputError("members for single labels must have no transition features")
    if model.hash_size:
        raise InputError("members for single labels cannot have hashed features: leave out hash_size")
    own = {label: number for number, label in enumerate(model.labels)}
    place = np.array([own.get(label, own.get(OTHER, -1)) for label in labels])
    count = len(own)
    weights = model.weights_of(encoder.feature_names).reshape(-1, count)[:, place]
    edges = np.zeros(0, np.float32)
    if model.chain:
        known = model.edges().reshape(count + 2, count)
        rows = np.concatenate([place, [count, count + 1]])  # the last two: start and end
        edges = known[np.ix_(rows, place)].ravel()
    nothing = np.zeros(0, np.uint32), np.zeros(0, np.uint16)
    expert._model = _native.Model.from_encoder(
        encoder.fitted_native, list(labels), *nothing, np.ascontiguousarray(weights).ravel(), np.ascontiguousarray(edges)
    )
