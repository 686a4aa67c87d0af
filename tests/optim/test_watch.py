"""Watch: the log of a training, scores on the dev set, and the end of training."""

from __future__ import annotations

import numpy as np
import pytest

from tagpool.optim.watch import Epoch, Watch


def weights(value: float) -> np.ndarray:
    return np.array([value], np.float32)


def first_number(vector: np.ndarray) -> float:
    return float(vector[0])


@pytest.mark.parametrize(
    ("scores", "patience", "continues"),
    [
        ([1, 2, 3, 3, 3], None, [True] * 5),
        ([1, 2, 3, 3, 3], 0, [True] * 5),
        ([1, 2, 3, 3, 3], 1, [True, True, True, False]),
        ([3, 2, 1, 4, 3, 2, 1], 3, [True, True, True, True, True, True, False]),
        ([0, 0, 0, 0, 1, 1, 1], 2, [True] * 6 + [False]),
        ([-5, -5, -4, -6, -6], 2, [True, True, True, True, False]),
    ],
)
def test_training_ends_after_scores_without_a_better_one(
    scores: list[float], patience: int | None, continues: list[bool]
) -> None:
    watch = Watch(evaluate=first_number, patience=patience)
    run = scores[: len(continues)]
    for number, (score, expected) in enumerate(zip(run, continues, strict=True), 1):
        assert watch.epoch(number, 9, 0.5, lambda score=score: weights(score)) is expected
    assert watch.best is not None
    assert watch.best.tolist() == [max(run)]
    assert watch.best_score == max(run)
    assert [epoch.score for epoch in watch.log] == run
    assert [epoch.best for epoch in watch.log] == [score > max(run[:place], default=-np.inf) for place, score in enumerate(run)]


def test_the_log_has_every_epoch() -> None:
    seen: list[Epoch] = []
    watch = Watch(on_epoch=seen.append)
    watch.note("the step is smaller")
    assert watch.epoch(1, 3, np.float32(2.5), lambda: weights(0))
    assert watch.epoch(2, 3, 1, lambda: weights(0))
    assert seen == watch.log
    first, second = (epoch.to_dict() for epoch in watch.log)
    assert 0 <= first.pop("seconds") <= second.pop("seconds") < 100
    assert first == {"number": 1, "total": 3, "loss": 2.5, "best": False, "note": "the step is smaller"}
    assert second == {"number": 2, "total": 3, "loss": 1.0, "best": False}
    assert type(watch.log[0].loss) is float


@pytest.mark.parametrize(("answer", "continues"), [(None, True), (True, True), (0, True), (False, False)])
def test_only_false_ends_training(answer: object, continues: bool) -> None:
    assert Watch(on_epoch=lambda epoch: answer).epoch(1, 9, 0.0, lambda: weights(0)) is continues
    watch = Watch(on_epoch=lambda epoch: answer, evaluate=first_number, patience=1)
    assert watch.epoch(1, 9, 0.0, lambda: weights(1)) is continues


def test_epochs_without_a_score_do_not_count() -> None:
    watch = Watch(evaluate=first_number, patience=1)
    assert watch.epoch(1, 9, 0.0, lambda: weights(1))
    assert watch.epoch(2, 9, 0.0, lambda: weights(0), score=False)
    assert [epoch.score for epoch in watch.log] == [1.0, None]
    assert not watch.epoch(3, 9, 0.0, lambda: weights(1))


def test_weights_after_an_interruption() -> None:
    """The best weights; without scores the latest, which the watch forgets after ``release``."""
    unscored, scored = Watch(), Watch(evaluate=first_number)
    assert unscored.best_or_latest() is None
    for number, value in enumerate([1.0, 3.0, 2.0], 1):
        for watch in (unscored, scored):
            watch.epoch(number, 3, 0.0, lambda value=value: weights(value))
    assert [watch.best_or_latest().tolist() for watch in (unscored, scored)] == [[2.0], [3.0]]
    unscored.release()
    scored.release()
    assert unscored.best_or_latest() is None
    assert scored.best_or_latest().tolist() == [3.0]
