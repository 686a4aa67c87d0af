"""Progress of a search: a bar with the remaining time on a terminal, one line for every trial elsewhere."""

from __future__ import annotations

import math
from typing import Any

from tagpool.cli.console import notes
from tagpool.cli.progress import spell_time_left
from tagpool.cli.progress_bars import create_bars_with_time_left
from tagpool.cli.tuning.report import STATE_WORDS, describe_values
from tagpool.tuning.result import FINISHED, Trial
from tagpool.tuning.search import Budget, Search


class TrialFollower:
    """Reports the trials of a search."""

    def __init__(self, search: Search, budget: Budget) -> None:
        self.search, self.budget = search, budget
        self._progress = create_bars_with_time_left() if notes.is_terminal else None
        self._task: Any = None

    def __enter__(self) -> TrialFollower:
        if self._progress is not None:
            self._progress.start()
            self._task = self._progress.add_task("trial 1 (defaults)", total=None)
        return self

    def __exit__(self, *_: object) -> None:
        if self._progress is not None:
            self._progress.stop()

    def trial(self, trial: Trial) -> None:
        """Report a finished trial."""
        done = len(self.search.trials)
        scores = [one.score for one in self.search.trials if one.state == FINISHED and one.score is not None]
        best = max(scores, default=0.0)
        number = f"trial {trial.number}" + ("" if self.budget.trials is None else f"/{self.budget.trials}")
        if self._progress is not None:
            share = max(self.search.spent / self.budget.seconds, 0 if self.budget.trials is None else done / self.budget.trials)
            text = f"{number}  best dev F1 {100 * best:.2f}  defaults {100 * scores[0]:.2f}"
            self._progress.update(self._task, description=text, total=1.0, completed=min(share, 1.0))
            return
        outcome = trial.error or f"dev F1 {100 * (trial.score or 0):.2f}"
        if trial.state != FINISHED:
            outcome = f"{STATE_WORDS[trial.state]}, {outcome}"
        elif trial.score == best and scores.index(best) == len(scores) - 1:
            outcome += " (best)"
        values = "defaults" if trial.number == 1 else describe_values(trial.values)
        left = self.budget.seconds_left(done, self.search.spent)
        rest = "" if math.isinf(left) else f", {spell_time_left(left)}" if left else ", done"
        notes.print_line(f"{number}  {outcome}  {trial.seconds:.1f} s{rest}  {values}")
