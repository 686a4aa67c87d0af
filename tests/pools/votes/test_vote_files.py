"""Files of vote pools: a loaded pool equals the saved one, and damage is an error."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import tagpool
from tagpool import Automaton, InputError, ModelError, VotePool, _native
from tagpool.corpus.files import write_bytes
from tagpool.pools.votes.methods import METHODS

GOLD = [["a", "b"], ["b", "a"], ["a", "a"], ["b", "b"]] * 5
EXPERTS = {
    "one": [["a", "b"], ["b", "b"], ["a", "a"], ["b", "b"]] * 5,
    "two": [["a", "a"], ["b", "a"], ["a", "b"], ["a", "b"]] * 5,
    "three": [["b", "b"], ["b", "a"], None, ["b", None]] * 5,
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("general", [False, True])
def test_a_loaded_pool_equals_the_saved_one(method: str, general: bool, tmp_path: Path) -> None:
    automaton = Automaton([("s", "x", "one"), ("s", "y", "two"), ("x", "e", "three"), ("x", "e", "two"), ("y", "e", "one")])
    pool = VotePool(method, automaton=automaton if general else None, calibrate=True, beta=[0.8, 0.9]).fit(EXPERTS, GOLD)
    pool.save(tmp_path / "pool")
    again = tagpool.load(tmp_path / "pool")
    assert isinstance(again, VotePool)
    labels, confidence = pool.predict_with_confidence(EXPERTS)
    result, sure = again.predict_with_confidence(EXPERTS)
    assert result == labels
    assert all((a == b).all() for a, b in zip(sure, confidence, strict=True))
    assert (again.weights_ == pool.weights_).all()
    assert (again.beta_, again.states_, again.experts_, again.guarantees_) == (
        pool.beta_,
        pool.states_,
        pool.experts_,
        pool.guarantees_,
    )
    assert repr(again.set_params(automaton=pool.automaton)) == repr(pool)


def test_functions_are_not_saved_and_must_be_set_again(tmp_path: Path) -> None:
    def key(place: tagpool.Place) -> str:
        return "first" if place.position == 0 else "later"

    pool = VotePool(key=key, loss=lambda gold, label: 2.0 * (gold != label)).fit(EXPERTS, GOLD)
    pool.save(tmp_path / "pool")
    again = tagpool.load(tmp_path / "pool")
    assert isinstance(again, VotePool)
    with pytest.raises(InputError, match=r"set pool\.key first"):
        again.predict(EXPERTS)
    again.key = key
    assert again.predict(EXPERTS) == pool.predict(EXPERTS)
    with pytest.raises(InputError, match=r"set pool\.loss first"):
        again.mean_loss(EXPERTS, GOLD)


def test_lengths_and_schemes_are_saved(tmp_path: Path) -> None:
    pool = VotePool(lengths="align").fit({"one": [["a"], ["b", "c"]], "two": [["a", "b"], ["c"]]}, [["a"], ["b", "c"]])
    pool.save(tmp_path / "pool")
    asked = {"one": [["a", "b", "c"]], "two": [["a", "c"]]}
    assert tagpool.load(tmp_path / "pool").predict(asked) == pool.predict(asked)  # type: ignore[arg-type]


def rewritten(source: Path, target: Path, change) -> None:
    container = _native.Container.open(str(source))
    record = json.loads(container.text("record"))
    arrays = {name: container.array(name) for name in ("weights",)}
    texts = {"kind": "vote-pool", "version": "2", "tagpool": "x"}
    change(record, arrays, texts)
    write_bytes(target, _native.Container.write({"record": json.dumps(record), **texts}, arrays))


@pytest.mark.parametrize(
    "change",
    [
        lambda record, arrays, texts: record.pop("labels"),
        lambda record, arrays, texts: record.update(shape=[1, 1]),
        lambda record, arrays, texts: record.update(states=["0", "1"]),
        lambda record, arrays, texts: record.update(experts=["one", "one", "three"]),
        lambda record, arrays, texts: record.update(fallback="z"),
        lambda record, arrays, texts: record.update(labels=["a", 3]),
        lambda record, arrays, texts: record["parameters"].update(method="magic"),
        lambda record, arrays, texts: record["parameters"].update(nonsense=1),
        lambda record, arrays, texts: record.update(guarantees={"x": 1}),
        lambda record, arrays, texts: record.update(parameters=3),
        lambda record, arrays, texts: arrays.pop("weights"),
        lambda record, arrays, texts: arrays.update(weights=np.full(9, np.nan).tobytes()),
        lambda record, arrays, texts: arrays.update(weights=b"123"),
        lambda record, arrays, texts: texts.update(version="99"),
        lambda record, arrays, texts: texts.update(version="1"),
        lambda record, arrays, texts: texts.update(version="x"),
        lambda record, arrays, texts: texts.update(record="{"),
    ],
)
def test_inconsistent_content(tmp_path: Path, change) -> None:
    VotePool().fit(EXPERTS, GOLD).save(tmp_path / "good")
    rewritten(tmp_path / "good", tmp_path / "same", lambda record, arrays, texts: None)
    assert isinstance(tagpool.load(tmp_path / "same"), VotePool)
    rewritten(tmp_path / "good", tmp_path / "bad", change)
    with pytest.raises(ModelError, match=r"bad: (damaged vote pool|a newer tagpool wrote it|tagpool x wrote it)"):
        tagpool.load(tmp_path / "bad")


def test_a_cut_file_is_refused(tmp_path: Path) -> None:
    VotePool().fit(EXPERTS, GOLD).save(tmp_path / "good")
    whole = (tmp_path / "good").read_bytes()
    for size in range(0, len(whole), 97):
        (tmp_path / "cut").write_bytes(whole[:size])
        with pytest.raises(ModelError):
            tagpool.load(tmp_path / "cut")
