"""Training log: events, each as text and as numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Event:
    """A stage of training.

    ``name`` is one of start, featgen_progress, featgen_end, prepared, iteration, optimization_end and end.
    ``text`` is printed; ``values`` has the same as numbers, under python-crfsuite's names.
    """

    name: str
    text: str
    values: dict[str, Any]


class TrainingLog:
    """Events of a training so far, with the attributes of python-crfsuite's ``logparser``.

    ``iterations`` has a dict for each: ``num``, ``loss``, ``time``; with L-BFGS also ``active_features``, ``feature_norm``,
    ``error_norm``, ``linesearch_trials`` and ``linesearch_step``; with a holdout group ``scores`` by label, ``avg_precision``,
    ``avg_recall``, ``avg_f1``, ``item_accuracy`` and ``instance_accuracy``.

    >>> log = TrainingLog()
    >>> log.add(Event("iteration", "Loss: 1.0", {"num": 1, "loss": 1.0}))
    >>> log.last_iteration["loss"], log.last_log
    (1.0, 'Loss: 1.0')
    """

    def __init__(self) -> None:
        self.featgen_percent = 0
        self.featgen_num_features: int | None = None
        self.featgen_seconds: float | None = None
        self.training_seconds: float | None = None
        self.storing_seconds: float | None = None
        self.iterations: list[dict[str, Any]] = []
        self.last_iteration: dict[str, Any] | None = None
        self.log: list[str] = []
        self.events: list[tuple[str, int, int]] = []

    def add(self, event: Event) -> None:
        """Add an event."""
        self.events.append((event.name, len(self.log), len(self.log) + 1))
        self.log.append(event.text)
        if event.name == "iteration":
            self.last_iteration = event.values
            self.iterations.append(event.values)
        else:
            self.__dict__.update(event.values)

    @property
    def last_log(self) -> str:
        """Text of the last event."""
        return self.log[-1] if self.log else ""


def iteration_text(values: dict[str, Any], what: str) -> str:
    """Return the text that CRFsuite prints for an iteration."""
    lines = [f"***** {what} #{values['num']} *****", f"Loss: {values['loss']:f}"]
    for key, name in (("feature_norm", "Feature norm"), ("error_norm", "Error norm")):
        if key in values:
            lines.append(f"{name}: {values[key]:f}")
    if "active_features" in values:
        lines.append(f"Active features: {values['active_features']}")
    if "linesearch_trials" in values:
        lines += [f"Line search trials: {values['linesearch_trials']}", f"Line search step: {values['linesearch_step']:f}"]
    lines.append(f"Seconds required for this iteration: {values['time']:.3f}")
    if "item_accuracy" in values:
        lines.append("Performance by label (#match, #model, #ref) (precision, recall, F1):")
        for label, score in values["scores"].items():
            rates = [score.precision, score.recall, score.f1]
            shown = ", ".join("******" if rate is None else f"{rate:.4f}" for rate in rates)
            lines.append(f"    {label}: ({score.match}, {score.model}, {score.ref}) ({shown})")
        means = ", ".join(f"{values[name]:f}" for name in ("avg_precision", "avg_recall", "avg_f1"))
        lines.append(f"Macro-average precision, recall, F1: ({means})")
        for key, name in (("item_accuracy", "Item accuracy"), ("instance_accuracy", "Instance accuracy")):
            lines.append(f"{name}: {values[f'{key}_count'][0]} / {values[f'{key}_count'][1]} ({values[f'{key}_float']:.4f})")
    return "\n".join(lines) + "\n\n"
