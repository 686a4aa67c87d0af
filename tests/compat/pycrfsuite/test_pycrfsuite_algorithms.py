"""CRFsuite's algorithms beside CRFsuite itself: the same model files, weights and messages."""

from __future__ import annotations

import ctypes
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pycrfsuite as theirs
import pytest
from compat.models import few_texts, values
from hypothesis import given, settings
from hypothesis import strategies as st

from tagpool import read_corpus
from tagpool.compat import pycrfsuite as ours
from tagpool.errors import InputError

items = st.one_of(st.lists(few_texts, max_size=4), st.dictionaries(few_texts, st.one_of(values, few_texts), max_size=4))
instances = st.lists(
    st.lists(st.tuples(items, st.sampled_from(["A", "B", "C"])), min_size=1, max_size=6).map(
        lambda pairs: ([item for item, _ in pairs], [label for _, label in pairs])
    ),
    min_size=1,
    max_size=6,
)
shapes = st.fixed_dictionaries(
    {},
    optional={
        "feature.minfreq": st.sampled_from([-1.0, 0.5, 1.0, 2.0]),
        "feature.possible_states": st.booleans(),
        "feature.possible_transitions": st.booleans(),
    },
)
algorithms = st.one_of(
    st.tuples(st.just("ap"), st.fixed_dictionaries({}, optional={"epsilon": st.sampled_from([0.1, 0.4])})),
    st.tuples(
        st.just("pa"),
        st.fixed_dictionaries(
            {"type": st.sampled_from([1, 2])},
            optional={
                "c": st.sampled_from([0.05, 0.5, 3.0]),
                "error_sensitive": st.booleans(),
                "averaging": st.booleans(),
                "epsilon": st.sampled_from([0.3, 1.0]),
            },
        ),
    ),
    st.tuples(
        st.just("arow"),
        st.fixed_dictionaries(
            {},
            optional={
                "variance": st.sampled_from([0.2, 3.0]),
                "gamma": st.sampled_from([0.1, 5.0]),
                "epsilon": st.sampled_from([0.3, 1.0]),
            },
        ),
    ),
    st.tuples(
        st.just("l2sgd"),
        st.fixed_dictionaries(
            {},
            optional={
                "c2": st.sampled_from([0.01, 0.3]),
                "period": st.sampled_from([1, 3]),
                "delta": st.sampled_from([0.0, 0.01]),
                "calibration.eta": st.sampled_from([0.01, 1.0]),
                "calibration.rate": st.sampled_from([1.5, 4.0]),
                "calibration.samples": st.sampled_from([1, 3]),
                "calibration.candidates": st.sampled_from([1, 3]),
                "calibration.max_trials": st.sampled_from([1, 6]),
            },
        ),
    ),
)


def append_all(trainer: Any, data: Any) -> Any:
    for sentence, labels, *group in data:
        trainer.append(sentence, labels, *group)
    return trainer


def train_both(data: Any, folder: Path, algorithm: str, parameters: dict[str, Any], holdout: int = -1) -> list[tuple[bytes, Any]]:
    """Return the model files and logs of CRFsuite and tagpool. CRFsuite starts with the random numbers of a new process."""
    ctypes.CDLL(None).srand(1)
    results = []
    for module in (theirs, ours):
        trainer = append_all(module.Trainer(algorithm, parameters, verbose=False), data)
        trainer.train(str(folder / "model"), holdout)
        results.append(((folder / "model").read_bytes(), trainer.logparser))
    return results


def hide_times(log: Any) -> list[str]:
    """Return the messages of a log without times."""
    return [re.sub(r"(econds required[^:]*:) [0-9.]+", r"\1 t", message).replace("-nan", "nan") for message in log.log]


@settings(max_examples=150, deadline=None)
@given(instances, algorithms, shapes)
def test_online_algorithms_write_the_same_file(tmp_path_factory: Any, data: Any, algorithm: Any, shape: Any) -> None:
    parameters = {"max_iterations": 12} | algorithm[1] | shape
    (expected, their_log), (result, our_log) = train_both(data, tmp_path_factory.getbasetemp(), algorithm[0], parameters)
    assert hide_times(our_log) == hide_times(their_log)
    assert result == expected


def create_corpus(*, values: bool = False) -> list[tuple[list[Any], list[str], int]]:
    """Return 200 sentences in two groups, whose words hint at labels."""
    random = np.random.default_rng(3)
    out = []
    for number in range(200):
        labels = random.integers(0, 5, random.integers(1, 12))
        names = [[f"w{w}", f"s{w % 4}", "bias"] for w in labels * 3 + random.integers(0, 6, len(labels))]
        sentence = [{name: float(random.normal()) for name in item} for item in names] if values else names
        out.append((sentence, [f"L{label}" for label in labels], int(number % 7 == 0)))
    return out


@pytest.mark.parametrize("values", [False, True])
@pytest.mark.parametrize(
    ("algorithm", "parameters"),
    [("ap", {}), ("pa", {}), ("pa", {"type": 0}), ("pa", {"type": 2, "averaging": False}), ("arow", {}), ("l2sgd", {"c2": 0.1})],
)
def test_a_holdout_group_is_scored_as_theirs(tmp_path: Path, algorithm: str, parameters: dict[str, Any], values: bool) -> None:
    parameters = parameters | {"max_iterations": 8}
    (expected, their_log), (result, our_log) = train_both(create_corpus(values=values), tmp_path, algorithm, parameters, 1)
    assert hide_times(our_log) == hide_times(their_log)
    times = {"time": 0.0}
    assert [item | times for item in our_log.iterations] == [item | times for item in their_log.iterations]
    assert our_log.events == their_log.events
    assert result == expected


@pytest.mark.parametrize("algorithm", ["ap", "l2sgd"])
def test_a_new_process_of_theirs_has_our_order_of_instances(tmp_path: Path, algorithm: str) -> None:
    """Without srand(), the first training of a process has the seed 1, the default of tagpool.seed."""
    data = [item[:2] for item in create_corpus()]
    code = (
        "import json, sys, pycrfsuite\n"
        f"trainer = pycrfsuite.Trainer({algorithm!r}, {{'max_iterations': 5}}, verbose=False)\n"
        "for sentence, labels in json.load(open(sys.argv[1])): trainer.append(sentence, labels)\n"
        "trainer.train(sys.argv[2])"
    )
    (tmp_path / "data").write_text(json.dumps(data))
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "data"), str(tmp_path / "theirs")], check=True)
    trainer = append_all(ours.Trainer(algorithm, {"max_iterations": 5}, verbose=False), data)
    for _ in range(2):  # each training of ours begins with the seed
        assert trainer.trained() == (tmp_path / "theirs").read_bytes()
    trainer.set("tagpool.seed", 42)
    ctypes.CDLL(None).srand(42)
    append_all(theirs.Trainer(algorithm, {"max_iterations": 5}, verbose=False), data).train(str(tmp_path / "other"))
    assert trainer.trained() == (tmp_path / "other").read_bytes() != (tmp_path / "theirs").read_bytes()


def read_weights(model: bytes) -> dict[Any, float]:
    tagger = ours.Tagger()
    tagger.open_inmemory(model)
    info = tagger.info()
    return {**info.state_features, **info.transitions}


def largest_difference(one: bytes, other: bytes) -> float:
    left, right = read_weights(one), read_weights(other)
    return max((abs(left.get(name, 0.0) - right.get(name, 0.0)) for name in left.keys() | right.keys()), default=0.0)


@pytest.mark.parametrize("iterations", [1, 2, 7, 30])
@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"c1": 0.3},
        {"linesearch": "Backtracking"},
        {"linesearch": "StrongBacktracking"},
        {"num_memories": 2, "c2": 0.1},
        {"feature.possible_states": True, "feature.possible_transitions": True, "feature.minfreq": 0},
    ],
)
def test_lbfgs_has_their_weights_after_a_number_of_iterations(
    tmp_path: Path, parameters: dict[str, Any], iterations: int
) -> None:
    (expected, their_log), (result, our_log) = train_both(
        create_corpus(), tmp_path, "lbfgs", parameters | {"max_iterations": iterations}, 1
    )
    assert largest_difference(result, expected) < 1e-9
    assert [re.sub(r"[0-9.]+", "0", line) for line in our_log.log] == [re.sub(r"[0-9.]+", "0", line) for line in their_log.log]
    for mine, their in zip(our_log.iterations, their_log.iterations, strict=True):
        # The first weights are multiples of counts: ties are broken by rounding errors.
        assert mine["num"] < 3 or mine["scores"] == their["scores"]
        for name in ("loss", "feature_norm", "error_norm", "active_features", "linesearch_trials", "linesearch_step"):
            assert mine[name] == pytest.approx(their[name], abs=2e-6)


@pytest.mark.parametrize("parameters", [{}, {"c1": 0.3}, {"feature.minfreq": 1}])
def test_attributes_that_are_false_have_their_weights(tmp_path: Path, parameters: dict[str, Any]) -> None:
    """Values of 0 add nothing to scores, but CRFsuite stores weights for them."""
    data = [
        ([{"word": name, "capital": len(name) % 2 == 0, "never": False} for item in sentence for name in list(item)[:1]], labels)
        for sentence, labels, *_ in create_corpus()
    ]
    (expected, their_log), (result, our_log) = train_both(data, tmp_path, "lbfgs", parameters | {"max_iterations": 7})
    assert largest_difference(result, expected) < 1e-9
    assert our_log.featgen_num_features == their_log.featgen_num_features


@settings(max_examples=60, deadline=None)
@given(
    instances,
    st.fixed_dictionaries(
        {"c2": st.sampled_from([0.1, 1.0]), "max_iterations": st.integers(1, 8)},
        optional={
            "c1": st.sampled_from([0.1234, 0.777]),  # not a gradient of counts: rounding would decide which weights are 0
            "linesearch": st.sampled_from(["Backtracking", "StrongBacktracking"]),
            "max_linesearch": st.sampled_from([2, 5]),
            "epsilon": st.sampled_from([0.01, 0.3]),
            "period": st.sampled_from([0, 1, 3]),
            "delta": st.sampled_from([0.0, 0.1]),
        },
    ),
)
def test_short_trainings_by_lbfgs_end_as_theirs(tmp_path_factory: Any, data: Any, parameters: dict[str, Any]) -> None:
    single = [([dict.fromkeys(item, 1.0) for item in sentence], labels) for sentence, labels in data]
    results = train_both(single, tmp_path_factory.getbasetemp(), "lbfgs", parameters)
    (expected, their_log), (result, our_log) = results
    assert largest_difference(result, expected) < 1e-7
    assert len(our_log.iterations) == len(their_log.iterations)
    ends = [[line for line in log.log if "L-BFGS" in line] for log in (our_log, their_log)]
    assert ends[0] == ends[1]


def test_the_exact_mode_is_chosen_by_a_parameter(tmp_path: Path) -> None:
    """From 2,000 tokens on, the default starts from weights of SGD; a limit of iterations or tagpool.trainer=exact does not."""
    data = [item[:2] for item in create_corpus()] * 3
    append_all(theirs.Trainer("lbfgs", {}, verbose=False), data).train(str(tmp_path / "theirs"))
    expected = (tmp_path / "theirs").read_bytes()
    for parameters, exact in (({}, False), ({"tagpool.trainer": "exact"}, True), ({"max_iterations": 2**31 - 2}, True)):
        trainer = append_all(ours.Trainer("lbfgs", parameters, verbose=False), data)
        assert (largest_difference(trainer.trained(), expected) < 1e-8) == exact
    assert append_all(
        ours.Trainer("lbfgs", {"tagpool.trainer": "exact", "tagpool.threads": 3}, verbose=False), data
    ).trained() == (append_all(ours.Trainer("lbfgs", {"tagpool.trainer": "exact"}, verbose=False), data).trained())


def read_chunks(folder: Path, count: int) -> list[tuple[list[list[str]], list[str]]]:
    sentences = read_corpus(folder / "conll2000" / "train.txt.gz", columns="word,pos,label")[:count]
    rows = zip(sentences.column("word"), sentences.column("pos"), sentences.labels, strict=True)
    return [
        ([[f"w={w}", f"s={w[-3:]}", f"p={p}", "bias"] for w, p in zip(words, tags, strict=True)], labels)
        for words, tags, labels in rows
    ]


@pytest.mark.parametrize(
    ("algorithm", "iterations", "tolerance"),
    [("ap", 10, 0.0), ("pa", 10, 0.0), ("arow", 10, 0.0), ("l2sgd", 3, 0.0), ("lbfgs", 20, 1e-6)],
)
def test_a_real_corpus_gives_their_weights(
    tmp_path: Path, real_data: Path, algorithm: str, iterations: int, tolerance: float
) -> None:
    data = read_chunks(real_data, 1500)
    (expected, _), (result, _) = train_both(data, tmp_path, algorithm, {"max_iterations": iterations})
    assert largest_difference(result, expected) <= tolerance


def test_steps_of_l2sgd_need_a_penalty() -> None:
    for parameters, message in (
        ({"c2": 0}, "derives its steps from c2"),
        ({"calibration.rate": 0}, "expected positive numbers"),
        ({"calibration.eta": 0}, "expected positive numbers"),
    ):
        with pytest.raises(InputError, match=message):
            append_all(ours.Trainer("l2sgd", parameters, verbose=False), [item[:2] for item in create_corpus()]).trained()
