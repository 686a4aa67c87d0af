"""Reading and checking of a large model file."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from measure import fastest
from table import Row
from tasks import Task

import tagpool

_LABELS, _FEATURES = 9, 850_000


def _write_model(path: Path) -> None:
    """Write a model of about 50 MB: a weight for every label of some features, and the names of the features."""
    features = tagpool._native.GivenFeatures()
    names = [f"word={number:x}" for number in range(_FEATURES)]
    features.fit([[[name] for name in names]], 1)
    weights = np.random.default_rng(1).normal(size=_FEATURES * _LABELS).astype(np.float32)
    none = np.zeros(0)
    edges = np.zeros(_LABELS * (_LABELS + 2), np.float32)
    labels = [f"L{number}" for number in range(_LABELS)]
    model = tagpool._native.Model.from_given(features, labels, none.astype(np.uint32), none.astype(np.uint16), weights, edges)
    path.write_bytes(model.write({"kind": "crf"}, {"names": np.random.default_rng(2).bytes(9_000_000)}, False))


def loading(tasks: list[Task]) -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.tagpool"
        _write_model(path)
        best = fastest({"read": lambda: tagpool.load(path), "mapped": lambda: tagpool.load(path, mmap=True)}, rounds=15)
        size = path.stat().st_size / 1e6
    yield Row(
        f"load and check a model of {size:.0f} MB",
        f"{best['read'].cpu * 1e3:.0f} ms CPU",
        f"file in the page cache, minimum of 15: {best['read']}; with mmap=True {best['mapped']}",
    )
