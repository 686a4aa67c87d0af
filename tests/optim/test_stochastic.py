"""Epochs of stochastic trainers, and the steps they try after a divergence."""

from __future__ import annotations

import numpy as np
import pytest

from tagpool.errors import TrainingError
from tagpool.optim.stochastic import LossRule, descend
from tagpool.optim.watch import Watch


class Learner:
    """A learner whose loss diverges with steps above a limit; a step of 0 is calibrated to 1."""

    def __init__(self, step: float, limit: float) -> None:
        self.step = step or 1.0
        self.limit = limit
        self.loss = 1.0

    def epoch(self) -> float:
        self.loss *= 0.5 if self.step <= self.limit else 100.0
        return self.loss

    def weights(self) -> np.ndarray:
        return np.zeros(3, np.float32)


def steps(first: float, limit: float) -> tuple[list[float], Watch]:
    tried: list[float] = []

    def begin(step: float) -> Learner:
        tried.append(step)
        return Learner(step, limit)

    watch = Watch()
    descend(begin, first, 4, watch)
    return tried, watch


@pytest.mark.filterwarnings("ignore:the loss diverged")
def test_every_step_after_a_divergence_is_a_tenth_of_the_last() -> None:
    tried, watch = steps(0.0, 2e-3)
    assert tried == pytest.approx([0.0, 0.1, 0.01, 0.001])
    assert watch.step == pytest.approx(0.001)
    assert [epoch.note is None for epoch in watch.log][-3:] == [True, True, True]


@pytest.mark.filterwarnings("ignore:the loss diverged")
def test_a_chosen_step_is_replaced_by_a_calibrated_one_first() -> None:
    assert steps(50.0, 0.1)[0] == pytest.approx([50.0, 0.0, 0.1])
    assert steps(0.5, 0.1)[0] == pytest.approx([0.5, 0.0, 0.1])


def test_a_step_that_converges_is_kept() -> None:
    assert steps(0.5, 1.0)[0] == [0.5]
    assert descend(lambda step: Learner(step, 1.0), 0.5, 4, Watch()).dtype == np.float32


@pytest.mark.filterwarnings("ignore:the loss diverged")
def test_eight_divergences_are_an_error() -> None:
    with pytest.raises(TrainingError, match=r"diverged with every step size down to 1e-0?8"):
        steps(0.0, 0.0)


def test_the_note_names_both_steps() -> None:
    with pytest.warns(RuntimeWarning) as warned:
        steps(50.0, 0.1)
    assert [str(warning.message) for warning in warned] == [
        "the loss diverged with a step of 50; restarting with the default step",
        "the loss diverged with a step of 1; restarting with a step of 0.1",
    ]


class Recorded(Learner):
    """A learner with given losses and parameters."""

    def __init__(self, losses: list[float], weight: float = 0.0) -> None:
        super().__init__(1.0, 1.0)
        self.losses, self.weight = iter(losses), weight

    def epoch(self) -> float:
        return next(self.losses)

    def weights(self) -> np.ndarray:
        return np.full(3, self.weight, np.float32)


@pytest.mark.filterwarnings("ignore:the loss diverged")
@pytest.mark.parametrize(("second", "restarts"), [(21.0, 0), (21.5, 1), (22.5, 1), (np.inf, 1), (np.nan, 1), (19.5, 0)])
def test_a_loss_above_ten_times_the_first_one_diverges(second: float, restarts: int) -> None:
    learners = iter([Recorded([2.0, second]), Recorded([1.0, 1.0])])
    descend(lambda step: next(learners), 0.0, 2, Watch())
    assert len(list(learners)) == 1 - restarts


@pytest.mark.filterwarnings("ignore:the loss diverged")
def test_weights_that_are_not_finite_restart() -> None:
    learners = iter([Recorded([1.0], np.inf), Recorded([1.0], 2.0)])
    assert descend(lambda step: next(learners), 0.0, 1, Watch()).tolist() == [2.0, 2.0, 2.0]


def test_epochs_have_their_total() -> None:
    assert [(epoch.number, epoch.total) for epoch in steps(0.5, 1.0)[1].log] == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_training_ends_when_the_loss_stops_falling() -> None:
    class Falling:
        """A learner whose loss halves, then falls by 5%, and rises at the end."""

        step = 1.0

        def __init__(self) -> None:
            self.losses = iter([8.0, 4.0, 3.8, 3.7, 3.9])

        def epoch(self) -> float:
            return next(self.losses)

        def weights(self) -> np.ndarray:
            return np.zeros(1, np.float32)

    def epochs(tolerance: float, least: int = 0, **options: object) -> int:
        watch = Watch(**options)  # type: ignore[arg-type]
        descend(lambda _: Falling(), 1.0, 5, watch, rule=LossRule(tolerance, least))
        return len(watch.log)

    assert epochs(0.1) == 3
    assert epochs(0.01) == epochs(0.0) == 5
    assert epochs(0.1, least=4) == 4
    # With a dev set, its score must have stopped rising, too.
    rising = iter([0.1, 0.2, 0.3, 0.35, 0.36])
    assert epochs(0.1, evaluate=lambda _: next(rising), margin=lambda _: 0.1, patience=3) == 5
    assert epochs(0.1, evaluate=lambda _: 0.5, patience=3) == 3
    assert epochs(0.0, evaluate=lambda _: 0.5, patience=3) == 4
    assert epochs(0.1, evaluate=lambda _: 0.5, patience=None) == 5
    assert epochs(0.1, evaluate=lambda _: 0.0, patience=3) == 3  # no span is predicted
