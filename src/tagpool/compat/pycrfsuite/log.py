"""What a training says of itself: events with a text for people, and the same as numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Event:
    """A stage of training.

    ``name`` is one of start, featgen_progress, featgen_end, prepared, iteration, optimization_end and end.
    ``text`` is what is printed; ``found`` has what is known by then, under python-crfsuite's names.
    """

    name: str
    text: str
    found: dict[str, Any]


class TrainingLog:
    """The events of a training so far, as python-crfsuite's ``logparser`` shows them.

    ``iterations`` has a dict for each: ``num``, ``loss``, ``time``; with L-BFGS also ``active_features``, ``feature_norm``,
    ``error_norm``, ``linesearch_trials`` and ``linesearch_step``; with a holdout group ``scores`` by label, ``avg_precision``,
    ``avg_recall``, ``avg_f1``, ``item_accuracy`` and ``instance_accuracy``.

    >>> log = TrainingLog()
    >>> log.take(Event("iteration", "Loss: 1.0", {"num": 1, "loss": 1.0}))
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

    def take(self, event: Event) -> None:
        """Takes note of an event."""
        self.events.append((event.name, len(self.log), len(self.log) + 1))
        self.log.append(event.text)
        if event.name == "iteration":
            self.last_iteration = event.found
            self.iterations.append(event.found)
        else:
            self.__dict__.update(event.found)

    @property
    def last_log(self) -> str:
        """The text of the last event."""
        return self.log[-1] if self.log else ""


def iteration_text(found: dict[str, Any], what: str) -> str:
    """An iteration as CRFsuite prints it."""
    lines = [f"***** {what} #{found['num']} *****", f"Loss: {found['loss']:f}"]
    for key, name in (("feature_norm", "Feature norm"), ("error_norm", "Error norm")):
        if key in found:
            lines.append(f"{name}: {found[key]:f}")
    if "active_features" in found:
        lines.append(f"Active features: {found['active_features']}")
    if "linesearch_trials" in found:
        lines += [f"Line search trials: {found['linesearch_trials']}", f"Line search step: {found['linesearch_step']:f}"]
    lines.append(f"Seconds required for this iteration: {found['time']:.3f}")
    if "item_accuracy" in found:
        lines.append("Performance by label (#match, #model, #ref) (precision, recall, F1):")
        for label, score in found["scores"].items():
            rates = [score.precision, score.recall, score.f1]
            shown = ", ".join("******" if rate is None else f"{rate:.4f}" for rate in rates)
            lines.append(f"    {label}: ({score.match}, {score.model}, {score.ref}) ({shown})")
        means = ", ".join(f"{found[name]:f}" for name in ("avg_precision", "avg_recall", "avg_f1"))
        lines.append(f"Macro-average precision, recall, F1: ({means})")
        for key, name in (("item_accuracy", "Item accuracy"), ("instance_accuracy", "Instance accuracy")):
            lines.append(f"{name}: {found[f'{key}_count'][0]} / {found[f'{key}_count'][1]} ({found[f'{key}_float']:.4f})")
    return "\n".join(lines) + "\n\n"
