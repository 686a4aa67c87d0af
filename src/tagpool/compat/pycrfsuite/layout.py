"""Layout of the training set if attributes have values or a minimum frequency: the cells that CRFsuite has."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tagpool import _native
from tagpool.compat.pycrfsuite.parameters import Parameters


def create_training_set(
    encoding: _native.Encoding,
    gold: NDArray[np.int32],
    attributes: int,
    labels: int,
    parameters: Parameters,
    *,
    merge_twins: bool,
    lean: bool,
) -> _native.TrainingSet:
    """Return the training set; ``lean`` needs less memory and is for L-BFGS only."""
    minimum = parameters.get("feature.minfreq")
    states, transitions = parameters.get("feature.possible_states"), parameters.get("feature.possible_transitions")
    values = encoding.values() if encoding.has_values else None
    # CRFsuite's frequencies are sums of values: negative ones may be below a minimum of zero.
    if minimum <= 0 and (values is None or not (values < 0).any()):
        layout = _native.Layout(
            all_cells=states, boundaries=False, all_transitions=transitions, merge_twins=merge_twins, lean=lean, bundle=lean
        )
        return _native.TrainingSet(encoding, gold, attributes, labels, layout)
    cells = _cells(encoding, gold, values, attributes, labels, minimum, states)
    layout = _native.Layout(all_cells=False, boundaries=False, merge_twins=merge_twins, lean=lean, bundle=lean)
    known = _native.KnownWeights(
        features=(cells // labels).astype(np.uint32),
        labels=(cells % labels).astype(np.uint16),
        observe=False,
        transitions=_transitions(encoding, gold, labels, minimum, transitions),
    )
    return _native.TrainingSet(encoding, gold, attributes, labels, layout, known=known)


def _cells(
    encoding: _native.Encoding,
    gold: NDArray[np.int32],
    values: NDArray[np.float32] | None,
    attributes: int,
    labels: int,
    minimum: float,
    possible: bool,
) -> NDArray[np.int64]:
    """Return the cells whose frequency reaches the minimum, as attribute · labels + label."""
    starts = encoding.starts().astype(np.int64)
    of_token = np.repeat(gold.astype(np.int64), starts[1:] - starts[:-1])
    observed, inverse = np.unique(encoding.ids().astype(np.int64) * labels + of_token, return_inverse=True)
    frequency = np.bincount(inverse, weights=values, minlength=len(observed))
    if not possible or minimum > 0:
        frequent: NDArray[np.int64] = observed[frequency >= minimum]
        return frequent
    return np.setdiff1d(np.arange(attributes * labels, dtype=np.int64), observed[frequency < minimum], assume_unique=True)


def _transitions(
    encoding: _native.Encoding, gold: NDArray[np.int32], labels: int, minimum: float, possible: bool
) -> NDArray[np.uint32]:
    """Return the label bigrams whose frequency reaches the minimum, as from · labels + to."""
    inside = np.ones(len(gold), bool)
    inside[encoding.sentences()[:-1].astype(np.int64)] = False
    steps = (gold[:-1].astype(np.int64) * labels + gold[1:])[inside[1:]]
    frequency = np.bincount(steps, minlength=labels * labels)
    return np.flatnonzero(frequency >= max(minimum, 0 if possible else 1)).astype(np.uint32)
