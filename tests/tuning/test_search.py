"""Searches: the defaults first, the same trials for the same seed, studies that continue, budgets, bad data."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("optuna")
import optuna

import tagpool
from tagpool import CRF, OWLQN, SGD, Corpus, ElitistPool, InputError, Trial, Tuning, builtin_corpus, tune
from tagpool.tuning.held_out import hold_out
from tagpool.tuning.search import Budget, Search
from tagpool.tuning.study_file import StudyFile

TRAIN, DEV = builtin_corpus(60), builtin_corpus(90, part="dev")
LEARNER = CRF("word[-1..1]\nsuffix(word, 1..2)[0]", trainer=SGD(epochs=8))


def facts(result: Tuning) -> list[tuple[Any, ...]]:
    """Everything about the trials but their times."""
    return [(trial.number, dict(trial.values), trial.score, trial.state) for trial in result.trials]


@pytest.fixture(scope="module")
def whole() -> Tuning:
    """A search of 14 trials without interruption."""
    return tune(LEARNER, TRAIN, DEV, trials=14)


def test_the_first_trial_has_the_defaults_and_the_result_is_not_worse(whole: Tuning) -> None:
    assert whole.defaults.values == {one.name: one.default for one in whole.space}
    crf = CRF(LEARNER.templates, trainer=SGD(epochs=8)).fit(TRAIN, dev=DEV)
    assert whole.defaults.score == crf.summary_["dev"]
    assert whole.best.score == max(trial.score or 0 for trial in whole.trials if trial.state == "finished")
    assert whole.gain == whole.best.score - whole.defaults.score >= 0


def test_the_learner_of_the_result_has_the_score_of_the_best_trial(whole: Tuning) -> None:
    assert not whole.learner.is_fitted
    assert whole.learner.fit(TRAIN, dev=DEV).summary_["dev"] == whole.best.score


def test_values_are_in_their_ranges_and_differ(whole: Tuning) -> None:
    for one in whole.space:
        assert whole.defaults.values[one.name] == one.default
        tried = [trial.values[one.name] for trial in whole.trials[1:]]
        assert all(one.bounds[0] <= value <= one.bounds[1] for value in tried)
        assert len(set(tried)) > 2
    assert sum(whole.importances.values()) == pytest.approx(1)
    assert set(whole.importances) == {one.name for one in whole.space}


def test_the_same_seed_gives_the_same_trials(whole: Tuning) -> None:
    assert facts(tune(LEARNER, TRAIN, DEV, trials=4)) == facts(whole)[:4]
    other = CRF(**{**LEARNER.get_params(deep=False), "seed": 2})
    assert [values for _, values, _, _ in facts(tune(other, TRAIN, DEV, trials=3))][1:] != [
        values for _, values, _, _ in facts(whole)[1:3]
    ]


def test_a_search_in_parts_has_the_same_trials(whole: Tuning, tmp_path: Path) -> None:
    study = tmp_path / "study"
    for trials in (1, 5, 14):
        result = tune(LEARNER, TRAIN, DEV, trials=trials, study=study)
        assert facts(result) == facts(whole)[:trials]
    before = study.read_bytes()
    assert facts(tune(LEARNER, TRAIN, DEV, trials=14, study=study)) == facts(whole)
    assert study.read_bytes() == before
    # The trials that took part in the search, as Optuna reads them.
    backend = optuna.storages.journal.JournalFileBackend(str(study))
    stored = optuna.load_study(study_name=None, storage=optuna.storages.JournalStorage(backend))
    assert stored.best_value == whole.best.score


KILLED = """
import os, signal, sys, tagpool
from tuning.test_search import DEV, LEARNER, TRAIN
def kill(trial):
    if trial.number == 6:
        signal.setitimer(signal.ITIMER_REAL, 0.01)  # in the next trial
signal.signal(signal.SIGALRM, lambda *_: os.kill(os.getpid(), signal.SIGKILL))
tagpool.tune(LEARNER, TRAIN, DEV, trials=14, study=sys.argv[1], on_trial=kill)
"""


def test_a_killed_search_continues(whole: Tuning, tmp_path: Path) -> None:
    study = tmp_path / "study"
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)}
    done = subprocess.run([sys.executable, "-c", KILLED, study], env=environment, capture_output=True, check=False)
    assert done.returncode == -9, done.stderr
    content = study.read_bytes()
    for torn in (content, content[:-7]):  # also if the last line was not completely written
        study.write_bytes(torn)
        assert facts(tune(LEARNER, TRAIN, DEV, trials=14, study=study)) == facts(whole)


def test_an_interrupted_search_keeps_its_trials(whole: Tuning, tmp_path: Path) -> None:
    study = tmp_path / "study"

    def interrupt(trial: Trial) -> None:
        if trial.number == 3:
            raise KeyboardInterrupt

    with Search(LEARNER, TRAIN, DEV, study=study) as search:
        with pytest.raises(KeyboardInterrupt):
            search.run(Budget(14), interrupt)
        assert facts(search.result()) == facts(whole)[:3]
    assert facts(tune(LEARNER, TRAIN, DEV, trials=14, study=study)) == facts(whole)


def test_interruption_in_a_training(whole: Tuning, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study, fit, count = tmp_path / "study", CRF.fit, 0

    def interrupted(*arguments: Any, **options: Any) -> Any:
        nonlocal count
        count += 1
        if count in (1, 4):
            raise KeyboardInterrupt
        return fit(*arguments, **options)

    monkeypatch.setattr(CRF, "fit", interrupted)
    for _ in range(2):  # in the trial of the defaults, and later
        with pytest.raises(KeyboardInterrupt):
            tune(LEARNER, TRAIN, DEV, trials=5, study=study)
    assert facts(tune(LEARNER, TRAIN, DEV, trials=5, study=study)) == facts(whole)[:5]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"train": builtin_corpus(61)}, "other training sentences"),
        ({"dev": builtin_corpus(91, part="dev")}, "other dev sentences"),
        ({"fixed": ["learner.l2"]}, "another search space: learner.l2 is 0.01 to 10, logarithmic in the study and not there in"),
        ({"learner": CRF("word[0]", trainer=SGD(epochs=8))}, "another configuration: features.templates differs"),
        (
            {"learner": CRF(LEARNER.templates, trainer=SGD(epochs=7))},
            "another configuration: learner.trainer.epochs is 8 in the study and 7 in this search",
        ),
        ({"learner": CRF(LEARNER.templates, trainer=SGD(epochs=8), seed=3)}, "learner.seed is 1 in the study and 3"),
    ],
)
def test_a_study_of_another_search_is_an_error(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    study = tmp_path / "study"
    search: dict[str, Any] = {"learner": LEARNER, "train": TRAIN, "dev": DEV}
    tune(**search, trials=1, study=study)
    before = study.read_bytes()
    with pytest.raises(InputError) as caught:
        tune(**{**search, **change}, trials=2, study=study)
    assert message in str(caught.value)
    assert str(study) in str(caught.value)
    assert study.read_bytes() == before


@pytest.mark.parametrize("content", ["word O\n", '{"a": 1}\n', "[1]\n", '{"op_code": 4}\n', "text", '{"op_code": 99, "x": 1}\n{'])
def test_a_file_that_is_no_study_does_not_change(tmp_path: Path, content: str) -> None:
    study = tmp_path / "study"
    study.write_text(content)
    with pytest.raises(InputError, match="study"):
        tune(LEARNER, TRAIN, DEV, trials=1, study=study)
    assert study.read_text() == content


def test_one_process_uses_a_study(tmp_path: Path) -> None:
    first = StudyFile(tmp_path / "study")
    with pytest.raises(InputError, match="another process uses this study"):
        StudyFile(tmp_path / "study")
    first.close()
    StudyFile(tmp_path / "study").close()


@pytest.mark.parametrize("budget", [{"trials": 0}, {"trials": -1}, {"minutes": 0}, {"minutes": -2.5}, {"minutes": float("nan")}])
def test_a_budget_is_above_zero(budget: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="expected a"):
        tune(LEARNER, TRAIN, DEV, **budget)


def test_the_default_budget_and_the_time_left() -> None:
    assert (Budget().trials, Budget(minutes=1).trials) == (40, None)
    assert Budget(minutes=1).seconds_left(3, 45.0) == 15.0
    assert Budget(trials=4).seconds_left(0, 0.0) == float("inf")


def test_a_short_time_finishes_the_defaults_only() -> None:
    result = tune(LEARNER, TRAIN, DEV, minutes=1e-9)
    assert [trial.number for trial in result.trials] == [1]
    assert result.best is result.defaults
    assert result.gain == 0
    assert result.importances == {}


def test_the_time_of_a_study_counts(tmp_path: Path) -> None:
    tune(LEARNER, TRAIN, DEV, trials=2, study=tmp_path / "study")
    assert len(tune(LEARNER, TRAIN, DEV, minutes=1e-9, study=tmp_path / "study").trials) == 2


def test_a_trial_at_the_end_of_the_time_does_not_count(whole: Tuning, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fit, epochs, clock = CRF.fit, [], time.time

    def slow(learner: CRF, *arguments: Any, on_epoch: Any, **options: Any) -> Any:
        if len(search.trials) == 2:  # the third training seems to take a day
            monkeypatch.setattr(time, "time", lambda: clock() + 24 * 3600)

        def report(epoch: tagpool.Epoch) -> object:
            epochs.append((len(search.trials), epoch.number))
            return on_epoch(epoch)

        return fit(learner, *arguments, on_epoch=report, **options)

    monkeypatch.setattr(CRF, "fit", slow)
    with Search(LEARNER, TRAIN, DEV, study=tmp_path / "study") as search:
        search.run(Budget(minutes=60))
        assert facts(search.result()) == facts(whole)[:2]
    assert [epoch for trials, epoch in epochs if trials == 2] == [1]
    monkeypatch.undo()
    assert facts(tune(LEARNER, TRAIN, DEV, trials=4, study=tmp_path / "study")) == facts(whole)[:4]


def test_bad_trials_are_stopped_early() -> None:
    learner = CRF(LEARNER.templates, trainer=SGD(epochs=8), patience=None)
    result = tune(learner, TRAIN, DEV, trials=16)
    finished = [trial for trial in result.trials if trial.state == "finished"]
    pruned = [trial for trial in result.trials if trial.state == "pruned"]
    assert pruned
    assert all(trial.number > 5 for trial in pruned)
    assert result.best in finished
    median = sorted(trial.score or 0 for trial in finished)[len(finished) // 2]
    assert all((trial.score or 0) <= median for trial in pruned)
    assert not set(map(id, pruned)) & set(map(id, result.ranking()))


def test_a_small_space_ends_when_its_values_repeat(tmp_path: Path) -> None:
    learner, small = ElitistPool("word[0]", strength=0.2, epochs=2), builtin_corpus(20)
    result = tune(learner, small, DEV, minutes=5)
    assert {trial.values["features.min_count"] for trial in result.trials} <= {None, *range(1, 6)}
    assert len(result.trials) < 100
    assert len(result.ranking()) <= 6
    by_value = {trial.values["features.min_count"]: trial.score for trial in result.trials}
    assert all(by_value[trial.values["features.min_count"]] == trial.score for trial in result.trials)


def test_a_default_outside_of_its_range() -> None:
    result = tune(CRF("word[0]", trainer=OWLQN(iterations=20)), builtin_corpus(20), DEV, trials=11)
    assert result.defaults.values["learner.l1"] == 0.0
    assert all(0.01 <= trial.values["learner.l1"] <= 10 for trial in result.trials[1:])
    assert "learner.l1" in result.importances


def test_trials_that_fail_are_no_result(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fit, count = CRF.fit, 0

    def failing(*arguments: Any, **options: Any) -> Any:
        nonlocal count
        count += 1
        if count == 2:
            raise tagpool.TrainingError("the objective is not finite")
        return fit(*arguments, **options)

    monkeypatch.setattr(CRF, "fit", failing)
    result = tune(LEARNER, TRAIN, DEV, trials=3, study=tmp_path / "study")
    assert [trial.state for trial in result.trials] == ["finished", "failed", "finished"]
    assert (result.trials[1].error, result.trials[1].score) == ("the objective is not finite", None)
    assert facts(tune(LEARNER, TRAIN, DEV, trials=3, study=tmp_path / "study")) == facts(result)
    assert json.loads(json.dumps(result.to_dict()))["trials"][1]["error"] == "the objective is not finite"
    count = 1
    with pytest.raises(tagpool.TrainingError, match="not finite"):  # the defaults themselves
        tune(LEARNER, TRAIN, DEV, trials=3)


# Data ---------------------------------------------------------------------------------------------------------------------


def test_a_tenth_is_held_out() -> None:
    corpus = builtin_corpus(100)
    train, dev = hold_out(corpus)
    assert (len(train), len(dev)) == (90, 10)
    columns = {"word": corpus.words, "label": corpus.labels}
    documents = Corpus.from_columns(columns, documents=range(0, 100, 5))
    train, dev = hold_out(documents)
    starts = {" ".join(documents.words[number]) for number in range(0, 100, 5)}
    assert len(dev) == 10
    assert [number for number, words in enumerate(dev.words) if " ".join(words) in starts] == [0, 5]


def test_without_a_dev_set_the_held_out_part_is_scored() -> None:
    corpus = builtin_corpus(300)
    with pytest.warns(UserWarning, match=r"the dev set has 30 sentences with \d+ spans"):
        result = tune(LEARNER, corpus, trials=1)
    train, dev = hold_out(corpus)
    assert result.best.score == CRF(**LEARNER.get_params(deep=False)).fit(train, dev=dev).summary_["dev"]


def test_bad_dev_sets() -> None:
    with pytest.warns(UserWarning, match="the dev set has 1 sentence with"):
        tune(LEARNER, TRAIN, DEV.select([0]), trials=1)
    with pytest.warns(UserWarning, match="the dev set equals the training set"):
        tune(LEARNER, builtin_corpus(100), builtin_corpus(100), trials=1)
    empty = Corpus.from_lists(word=[["rain", "fell"]] * 3, label=[["O", "O"]] * 3)
    with pytest.raises(InputError, match="the dev set has no spans"):
        tune(LEARNER, TRAIN, empty, trials=1)
    with pytest.raises(InputError, match="a tenth of 1 sentence is no dev set"):
        tune(LEARNER, TRAIN.select([0]), trials=1)


def test_optuna_is_as_loud_as_before() -> None:
    level = optuna.logging.get_verbosity()
    tune(LEARNER, TRAIN, DEV, trials=1)
    assert optuna.logging.get_verbosity() == level
