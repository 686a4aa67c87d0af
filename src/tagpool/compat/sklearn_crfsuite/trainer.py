"""A trainer that prints one line per iteration."""

from __future__ import annotations

import sys
from typing import Any

from tagpool.compat.pycrfsuite.trainer import Trainer

_PARTS = (
    ("num", "Iter {:<3} "),
    ("time", "time={:<5.2f} "),
    ("loss", "loss={:<8.2f} "),
    ("active_features", "active={:<5} "),
    ("avg_precision", "precision={:0.3f}  "),
    ("avg_recall", "recall={:0.3f}  "),
    ("avg_f1", "F1={:0.3f}  "),
    ("item_accuracy_float", "Acc(item/seq)={:0.3f} "),
    ("instance_accuracy_float", "{:0.3f}  "),
    ("feature_norm", "feature_norm={:<8.2f}"),
)


class LinePerIterationTrainer(Trainer):
    """If ``verbose``, print one line per iteration, and at the end the scores of each label on the dev set."""

    def on_iteration(self, log: str, info: dict[str, Any]) -> None:
        """Print the values of an iteration."""
        shown = "".join(text.format(info[name]) for name, text in _PARTS if name in info)
        sys.stdout.write(f"{shown.strip()}\n")

    def on_optimization_end(self, log: str) -> None:
        """Print the scores of each label if there is a dev set."""
        last = self.logparser.last_iteration if self.logparser else None
        scores = sorted((last or {}).get("scores", {}).items())
        if scores:
            width = max(len("Label"), *(len(label) for label, _ in scores))
            head = f"{'Label':<{width}}  Precision  Recall     F1  Support"
            lines = [
                f"{label:<{width}}  {score.precision or 0:9.3f}  {score.recall or 0:6.3f}  {score.f1 or 0:5.3f}  {score.ref:7}"
                for label, score in scores
            ]
            bar = "-" * len(head)
            sys.stdout.write("\n".join([bar, head, *lines, bar, ""]))
        super().on_optimization_end(log)
