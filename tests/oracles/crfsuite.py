"""CRFsuite model files for tests, written without python-crfsuite, which does not run with the sanitizers."""

from __future__ import annotations

from typing import Any

import numpy as np

from tagpool import _native


def written(labels: list[Any], attributes: list[Any], states: list[float], transitions: list[float]) -> bytes:
    """A model file with a weight for every attribute and label."""
    count = len(labels)
    return _native.write_crfsuite(
        labels,
        attributes,
        np.repeat(np.arange(len(attributes), dtype=np.uint32), count),
        np.tile(np.arange(count, dtype=np.uint16), len(attributes)),
        np.array(states, np.float64),
        np.array(transitions, np.float64),
    )
