"""Options of ``tagpool audit``, besides those that choose the tagger (``taggers.py``)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tagpool.cli.option_fields import option
from tagpool.corpus.formats import Format
from tagpool.errors import InputError


@dataclass
class AuditOptions:
    """The options, for an audit and for --drift."""

    train: list[str] | None = option(
        metavar="FILE", help="Training text: for unknown words, and to train without each part of the model (repeatable)."
    )
    dev: list[str] | None = option(
        metavar="FILE", help="Dev text of these trainings; with --drift, the text to compare with (repeatable)."
    )
    use: list[str] | None = option(
        metavar="NAME=PATH", help="A resource of the model and its file, for these trainings (repeatable)."
    )
    names: list[str] | None = option(metavar="FILE", help="Labelled text whose names replace those of TEST (repeatable).")
    by: list[str] | None = option(
        metavar="COLUMN", help="Score TEST by the values of a column (repeatable); with --drift, 'day'."
    )
    only: list[str] | None = option(
        metavar="PARTS", help="Parts of the audit, with commas: text, features, slices, or names of changes (default: all)."
    )
    perturbation: list[str] | None = option(
        metavar="MODULE:NAME", help="A Perturbation of yours, as a further change (repeatable)."
    )
    plot: Path | None = option(metavar="FILE", help="SVG or PNG file of the losses (needs tagpool[plots]).")
    drift: bool = option("--drift", default=False, help="Compare new text without labels with --dev.")
    reference: list[str] | None = option(
        metavar="FILE", help="Text to compare with, labelled or not, instead of --dev (--drift, repeatable)."
    )
    level: float = option(default=0.99, help="Probability of no alarm without drift (--drift).")
    fail_on_alarm: bool = option("--fail-on-alarm", default=False, help="Exit code 1 after an alarm (--drift).")
    columns: str | None = option(help="Column names of a CoNLL file, such as word,pos,label (default: those of the training).")
    label: str | None = option(help="Column of the labels (default: that of the training, or the last one).")
    format: Format | None = option("--format", help="File format (default: from the name); text: of new files and --reference.")
    encoding: str = option(default="utf-8", help="File encoding.")
    seed: int = option(default=0, min=0, help="Seed of the changes and of the intervals.")
    threads: int = option(default=1, min=1, help="Number of threads of a model of tagpool.")
    json: bool = option("--json", default=False, help="Print JSON.")

    def refuse_drift_options(self) -> None:
        """Raise an error for options that only --drift has."""
        if self.reference or self.fail_on_alarm:
            name = "--reference" if self.reference else "--fail-on-alarm"
            raise InputError(f"{name} is for new text without labels; add --drift, or drop it")

    def refuse_audit_options(self) -> None:
        """Raise an error for options that --drift does not have."""
        values = {
            "--use": self.use,
            "--names": self.names,
            "--only": self.only,
            "--perturbation": self.perturbation,
            "--label": self.label,
        }
        for name, value in values.items():
            if value:
                raise InputError(f"{name} is not for --drift; drop it")
