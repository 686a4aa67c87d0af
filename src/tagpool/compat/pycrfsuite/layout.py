"""Which attributes and labels have weights, as CRFsuite chooses them, laid out for training."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tagpool import _native
from tagpool.compat.pycrfsuite.parameters import Parameters


def laid_out(
    encoding: _native.Encoding,
    gold: NDArray[np.int32],
    attributes: int,
    labels: int,
    parameters: Parameters,
    *,
    merge_twins: bool,
    lean: bool,
) -> _native.TrainingSet:
    """The instances laid out; ``lean`` for L-BFGS only, in less memory."""
    minimum = parameters.get("feature.minfreq")
    states, transitions = parameters.get("feature.possible_states"), parameters.get("feature.possible_transitions")
    # Without bundles: they cost memory (30 MB of 305 on CoNLL-2000, 18 of 466 on CoNLL-2003) and save little or no time here.
    values = encoding.values() if encoding.has_values else None
    # CRFsuite's frequencies are sums of values: attributes of negative ones may fall below the least even where it is zero.
    if minimum <= 0 and (values is None or not (values < 0).any()):
        layout = _native.Layout(
            all_cells=states, boundaries=False, all_transitions=transitions, merge_twins=merge_twins, lean=lean
        )
        return _native.TrainingSet(encoding, gold, attributes, labels, layout)
    pairs = _pairs(encoding, gold, values, attributes, labels, minimum, states)
    layout = _native.Layout(all_cells=False, boundaries=False, merge_twins=merge_twins, lean=lean)
    known = _native.KnownWeights(
        features=(pairs // labels).astype(np.uint32),
        labels=(pairs % labels).astype(np.uint16),
        observe=False,
        transitions=_transitions(encoding, gold, labels, minimum, transitions),
    )
    return _native.TrainingSet(encoding, gold, attributes, labels, layout, known=known)


def _pairs(
    encoding: _native.Encoding,
    gold: NDArray[np.int32],
    values: NDArray[np.float32] | None,
    attributes: int,
    labels: int,
    minimum: float,
    possible: bool,
) -> NDArray[np.int64]:
    """The pairs of attribute and label that are met often enough: attribute · labels + label."""
    starts = encoding.starts().astype(np.int64)
    of_token = np.repeat(gold.astype(np.int64), starts[1:] - starts[:-1])
    met, inverse = np.unique(encoding.ids().astype(np.int64) * labels + of_token, return_inverse=True)
    often = np.bincount(inverse, weights=values, minlength=len(met))
    if not possible or minimum > 0:
        found: NDArray[np.int64] = met[often >= minimum]
        return found
    return np.setdiff1d(np.arange(attributes * labels, dtype=np.int64), met[often < minimum], assume_unique=True)


def _transitions(
    encoding: _native.Encoding, gold: NDArray[np.int32], labels: int, minimum: float, possible: bool
) -> NDArray[np.uint32]:
    """The transitions that are met often enough: from · labels + to."""
    inside = np.ones(len(gold), bool)
    inside[encoding.sentences()[:-1].astype(np.int64)] = False
    steps = (gold[:-1].astype(np.int64) * labels + gold[1:])[inside[1:]]
    often = np.bincount(steps, minlength=labels * labels)
    least = max(minimum, 0 if possible else 1)
    return np.flatnonzero(often >= least).astype(np.uint32)
