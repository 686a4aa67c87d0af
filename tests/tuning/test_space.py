"""The search space follows from the declarations of parameters."""

from __future__ import annotations

from typing import Any

import pytest

from tagpool import CRF, FOBOS, LBFGS, SGD, BaggingPool, ElitistPool, InducingTagger, InputError, OpinionPool
from tagpool import Perceptron as AveragedPerceptron
from tagpool.parameters import Parameters, declare_parameters, parameter
from tagpool.pools.two_stage.pool import TwoStageTagger
from tagpool.tuning.space import Dimension, search_space, with_values


def names(learner: Any, *fixed: str) -> list[str]:
    return [one.name for one in search_space(learner, fixed)]


class Suggestions:
    """A trial that records its distributions."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []

    def suggest_int(self, *arguments: Any) -> int:
        self.calls.append(("int", *arguments))
        return 3

    def suggest_float(self, *arguments: Any, log: bool) -> float:
        self.calls.append(("log" if log else "linear", *arguments))
        return 0.123456

    def suggest_categorical(self, *arguments: Any) -> str:
        self.calls.append(("words", *arguments))
        return "b"


def test_ranges_are_those_of_the_declarations() -> None:
    trial = Suggestions()
    values = {one.name: one.suggest(trial) for one in search_space(CRF())}
    assert trial.calls == [
        ("int", "features.min_count", *CRF.parameters()["min_count"].tune),
        ("log", "learner.l2", *CRF.parameters()["l2"].tune),
        ("linear", "learner.trainer.dropout", *SGD.parameters()["dropout"].tune),
    ]
    assert values == {
        "features.min_count": 3,
        "learner.l2": 0.123,
        "learner.trainer.dropout": 0.123,
    }


def test_words_and_small_ratios() -> None:
    @declare_parameters
    class Learner(Parameters):
        kind_of_step: str = parameter(default="a", choices=("a", "b"), tune=("a", "b"), help="Words.")
        narrow: float = parameter(default=1.0, tune=(0.5, 4.0), help="A ratio of 8.")
        wide: float | None = parameter(default=None, tune=(0.5, 5.0), help="A ratio of 10.")

    trial = Suggestions()
    space = search_space(Learner())
    assert [one.suggest(trial) for one in space] == ["b", 0.123, 0.123]
    assert [call[0] for call in trial.calls] == ["words", "linear", "log"]
    assert [one.has_default for one in space] == [True, True, False]
    assert with_values(Learner(), space, {"learner.kind_of_step": "b"}).kind_of_step == "b"


@pytest.mark.parametrize(
    ("learner", "expected"),
    [
        (CRF(trainer=LBFGS()), ["learner.l2", "learner.trainer.tolerance"]),
        (CRF(trainer="owlqn"), ["learner.l2", "learner.l1", "learner.trainer.tolerance"]),
        (CRF(trainer=FOBOS()), ["learner.l2", "learner.l1", "learner.trainer.epochs", "learner.trainer.batch"]),
        (
            CRF(trainer=FOBOS(penalty="elitist")),
            ["learner.trainer.strength", "learner.trainer.epochs", "learner.trainer.batch"],
        ),
        (CRF(trainer=AveragedPerceptron()), ["learner.trainer.epochs"]),
        (ElitistPool(), ["learner.strength"]),
        (BaggingPool(CRF()), ["learner.expert.l2", "learner.expert.trainer.dropout"]),
    ],
)
def test_parameters_without_effect_are_not_searched(learner: Any, expected: list[str]) -> None:
    assert sorted(names(learner)) == sorted(["features.min_count", *expected])


def test_what_is_switched_off_is_not_searched() -> None:
    assert {"learner.strongest", "learner.l1"} <= set(names(InducingTagger()))
    assert not {"learner.strongest", "learner.l1"} & set(names(InducingTagger(induce=False, dual_averaging=False)))


def test_values_that_are_set_are_kept() -> None:
    assert "learner.l2" not in names(CRF(l2=0.5))
    assert "learner.l2" not in names(CRF(), "learner.l2")
    assert "learner.trainer.dropout" not in names(CRF(trainer=SGD(dropout=0.1)))
    with pytest.raises(InputError, match=r"fixed: 'l2' has no range to search; expected some of features.min_count, learner.l2"):
        names(CRF(), "l2")


def test_stages_share_the_minimum_count() -> None:
    learner = TwoStageTagger(CRF(), CRF())
    space = search_space(learner)
    assert [one.name for one in space].count("features.min_count") == 1
    changed = with_values(learner, space, {"features.min_count": 4, "learner.second.l2": 0.1})
    assert (changed.first.min_count, changed.second.min_count, changed.first.l2, changed.second.l2) == (4, 4, 1.0, 0.1)
    assert (learner.first.min_count, learner.second.l2) == (None, 1.0)


def test_nothing_to_search_is_an_error() -> None:
    with pytest.raises(InputError, match="OpinionPool has no parameter with a range to search"):
        search_space(OpinionPool([]))
    with pytest.raises(InputError, match=r"every parameter that can be searched is set: features.min_count, learner.strength"):
        search_space(ElitistPool(strength=0.2), ["features.min_count"])


def test_description_of_a_range() -> None:
    assert Dimension("learner.x", (("x",),), (1, 5), 1, whole=True).describe() == "1 to 5"
    assert Dimension("learner.x", (("x",),), ("a", "b"), "a").describe() == "a, b"
