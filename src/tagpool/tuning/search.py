"""Search: trainings with different values of the parameters, chosen by Optuna from the scores of earlier ones.

Every trial has a sampler with its own seed, so that a search that was interrupted continues with the same trials. With an engine,
the trials of a batch are trained at the same time. Their values are chosen from the scores of earlier batches, so the study does
not depend on the number of workers.
"""

from __future__ import annotations

import contextlib
import json
import math
import time
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tagpool.corpus.corpus import Corpus
from tagpool.errors import InputError, TagpoolError
from tagpool.experts.tasks import current_tasks, iterate_tasks
from tagpool.tuning.facts import check_facts, search_facts
from tagpool.tuning.held_out import check_dev
from tagpool.tuning.quiet_optuna import import_optuna, quiet
from tagpool.tuning.result import FAILED, FINISHED, PRUNED, Trial, Tuning
from tagpool.tuning.space import search_space, with_values
from tagpool.tuning.study_file import StudyFile
from tagpool.tuning.trial_task import FULL_EPOCHS, FULL_TRIALS, History, Outcome, TrialTask, end_after, run_trial

DEFAULT_TRIALS = 40
_RANDOM_TRIALS = 10  # before the sampler uses the scores of earlier trials
_BATCH = 8  # trials at the same time, with an engine
_MOST_REPEATED = 20  # trials in a row with values that were tried: a small space is exhausted
_FEWEST_FOR_IMPORTANCE = 10  # trials
_STUDY = "tagpool tune"  # name of the study in its file
_SEED_STEP = 1_000_003  # between the seeds of two searches, more than the number of trials


@dataclass(frozen=True)
class Budget:
    """The end of a search: a number of trials, a time, or the first of both. The trials of a continued study count, too."""

    trials: int | None = None
    minutes: float | None = None

    def __post_init__(self) -> None:
        if self.minutes is not None and not 0 < self.minutes < math.inf:
            raise InputError(f"minutes = {self.minutes:g}: expected a number above 0")
        if self.trials is not None and self.trials < 1:
            raise InputError(f"trials = {self.trials}: expected a whole number from 1")
        if self.trials is None and self.minutes is None:
            object.__setattr__(self, "trials", DEFAULT_TRIALS)

    @property
    def seconds(self) -> float:
        """The time; infinite without a limit."""
        return math.inf if self.minutes is None else 60 * self.minutes

    def seconds_left(self, trials: int, spent: float) -> float:
        """Return the estimated time after some trials, which took ``spent`` seconds.

        >>> Budget(trials=10).seconds_left(5, 20.0), Budget(trials=10, minutes=0.5).seconds_left(5, 20.0)
        (20.0, 10.0)
        """
        by_trials = math.inf if self.trials is None or not trials else spent / trials * max(self.trials - trials, 0)
        return min(by_trials, max(self.seconds - spent, 0.0))


class Search:
    """A search for the best values of a learner's parameters; ``trials`` has those so far.

    ``fixed`` has the names of parameters that keep their values, ``study`` is the file of the trials.
    """

    def __init__(
        self, learner: Any, train: Corpus, dev: Corpus, *, fixed: Collection[str] = (), study: str | Path | None = None
    ) -> None:
        self._optuna = import_optuna()
        self.learner, self.train, self.dev = learner, train, dev
        self.space = search_space(learner, fixed)
        self.seed = int(getattr(learner, "seed", 1))
        check_dev(train, dev)
        self.trials: list[Trial] = []
        self._interrupted: list[Any] = []  # trials of a batch whose process was killed
        self._spent = 0.0  # seconds of earlier trials
        self._begun = time.perf_counter()
        self._file = None if study is None else StudyFile(study)
        try:
            self._study = self._open_study()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Search:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the study file."""
        if self._file is not None:
            self._file.close()

    @property
    def spent(self) -> float:
        """Seconds of all trials, also of those that the study had before."""
        return self._spent + time.perf_counter() - self._begun

    # Trials -------------------------------------------------------------------------------------------------------------

    def run(self, budget: Budget, on_trial: Callable[[Trial], object] | None = None) -> None:
        """Run trials to the end of the budget; ``on_trial`` is called after each of them, in the order of their numbers.

        The trials that run at the end of the time are stopped and do not count, except the first one.
        """
        self._spent, self._begun = sum(trial.seconds for trial in self.trials), time.perf_counter()
        while not self._is_finished(budget):
            for trial in self._run_batch(self._batch_size(budget), budget.seconds):
                if trial is None:
                    return
                self.trials.append(trial)
                if on_trial is not None:
                    on_trial(trial)

    def _batch_size(self, budget: Budget) -> int:
        """Return the number of trials that are chosen together: the first is alone, since all others need it."""
        count = len(self.trials)
        if current_tasks() is None or count == 0:
            return 1
        size = _BATCH - (count - 1) % _BATCH
        return size if budget.trials is None else min(size, budget.trials - count)

    def _is_finished(self, budget: Budget) -> bool:
        if not self.trials:
            return False
        if self.spent >= budget.seconds or (budget.trials is not None and len(self.trials) >= budget.trials):
            return True
        last = self.trials[-_MOST_REPEATED:]
        return len(last) == _MOST_REPEATED and all(trial.seconds == 0 for trial in last)

    def _run_batch(self, size: int, seconds: float) -> Iterator[Trial | None]:
        """Run the next trials together; None if the time ended before a trial did."""
        first = len(self.trials) + 1
        asked, self._interrupted = self._interrupted or [], []
        history = self._history(first if not asked else int(asked[0].user_attrs.get("batch", first)))
        try:
            while len(asked) < size:
                asked.append(self._ask(first + len(asked), first))
            values = [one.user_attrs["values"] for one in asked]
            end = end_after(max(seconds - self.spent, 0.0))
            new = [number for number in range(size) if self._earlier(values[number], values[:number]) is None]
            tasks = [self._task(values[number], first + number, end, history) for number in new]
            results = iterate_tasks(run_trial, tasks)
            for number in range(size):
                outcome = next(results) if number in new else None
                trial = self._trial(first + number, values[number], outcome)
                with quiet(self._optuna):
                    self._store(asked[0], trial, {} if outcome is None else outcome.reports)
                asked.pop(0)
                yield trial
                if trial is None:
                    return
        finally:
            with contextlib.suppress(Exception), quiet(self._optuna):
                for one in asked:
                    self._study.tell(one, state=self._states.FAIL)

    def _task(self, values: dict[str, Any], number: int, end: float, history: History) -> TrialTask:
        learner = with_values(self.learner, self.space, values)
        return TrialTask(learner, self.train, self.dev, number == 1, end, history)

    def _trial(self, number: int, values: dict[str, Any], outcome: Outcome | None) -> Trial | None:
        """Return the trial of an outcome (None: that of an earlier trial with the same values, which takes no time)."""
        if outcome is None:
            earlier = self._earlier(values)
            assert earlier is not None
            return Trial(number, values, earlier.score, 0.0, earlier.state, earlier.error)
        if outcome.state is None:
            return None
        return Trial(number, values, outcome.score, outcome.seconds, outcome.state, outcome.error)

    def _earlier(self, values: dict[str, Any], batch: Sequence[dict[str, Any]] = ()) -> Any:
        """Return an earlier trial, or values of the batch, that are the same; None without."""
        return next((one for one in self.trials if one.values == values), None) or next(
            (one for one in batch if one == values), None
        )

    def _history(self, before: int) -> History:
        """Return the scores of finished trials, from those with smaller numbers."""
        trials = self._study.get_trials(deepcopy=False, states=(self._states.COMPLETE,))
        return [(one.value, one.intermediate_values) for one in trials if one.user_attrs.get("number", 0) < before]

    def _ask(self, number: int, batch: int) -> Any:
        """Return the trial of Optuna with this number, with its values."""
        with quiet(self._optuna):
            asked = self._new_trial(number)
            # The first trial has the exact defaults; Optuna is told those that are in their range.
            values = {one.name: one.suggest(asked) for one in self.space if number > 1 or one.has_default}
            if number == 1:
                values = {one.name: one.default for one in self.space}
            for name, value in {"number": number, "batch": batch, "values": values}.items():
                asked.set_user_attr(name, value)
        return asked

    def _new_trial(self, number: int) -> Any:
        seed = (self.seed * _SEED_STEP + number) % (1 << 32)
        self._study.sampler = self._optuna.samplers.TPESampler(
            seed=seed,
            n_startup_trials=_RANDOM_TRIALS,
            multivariate=True,
            constant_liar=current_tasks() is not None,  # trials of a batch avoid each other
        )
        waiting = self._study.get_trials(deepcopy=False, states=(self._states.WAITING,))
        if number == 1 and not waiting:
            self._study.enqueue_trial({one.name: one.default for one in self.space if one.has_default})
        return self._study.ask()

    def result(self) -> Tuning:
        """Return the best values so far."""
        if not self.trials:
            raise InputError("the search has no finished trial")
        result = Tuning(self.learner, self.trials, self.space, self._importances())
        best = with_values(self.learner, self.space, result.changes(result.best))
        return Tuning(best, list(self.trials), self.space, result.importances)

    def _importances(self) -> dict[str, float]:
        scores = [trial.score for trial in self.trials if trial.state == FINISHED]
        if len(scores) < _FEWEST_FOR_IMPORTANCE or len(set(scores)) == 1 or len(self.space) < 2:
            return {}
        from optuna import importance  # takes long: it imports scikit-learn where that is installed

        names = [one.name for one in self.space]
        with quiet(self._optuna), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about few trials
            evaluator = importance.PedAnovaImportanceEvaluator()
            shares = importance.get_param_importances(self._study, evaluator=evaluator, params=names)
        return {name: float(share) for name, share in shares.items()}

    # The study of Optuna ------------------------------------------------------------------------------------------------

    @property
    def _states(self) -> Any:
        return self._optuna.trial.TrialState

    def _open_study(self) -> Any:
        """Create the study, or read it with its trials from the file."""
        optuna = self._optuna
        facts = json.loads(json.dumps(search_facts(self.learner, self.space, self.train, self.dev, self.seed)))
        pruner = optuna.pruners.MedianPruner(n_startup_trials=FULL_TRIALS, n_warmup_steps=FULL_EPOCHS)
        with quiet(optuna):
            try:
                storage = None if self._file is None else optuna.storages.JournalStorage(self._file)
                if self._file is None or self._file.is_new:
                    study = optuna.create_study(storage=storage, study_name=_STUDY, direction="maximize", pruner=pruner)
                else:
                    study = optuna.load_study(storage=storage, study_name=_STUDY, pruner=pruner)
                stored, trials = study.user_attrs.get("search"), study.get_trials()
            except TagpoolError:
                raise
            except Exception as error:  # of Optuna, about the content of the file
                raise self._damaged(error) from None
            if stored is None:
                study.set_user_attr("search", facts)
            elif self._file is not None:
                check_facts(self._file.path, stored, facts)
            for trial in trials:
                if trial.state == self._states.RUNNING:  # its process was killed
                    if current_tasks() is not None and "values" in trial.user_attrs:
                        self._interrupted.append(optuna.trial.Trial(study, trial._trial_id))
                    else:
                        study.tell(trial.number, state=self._states.FAIL)
                elif "seconds" in trial.user_attrs:
                    self.trials.append(self._restore(trial))
        return study

    def _restore(self, stored: Any) -> Trial:
        names = {self._states.COMPLETE: FINISHED, self._states.PRUNED: PRUNED, self._states.FAIL: FAILED}
        attributes = stored.user_attrs
        try:
            values = {one.name: attributes["values"][one.name] for one in self.space}
            state = names[stored.state]
            score = None if attributes["score"] is None else float(attributes["score"])
            seconds, error = float(attributes["seconds"]), attributes.get("error")
            return Trial(len(self.trials) + 1, values, score, seconds, state, error)
        except (KeyError, TypeError, ValueError) as error:
            raise self._damaged(error) from None

    def _damaged(self, error: Exception) -> InputError:
        message = f"the study is damaged ({type(error).__name__}: {error}); choose another file"
        return InputError(message, source=None if self._file is None else self._file.path)

    def _store(self, asked: Any, trial: Trial | None, reports: Mapping[int, float]) -> None:
        if trial is None:
            self._study.tell(asked, state=self._states.FAIL)
            return
        for epoch, score in reports.items():
            asked.report(score, epoch)
        facts = {"score": trial.score, "seconds": trial.seconds} | ({} if trial.error is None else {"error": trial.error})
        for name, value in facts.items():
            asked.set_user_attr(name, value)
        if trial.state == FINISHED:
            self._study.tell(asked, trial.score)
        elif trial.state == PRUNED:
            if trial.seconds == 0:  # a repeated trial has no epochs
                asked.report(trial.score, 1)
            self._study.tell(asked, state=self._states.PRUNED)
        else:
            self._study.tell(asked, state=self._states.FAIL)
