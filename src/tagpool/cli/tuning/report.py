"""The result of a search as JSON, text and a plot."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tagpool.cli.console import output, print_table
from tagpool.cli.percent import in_percent
from tagpool.report.plots import Panel, trial_panels
from tagpool.tuning.result import FAILED, FINISHED, PRUNED, Trial, Tuning
from tagpool.tuning.space import Dimension
from tagpool.wording import counted

_MOST_ROWS = 10
STATE_WORDS = {PRUNED: "stopped early", FAILED: "failed"}
"""The states of trials without a result, as words."""


def describe_values(values: Mapping[str, Any]) -> str:
    """Return values in one line.

    >>> describe_values({"learner.l2": 0.5, "features.min_count": 2})
    'learner.l2=0.5, features.min_count=2'
    """
    return ", ".join(f"{name}={value}" for name, value in values.items())


def summary(result: Tuning, configuration: Path, plot: Path | None) -> dict[str, Any]:
    """Return the result for JSON."""
    files = {"config": str(configuration)} | ({} if plot is None else {"plot": str(plot)})
    facts: dict[str, Any] = in_percent(result.to_dict(), ("dev_f1", "gain"))
    return files | facts


def show(result: Tuning, configuration: Path, plot: Path | None) -> None:
    """Print the best trials, the importances and the gain."""
    ranking = result.ranking()
    rows = [_row(result, trial) for trial in ranking[:_MOST_ROWS]]
    if result.defaults not in ranking[:_MOST_ROWS]:
        rows.append(_row(result, result.defaults))
    print_table(["trial", "different from the defaults", "dev F1", "time"], rows, left=2)
    for line in _conclusions(result):
        output.print_line(line)
    output.print_line(f"written to {configuration}" + ("" if plot is None else f", plot to {plot}"))
    output.print_line(f"train with it: tagpool train --config {configuration} --model FILE")


def _row(result: Tuning, trial: Trial) -> list[str]:
    changes = describe_values(result.changes(trial)) or "(defaults)"
    return [str(trial.number), changes, f"{100 * (trial.score or 0):.2f}", f"{trial.seconds:.1f} s"]


def _conclusions(result: Tuning) -> list[str]:
    counts = {words: sum(trial.state == state for trial in result.trials) for state, words in STATE_WORDS.items()}
    others = [f"{count} {words}" for words, count in counts.items() if count]
    lines = [counted(len(result.trials), "trial") + (f", {', '.join(others)}" if others else "")]
    if result.importances:
        shares = ", ".join(f"{name} {100 * share:.0f}%" for name, share in result.importances.items())
        lines.append(f"importance: {shares}")
    if result.gain > 0:
        scores = f"{100 * (result.defaults.score or 0):.2f} to {100 * (result.best.score or 0):.2f}"
        lines.append(f"gain over the defaults: {100 * result.gain:+.2f} F1 on the dev set ({scores}); on other text, expect less")
    else:
        lines.append("no trial was better than the defaults")
    return lines


def draw(file: Path, result: Tuning) -> None:
    """Draw the score of every trial by the value of each parameter, and the importances."""
    names = {name: _short(name) for name in result.importances}
    shares = {names[name]: share for name, share in result.importances.items()}
    parts = [_panel(result, one) for one in result.space]
    trial_panels(file, parts, shares, "dev F1", f"{counted(len(result.trials), 'trial')} of {type(result.learner).__name__}")


def _panel(result: Tuning, dimension: Dimension) -> Panel:
    def points(*trials: Trial) -> list[tuple[Any, float]]:
        """Return the values with their scores. A default out of the range, such as 0 on a logarithmic axis, has no point."""
        shown = [trial for trial in trials if dimension.has_default or trial.values[dimension.name] != dimension.default]
        return [(trial.values[dimension.name], 100 * trial.score) for trial in shown if trial.score is not None]

    groups = {
        "finished": points(*(trial for trial in result.trials if trial.state == FINISHED)),
        "stopped early": points(*(trial for trial in result.trials if trial.state == PRUNED)),
        "defaults": points(result.defaults),
        "best": points(result.best),
    }
    return Panel(_short(dimension.name), groups, dimension.logarithmic)


def _short(name: str) -> str:
    """Return a name without its section.

    >>> _short("learner.trainer.dropout")
    'trainer.dropout'
    """
    return name.partition(".")[2]
