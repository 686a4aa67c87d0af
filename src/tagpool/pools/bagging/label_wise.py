"""Members that distinguish only some labels: trained with the others merged, then expanded to all labels.

The expanded model scores a sequence as the trained one scores the sequence with merged labels: W[k, v] = W'[k, merged v], and the
same for transitions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tagpool import _native
from tagpool.corpus.corpus import Corpus
from tagpool.errors import InputError
from tagpool.experts.linear.expert import Expert
from tagpool.features.encoder import Encoder

OTHER = "\ufffdother"  # replaces the merged labels


def merge_labels(corpus: Corpus, labels: Sequence[str]) -> Corpus:
    """Return the corpus with all labels but these merged.

    >>> corpus = Corpus.from_lists(word=[["Ann", "saw", "Oslo"]], label=[["PER", "O", "LOC"]])
    >>> merge_labels(corpus, ["PER"]).labels == [["PER", OTHER, OTHER]]
    True
    """
    known = set(labels)
    return corpus.with_labels([[label if label in known else OTHER for label in row] for row in corpus.labels])


def expand_labels(expert: Expert, labels: Sequence[str], forbidden: Any) -> None:
    """Replace the model of an expert that was trained on merged labels by one with all labels, and these forbidden edges."""
    model, encoder = expert._fitted(), expert._encoder
    if not isinstance(encoder, Encoder) or model.has_history:
        raise InputError("members for single labels must have no transition features")
    numbers = {label: number for number, label in enumerate(model.labels)}
    source = np.array([numbers.get(label, numbers.get(OTHER, -1)) for label in labels])
    count = len(numbers)
    weights = model.weights_of(encoder.feature_names).reshape(-1, count)[:, source]
    edges = np.zeros(0, np.float32)
    if model.chain:
        rows = np.concatenate([source, [count, count + 1]])  # the last two: start and end
        edges = model.edges().reshape(count + 2, count)[np.ix_(rows, source)].ravel()
    all_cells = np.zeros(0, np.uint32), np.zeros(0, np.uint16)
    expert._model = _native.Model.from_encoder(
        encoder.fitted_native,
        _native.ModelLabels(list(labels), forbidden),
        *all_cells,
        np.ascontiguousarray(weights).ravel(),
        np.ascontiguousarray(edges),
    )
