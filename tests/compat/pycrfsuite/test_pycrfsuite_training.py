"""Trainings large enough to be warmed up: where they end, what they need, and how the model is handed over."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pycrfsuite as theirs
import pytest

from tagpool import _native
from tagpool.compat import pycrfsuite as ours

SGD = _native.Sgd
CLOSE = {"epsilon": 1e-7, "delta": 1e-9}


def data(*, values: bool = False) -> list[tuple[list[Any], list[str]]]:
    """2,500 tokens; words hint at labels, and some attributes always occur together."""
    random = np.random.default_rng(7)
    out = []
    for _ in range(250):
        labels = random.integers(0, 4, 10)
        words = labels * 10 + random.integers(0, 12, 10)
        names = [[f"word={w}", f"twin={w}", f"part={w // 3}", f"bias{w % 2}"] for w in words]
        sentence = [dict.fromkeys(item, 0.5 + len(item[2]) / 8) for item in names] if values else names
        out.append((sentence, [f"L{label}" for label in labels]))
    return out


def trainer_of(module: Any, instances: Any, **parameters: Any) -> Any:
    trainer = module.Trainer("lbfgs", {"c2": 0.5} | parameters, verbose=False)
    for sentence, labels in instances:
        trainer.append(sentence, labels)
    return trainer


@pytest.mark.parametrize("values", [False, True])
@pytest.mark.parametrize("parameters", [{}, {"feature.possible_states": True}, {"feature.minfreq": 2}])
def test_the_optimum_is_theirs(values: bool, parameters: dict[str, Any], tmp_path: Path) -> None:
    ends = []
    for module in (theirs, ours):
        trainer = trainer_of(module, data(values=values), **parameters, **CLOSE)
        trainer.train(str(tmp_path / module.__name__))
        ends.append(trainer.logparser.last_iteration)
    assert ends[1]["loss"] == pytest.approx(ends[0]["loss"], rel=1e-5)
    assert ends[1]["feature_norm"] == pytest.approx(ends[0]["feature_norm"], rel=1e-2)
    assert ends[1]["active_features"] == ends[0]["active_features"]
    assert len((tmp_path / ours.__name__).read_bytes()) == len((tmp_path / theirs.__name__).read_bytes())


def test_training_again_and_by_threads_gives_the_same_file() -> None:
    trainer = trainer_of(ours, data())
    first = trainer.trained()
    assert trainer.trained() == first
    trainer.set("tagpool.threads", 3)
    assert trainer.trained() == first


class RunsAway:
    """A learner whose loss rises."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self.learner, self.losses = SGD(*arguments, **options), [1.0, 50.0]

    def epoch(self) -> float:
        return self.losses.pop(0)

    def native_parameters(self) -> Any:
        return self.learner.native_parameters()


def test_a_warm_up_that_runs_away_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    trainer = trainer_of(ours, data(), **CLOSE)
    trainer.trained()
    warm = trainer.logparser.last_iteration["loss"]
    monkeypatch.setattr(_native, "Sgd", RunsAway)
    trainer.trained()
    assert trainer.logparser.last_iteration["loss"] == pytest.approx(warm, rel=1e-5)
    assert trainer.logparser.iterations[0]["loss"] > 2 * warm  # from zero


def test_training_needs_no_other_library(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom tagpool.compat import pycrfsuite\ntrainer = pycrfsuite.Trainer('lbfgs', {'c2': 1}, verbose=False)\n"
        "for n in range(300): trainer.append([{f'w{n % 7}': 1, 's': f'{n % 3}', 'odd': n % 2 == 1}] * 9, [f'L{n % 3}'] * 9)\n"
        f"trainer.train({str(tmp_path / 'model')!r})\nprint(len(trainer.logparser.iterations) > 0, *sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    names = done.stdout.split()
    assert names[0] == "True"
    assert not {"numpy", "scipy", "typer", "rich"} & set(names)


def found_weights(instances: _native.Instances) -> _native.TrainedWeights:
    training = instances.training_set(False, False, True, True)
    return _native.TrainedWeights(training, np.ones(training.parameter_count))


def test_a_model_is_handed_over_for_a_moment() -> None:
    instances = _native.Instances()
    instances.append([["a"], ["b"]], ["X", "Y"], 0)
    weights = found_weights(instances)
    assert (len(weights), weights.active(), weights.finite()) == (3, 3, True)
    seen: list[memoryview] = []

    def fails(content: memoryview) -> None:
        seen.append(content)
        assert bytes(content[:4]) == b"lCRF"
        raise OSError("no room")

    instances.write(weights, seen.append)
    with pytest.raises(OSError, match="no room"):
        instances.write(weights, fails)
    for view in seen:
        with pytest.raises(ValueError, match="released"):
            view[0]


def test_weights_must_be_those_of_the_training_set() -> None:
    instances = _native.Instances()
    instances.append([["a"], ["b"]], ["X", "Y"], 0)
    training = instances.training_set(False, False, False, False)
    with pytest.raises(_native.InputFault, match="one per cell"):
        _native.TrainedWeights(training, np.ones(training.parameter_count + 1))
    objective = _native.Objective(training, True, 1.0, np.zeros(0, np.float32), 1)
    with pytest.raises(_native.InputFault, match="call minimise first"):
        objective.norm_here()
    with pytest.raises(_native.InputFault, match="call minimise first"):
        _native.TrainedWeights(training, objective)
