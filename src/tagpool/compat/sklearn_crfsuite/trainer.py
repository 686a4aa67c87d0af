"""A trainer that says one line an iteration."""

from __future__ import annotations

import sys
from typing import Any

from tagpool.compat.pycrfsuite.trainer import Trainer

_PARTS = (
    ("time", "time={:<5.2f}"),
    ("loss", "loss={:<8.2f}"),
    ("active_features", "active={:<5}"),
    ("avg_precision", "precision={:0.3f} "),
    ("avg_recall", "recall={:0.3f} "),
    ("avg_f1", "F1={:0.3f} "),
    ("item_accuracy_float", "items={:0.3f} "),
    ("instance_accuracy_float", "sequences={:0.3f} "),
    ("feature_norm", "feature_norm={:<8.2f}"),
)


class LinePerIterationTrainer(Trainer):
    """A trainer that says one line an iteration, if it is ``verbose``."""

    def on_iteration(self, log: str, info: dict[str, Any]) -> None:
        """Says how training stands."""
        shown = " ".join(text.format(info[name]) for name, text in _PARTS if name in info)
        sys.stdout.write(f"Iter {info['num']:<3} {shown.strip()}\n")
