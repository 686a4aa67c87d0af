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


_HEADS = ("Label", "Precision", "Recall", "F1", "Support")


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
            rows = [
                [
                    label,
                    *("" if rate is None else f"{rate:.3f}" for rate in (score.precision, score.recall, score.f1 or 0)),
                    str(score.ref),
                ]
                for label, score in scores
            ]
            widths = [max(len(head) + 2, *(len(row[i]) for row in rows)) for i, head in enumerate(_HEADS)]
            lines = [
                "  ".join(
                    cell.rjust(width) if i else cell.ljust(width) for i, (cell, width) in enumerate(zip(row, widths, strict=True))
                )
                for row in ([*_HEADS], ["-" * width for width in widths], *rows)
            ]
            size = len(lines[0])
            sys.stdout.write("\n".join(["=" * size, *(line.rstrip() for line in lines), "-" * size, ""]))
        super().on_optimization_end(log)
