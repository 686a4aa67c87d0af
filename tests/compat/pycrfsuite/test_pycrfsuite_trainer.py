"""Trainers beside python-crfsuite's: the same parameters, the same weights at the optimum, the same kinds of errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pycrfsuite as theirs
import pytest
from compat.models import few_texts, single_values, trained
from hypothesis import given, settings
from hypothesis import strategies as st

from tagpool.compat import pycrfsuite as ours
from tagpool.errors import InputError, OutputError

ALGORITHMS = ("lbfgs", "l2sgd", "ap", "pa", "arow")
items = st.one_of(
    st.lists(few_texts, max_size=3),
    st.dictionaries(few_texts, st.one_of(single_values, few_texts), max_size=3),
)
instances = st.lists(
    st.lists(st.tuples(items, st.sampled_from(["A", "B", "C"])), min_size=1, max_size=5).map(
        lambda pairs: ([item for item, _ in pairs], [label for _, label in pairs])
    ),
    min_size=1,
    max_size=4,
)
CLOSE = {"epsilon": 1e-7, "delta": 1e-11}  # so that both end at the optimum itself


def by_us(data: list[tuple[Any, list[str]]], path: Path, algorithm: str = "lbfgs", **parameters: Any) -> Any:
    trainer = ours.Trainer(algorithm, parameters, verbose=False)
    for sentence, labels in data:
        trainer.append(sentence, labels)
    trainer.train(str(path))
    return trainer


def info(module: Any, path: Path) -> Any:
    tagger = module.Tagger()
    tagger.open(str(path))
    return tagger.info()


@settings(max_examples=40)
@given(
    instances,
    st.sampled_from([0.0, 0.3]),
    st.sampled_from([0.1, 1.0]),
    st.sampled_from([0.0, 1.0, 2.0]),
    st.booleans(),
    st.booleans(),
)
def test_the_optimum_is_the_same(
    tmp_path_factory: Any, data: Any, c1: float, c2: float, minimum: float, states: bool, transitions: bool
) -> None:
    parameters = {
        "c1": c1,
        "c2": c2,
        "feature.minfreq": minimum,
        "feature.possible_states": states,
        "feature.possible_transitions": transitions,
    }
    folder = tmp_path_factory.getbasetemp()
    them = trained(data, folder / "theirs", **parameters, **CLOSE)
    us = by_us(data, folder / "ours", **parameters, **CLOSE)
    assert us.logparser.featgen_num_features == them.logparser.featgen_num_features
    if not us.logparser.featgen_num_features:
        return  # CRFsuite has nothing to do then, and says no more
    if them.logparser.last_iteration and us.logparser.last_iteration:
        assert us.logparser.last_iteration["loss"] <= them.logparser.last_iteration["loss"] + 1e-5
    expected, result = info(ours, folder / "theirs"), info(ours, folder / "ours")  # theirs cannot read names of "" or "\t"
    assert result.labels == expected.labels
    for mine, their in ((result.state_features, expected.state_features), (result.transitions, expected.transitions)):
        for pair in set(mine) | set(their):
            assert mine.get(pair, 0.0) == pytest.approx(their.get(pair, 0.0), abs=2e-3)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_parameters_and_defaults_are_theirs(algorithm: str) -> None:
    them, us = theirs.Trainer(algorithm), ours.Trainer(algorithm)
    assert us.params() == them.params()
    assert us.get_params() == them.get_params()
    assert {name: type(value) for name, value in us.get_params().items()} == {
        name: type(value) for name, value in them.get_params().items()
    }
    for name in us.params():
        assert us.help(name)
    for trainer in (them, us):
        trainer.set_params({"feature.minfreq": "2", "feature.possible_states": True, "max_iterations": 2.7})
    assert us.get_params() == them.get_params()
    for trainer in (them, us):
        trainer.select(algorithm)  # forgets what was set
    assert us.get_params() == them.get_params()


SENTENCES = [
    ([["the"], ["old", "dog"], ["barks"]], ["D", "N", "V"]),
    ([["a"], ["cat"], ["sleeps", "the"]], ["D", "N", "V"]),
    ([["the"], ["cat"], ["barks"], ["loud"]], ["D", "N", "V", "A"]),
] * 3


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_algorithm_learns(tmp_path: Path, algorithm: str) -> None:
    by_us(SENTENCES, tmp_path / "model", algorithm)
    for module in (ours, theirs):  # and python-crfsuite opens the file
        tagger = module.Tagger()
        tagger.open(str(tmp_path / "model"))
        assert [tagger.tag(sentence) for sentence, _ in SENTENCES] == [labels for _, labels in SENTENCES]


def test_the_stochastic_trainer_is_chosen_by_a_parameter(tmp_path: Path) -> None:
    trainer = by_us(SENTENCES, tmp_path / "model", **{"tagpool.trainer": "sgd", "tagpool.epochs": 4, "c2": 0.01})
    assert [item["num"] for item in trainer.logparser.iterations] == [1, 2, 3, 4]
    tagger = ours.Tagger()
    tagger.open(str(tmp_path / "model"))
    assert tagger.tag(SENTENCES[0][0]) == SENTENCES[0][1]
    with pytest.raises(InputError, match="no l1 penalty"):
        by_us(SENTENCES, tmp_path / "model", **{"tagpool.trainer": "sgd", "c1": 1.0})


@pytest.mark.parametrize(
    ("algorithm", "parameters"),
    [("l2sgd", {"max_iterations": 300, "delta": 0.0}), ("lbfgs", {"tagpool.trainer": "sgd", "tagpool.epochs": 300})],
)
def test_c2_means_the_same_for_stochastic_trainers(tmp_path: Path, algorithm: str, parameters: dict[str, Any]) -> None:
    """Trained to the end, weights are as long as those of L-BFGS; with half the penalty they would be a quarter longer."""
    by_us(SENTENCES, tmp_path / "lbfgs", c2=1.0, **CLOSE)
    by_us(SENTENCES, tmp_path / "stochastic", algorithm, c2=1.0, **parameters)
    lengths = []
    for name in ("lbfgs", "stochastic"):
        model = info(ours, tmp_path / name)
        lengths.append(np.linalg.norm([*model.state_features.values(), *model.transitions.values()]))
    assert lengths[1] == pytest.approx(lengths[0], rel=0.05)


def test_a_holdout_group_is_scored_and_not_learned_from(tmp_path: Path) -> None:
    held_out = ([["the"], ["fox"], ["barks"]], ["D", "X", "V"])
    logs = []
    for module in (theirs, ours):
        trainer = module.Trainer("lbfgs", {"c2": 0.1} | CLOSE, verbose=False)
        for sentence, labels in SENTENCES:
            trainer.append(sentence, labels)
        trainer.append(*held_out, 3)
        trainer.train(str(tmp_path / module.__name__), holdout=3)
        logs.append(trainer.logparser)
    them, us = logs
    expected, result = them.last_iteration, us.last_iteration
    assert result.keys() >= expected.keys()
    assert vars(us).keys() >= vars(them).keys() - {"state"}
    assert {name for name, *_ in us.events} == {name for name, *_ in them.events}
    assert result["loss"] == pytest.approx(expected["loss"], abs=1e-4)
    for name in ("avg_precision", "avg_recall", "avg_f1"):
        assert result[name] == pytest.approx(expected[name], abs=1e-6)
    for name in ("item_accuracy", "item_accuracy_float", "instance_accuracy", "active_features"):
        assert result[name] == expected[name]
    for label, score in expected["scores"].items():
        assert result["scores"][label] == score
    assert us.featgen_num_features == them.featgen_num_features
    assert info(theirs, tmp_path / "tagpool.compat.pycrfsuite").labels == info(theirs, tmp_path / "pycrfsuite").labels


def test_hooks_are_called_in_order(tmp_path: Path, capsys: Any) -> None:
    class Following(ours.Trainer):
        def __init__(self, **options: Any) -> None:
            super().__init__(**options)
            self.seen: list[str] = []

        def on_start(self, log: str) -> None:
            self.seen.append("start")

        def on_iteration(self, log: str, info: dict[str, Any]) -> None:
            assert f"Loss: {info['loss']:f}" in log
            self.seen.append("iteration")

        def on_end(self, log: str) -> None:
            self.seen.append("end")

    for verbose in (True, False):
        trainer = Following(algorithm="lbfgs", params={"max_iterations": 2}, verbose=verbose)
        for sentence, labels in SENTENCES:
            trainer.append(sentence, labels)
        trainer.train(str(tmp_path / "model"))
        assert trainer.seen == (["start", "iteration", "iteration", "end"] if verbose else [])
        assert "Number of features" in "".join(trainer.logparser.log)
        assert ("Number of features" in capsys.readouterr().out) == verbose


@pytest.mark.parametrize("module", [theirs, ours])
def test_a_trainer_whose_messages_are_overridden_calls_hooks_by_its_parent(module: Any, tmp_path: Path, capsys: Any) -> None:
    class Silent(module.Trainer):  # type: ignore[misc]
        def message(self, message: str) -> None:
            pass

    class Passing(module.Trainer):  # type: ignore[misc]
        seen = 0

        def message(self, message: str) -> None:
            super().message(message)

        def on_iteration(self, log: str, info: dict[str, Any]) -> None:
            self.seen += 1

    for trainer in (Silent(params={"max_iterations": 2}), Passing(params={"max_iterations": 2})):
        trainer.append(*SENTENCES[0])
        trainer.train(str(tmp_path / "model"))
        assert ("Number of features" in capsys.readouterr().out) == isinstance(trainer, Passing)
        assert getattr(trainer, "seen", 2) == 2


def test_the_line_search_is_in_the_log(tmp_path: Path) -> None:
    for c1 in (0.0, 0.1):
        log = by_us(SENTENCES, tmp_path / "model", c1=c1).logparser
        for item in log.iterations:
            assert item["linesearch_trials"] >= 1
            assert item["linesearch_step"] > 0
        assert f"Line search trials: {log.last_iteration['linesearch_trials']}\n" in "".join(log.log)


def test_messages_reach_those_who_override_them(tmp_path: Path) -> None:
    class Keeping(ours.BaseTrainer):
        def __init__(self) -> None:
            super().__init__()
            self.messages: list[str] = []

        def message(self, message: str) -> None:
            self.messages.append(message)

    trainer = Keeping()
    trainer.append(*SENTENCES[0])
    trainer.train(str(tmp_path / "model"))
    assert "***** Iteration #1 *****" in "".join(trainer.messages)


def test_training_again_gives_the_same_file(tmp_path: Path) -> None:
    trainer = by_us(SENTENCES, tmp_path / "one")
    trainer.train(str(tmp_path / "two"))
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_training_without_instances_gives_the_empty_model_of_theirs(tmp_path: Path) -> None:
    for algorithm in ALGORITHMS:
        for module in (theirs, ours):
            trainer = module.Trainer(algorithm, verbose=False)
            trainer.append(*SENTENCES[0])
            trainer.clear()
            trainer.append([], [])
            if module is theirs:
                trainer.train(str(tmp_path / "theirs"))
            else:
                with pytest.warns(UserWarning, match=r"no weights.*call append") as warnings:
                    trainer.train(str(tmp_path / "ours"))
                assert warnings[0].filename == __file__
        assert (tmp_path / "ours").read_bytes() == (tmp_path / "theirs").read_bytes()
    tagger = ours.Tagger()
    tagger.open(str(tmp_path / "ours"))
    assert tagger.labels() == []


def test_small_things_train_as_well(tmp_path: Path) -> None:
    for number, data in enumerate(
        (
            [([["a"]], ["only"])],
            [([[], []], ["A", "B"])],
            [([["a"]], ["A"]), ([], []), ([["b"]], ["B"])],
            [([[b"\xff\xfe"], ["a\0b"]], [b"A", "B"])],
        )
    ):
        path = tmp_path / str(number)
        by_us(data, path)
        tagger = theirs.Tagger()
        tagger.open(str(path))
        assert tagger.tag(data[0][0]) == [item.decode() if isinstance(item, bytes) else item for item in data[0][1]]
    trainer = ours.Trainer(verbose=False)
    trainer.append(*SENTENCES[0])
    trainer.train("")  # no file is written


def test_groups_and_names_are_of_any_type_that_python_crfsuite_takes(tmp_path: Path) -> None:
    for module in (theirs, ours):
        trainer = module.Trainer(verbose=False)
        for group in (0, True, np.int64(1), np.int32(1), 1.0):
            trainer.append(*SENTENCES[0], group)
        trainer.append(np.array([["a", "b"], ["c", "d"]]), np.array(["X", "Y"]))
        trainer.append(iter([("a",), {"b"}]), iter(["X", b"Y"]))
        trainer.set(b"max_iterations", np.int64(2))
        trainer.train(str(tmp_path / "model").encode(), np.int64(1))
        assert len(trainer.logparser.iterations) == 2


@pytest.mark.parametrize(
    "call",
    [
        lambda trainer: trainer.append([["a"], ["b"]], ["X"]),
        lambda trainer: trainer.append([["a"]], ["X", "Y"]),
        lambda trainer: trainer.append([["a"]], [1]),
        lambda trainer: trainer.append([["a"]], None),
        lambda trainer: trainer.append([["a"]], ["X"], "1"),
        lambda trainer: trainer.append([["a"]], ["X"], None),
        lambda trainer: trainer.append([["a"]], ["X"], 2**40),
        lambda trainer: trainer.append([None], ["X"]),
        lambda trainer: trainer.append(None, ["X"]),
        lambda trainer: trainer.append(5, ["X"]),
        lambda trainer: trainer.append([[1]], ["X"]),
        lambda trainer: trainer.append([{"a": None}], ["X"]),
        lambda trainer: trainer.append([{"a": {1: 2}}], ["X"]),
        lambda trainer: trainer.select("newton"),
        lambda trainer: trainer.select("lbfgs", "crf2d"),
        lambda trainer: trainer.set("c3", 1),
        lambda trainer: trainer.set(5, 1),
        lambda trainer: trainer.get("c3"),
        lambda trainer: trainer.help("c3"),
        lambda trainer: trainer.train("", "1"),
        lambda trainer: trainer.train("", None),
        lambda trainer: trainer.train(None),
        lambda trainer: trainer.train(5),
    ],
)
def test_errors_are_of_the_same_kind_as_theirs(call: Any) -> None:
    raised = []
    for module in (theirs, ours):
        trainer = module.Trainer(verbose=False)
        trainer.append(*SENTENCES[0])
        with pytest.raises(Exception) as caught:  # noqa: PT011 - the kind is what is looked at
            call(trainer)
        raised.append(caught.value)
    them, us = raised
    if isinstance(them, SystemError) and them.__cause__ is not None:  # some reach Python in a wrapping of Cython's
        them = them.__cause__  # type: ignore[assignment]
    assert isinstance(us, type(them))


@pytest.mark.parametrize(
    ("sentence", "labels", "message"),
    [
        ([["a"], ["b"]], ["X"], "items and labels differ: 2 items, 1 label"),
        ([["a"]], ["X", "Y"], "1 item, 2 labels"),
        ([["a"]], [1], "label 1: expected text, got int"),
        ([["a"]], ["\ud800"], "label 1: the text has a lone surrogate"),
        ([{"a": float("nan")}], ["X"], "expected a finite number, got nan"),
        ([[1]], ["X"], "expected text as feature name, got int"),
        ([["\ud800"]], ["X"], "lone surrogate"),
    ],
)
def test_bad_instances_are_refused_and_leave_nothing(tmp_path: Path, sentence: Any, labels: Any, message: str) -> None:
    trainer = ours.Trainer(verbose=False)
    trainer.append(*SENTENCES[0])
    before = trainer.trained()
    for kind in (ValueError, TypeError):
        with pytest.raises(kind, match=message):
            trainer.append(sentence, labels)
    assert trainer.trained() == before


def test_bad_parameters_are_refused(tmp_path: Path) -> None:
    for call, message in (
        (lambda: ours.Trainer("newton"), "expected one of lbfgs, l2sgd, ap, pa, arow"),
        (lambda: ours.Trainer().select("lbfgs", "crf2d"), "type='crf2d'"),
        (lambda: ours.Trainer().set("c3", 1), "Parameter not found: c3; the algorithm lbfgs has"),
        (lambda: ours.Trainer().get("c3"), "Parameter not found: c3"),
        (lambda: ours.Trainer().help("c3"), "Parameter not found: c3"),
        (lambda: ours.Trainer().set("c2", "much"), "c2='much': expected a number"),
        (lambda: ours.Trainer().set("linesearch", "none"), "expected MoreThuente"),
        (lambda: by_us(SENTENCES, tmp_path / "model", c2=-1), "c2=-1.0: expected a finite number from 0 on"),
    ):
        with pytest.raises(ValueError, match=message):
            call()
    with pytest.raises(OutputError, match="there is no folder"):
        by_us(SENTENCES, tmp_path / "none" / "model")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_instances_do_not_change_during_a_training(algorithm: str, tmp_path: Path) -> None:
    """A training reads them while other Python threads run; here its log stands for such a thread."""
    errors = []

    class Appends(ours.BaseTrainer):
        def message(self, message: str) -> None:
            try:
                self.append([[f"{message}{number}"] for number in range(50)], ["B"] * 50)
            except InputError as error:
                errors.append(error)

    trainer = Appends(algorithm, {"max_iterations": 3})
    trainer.append([["a"], ["b"]], ["A", "B"])
    trainer.train(tmp_path / "model")
    assert errors
    assert all(isinstance(error, RuntimeError) and "after train has returned" in str(error) for error in errors)
    assert info(ours, tmp_path / "model").attributes.keys() <= {"a", "b"}  # no attribute of a message
    errors.clear()
    trainer.append([["c"]], ["A"])
    assert errors == []
