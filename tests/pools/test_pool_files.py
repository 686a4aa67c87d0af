"""Files of pools: a loaded pool gives the same labels, and damage is an error."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest
import safetensors
from hypothesis import given, settings
from hypothesis import strategies as st
from pools.tiny_pools import Fixed

import tagpool
from tagpool import CRF, SGD, BaggingPool, Corpus, InputError, Lattice, MaxEnt, ModelError, OpinionPool, OutputError, _native
from tagpool.experts.saving import SaveOptions, to_bytes

TEMPLATES = "word[0]\n[shapes]\nshape(word)[-1..1]\n[endings]\nsuffix(word, 1..3)[0]"


@pytest.fixture(scope="module")
def train() -> Corpus:
    return tagpool.builtin_corpus(100, seed=9)


@pytest.fixture(scope="module")
def bagged(train) -> BaggingPool:
    return BaggingPool(CRF(TEMPLATES, trainer=SGD(epochs=2)), combine="transition-product", weights="likelihood").fit(train)


@pytest.fixture(scope="module")
def block(bagged) -> bytes:
    return bagged.to_bytes(SaveOptions())


def loaded(path, block):
    path.write_bytes(block)
    return tagpool.load(path)


def test_a_bagging_pool_is_restored(bagged, train, tmp_path):
    bagged.save(tmp_path / "pool")
    again = tagpool.load(tmp_path / "pool")
    assert type(again) is BaggingPool
    assert again.predict(train) == bagged.predict(train)
    assert [m.tobytes() for m in again.predict_marginals(train)] == [m.tobytes() for m in bagged.predict_marginals(train)]
    for name in ("names_", "bags_", "auto_", "combine", "weights", "folds", "seed", "labels_"):
        assert getattr(again, name) == getattr(bagged, name)
    assert again.weights_.tobytes() == bagged.weights_.tobytes()
    again.save(tmp_path / "again")
    assert tagpool.load(tmp_path / "again").predict(train) == bagged.predict(train)
    with safetensors.safe_open(tmp_path / "pool", "numpy") as file:
        assert file.metadata()["kind"] == "bagging-pool"
        assert set(file.keys()) == {"members.0", "members.1"}


def test_nested_opinion_pools_are_restored(bagged, train, tmp_path):
    maxent = MaxEnt("word[0]", trainer=SGD(epochs=1)).fit(train)
    inner = OpinionPool([maxent, *bagged], weights="free").fit(train)
    pool = OpinionPool([inner, maxent, bagged], weights=[0.25, 0.25, 0.5])
    pool.save(tmp_path / "pool")
    again = tagpool.load(tmp_path / "pool")
    assert type(again) is OpinionPool
    assert again.predict(train) == pool.predict(train)
    assert next(iter(again)).weights_.tobytes() == inner.weights_.tobytes()
    assert next(iter(again)).weights == "free"
    assert again.weights == [0.25, 0.25, 0.5]


def test_equal_pools_are_equal_files(bagged, train, block):
    again = BaggingPool(CRF(TEMPLATES, trainer=SGD(epochs=2)), combine="transition-product", weights="likelihood").fit(train)
    assert again.to_bytes(SaveOptions()) == block


@given(cut=st.booleans(), ahead=st.booleans(), where=st.floats(0, 1, exclude_max=True), by=st.integers(1, 255))
@settings(max_examples=200, deadline=None)
def test_damage_is_noticed(block, cut, ahead, where, by, tmp_path_factory):
    path = tmp_path_factory.mktemp("damaged") / "pool"
    place = int(where * (1000 if ahead else len(block)))  # the header is short, and most errors are possible there
    harmed = block[:place] if cut else block[:place] + bytes([block[place] ^ by]) + block[place + 1 :]
    with pytest.raises(ModelError) as caught:
        loaded(path, harmed)
    assert str(path) in str(caught.value)


def rewritten(bagged, texts=None, arrays=None, **record) -> bytes:
    """The file with other content and its checksum."""
    full = {**bagged.record(), **record}
    known = {"kind": "bagging-pool", "version": "2", "members": "2", "record": json.dumps(full)} | (texts or {})
    members = {f"members.{number}": to_bytes(member) for number, member in enumerate(bagged)}
    return _native.Container.write(known, members | (arrays or {}))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"member_weights": [1.0]}, "damaged pool: member weights"),
        ({"member_weights": [float("nan"), 1.0]}, "damaged pool: member weights"),
        ({"member_weights": "x"}, "damaged"),
        ({"combine": "vote"}, "damaged pool: .*combine='vote'"),
        ({"bags": {"one": ["shapes"]}}, "one name per member"),
        ({"bags": 3}, "damaged"),
        ({"texts": {"record": "{"}}, "damaged"),
        ({"texts": {"record": "{}"}}, "damaged"),
        ({"texts": {"version": "3"}}, "newer tagpool"),
        ({"texts": {"version": "1"}}, "train the pool again"),
        ({"texts": {"version": "x"}}, "damaged"),
        ({"texts": {"members": "3"}}, "the member 'members.2' is missing"),
        ({"texts": {"members": "0"}}, "damaged"),
        ({"arrays": {"members.1": b"nonsense"}}, "damaged pool"),
        ({"texts": {"kind": "council"}}, "missing|unknown"),
    ],
)
def test_inconsistent_content(bagged, tmp_path, changes, message):
    with pytest.raises(ModelError, match=message):
        loaded(tmp_path / "pool", rewritten(bagged, **changes))
    assert loaded(tmp_path / "pool", rewritten(bagged)).labels_ == bagged.labels_


def test_inconsistent_members(bagged, tmp_path):
    other = CRF("word[0]", trainer=SGD(epochs=1)).fit([["a", "b"]], [["X", "Y"]])
    with pytest.raises(ModelError, match="same labels"):
        loaded(tmp_path / "pool", rewritten(bagged, arrays={"members.1": to_bytes(other)}))
    with pytest.raises(ModelError, match="neither a CRF nor a MaxEnt"):
        loaded(tmp_path / "pool", rewritten(bagged, arrays={"members.1": OpinionPool(list(bagged)).to_bytes(SaveOptions())}))


@pytest.mark.parametrize("kind", ["feature-bagging", "path-pool"])
def test_kinds_of_older_versions(kind, tmp_path):
    with pytest.raises(ModelError, match="an older tagpool wrote this"):
        loaded(tmp_path / "pool", _native.Container.write({"kind": kind, "version": "1"}, {}))


def test_deeply_nested_pools(bagged, tmp_path):
    inner = to_bytes(next(iter(bagged)))
    for _ in range(60):
        texts = {
            "kind": "opinion-pool",
            "version": "2",
            "members": "1",
            "record": '{"member_weights": [1.0], "weights": "uniform"}',
        }
        inner = _native.Container.write(texts, {"members.0": inner})
    with pytest.raises(ModelError, match="nested more than 8 times"):
        loaded(tmp_path / "pool", inner)
    with pytest.raises(ModelError, match="unknown kind"):
        loaded(tmp_path / "pool", _native.Container.write({"kind": "other"}, {}))


def test_a_failed_save_leaves_no_file(bagged, tmp_path):
    fixed = Fixed([Lattice(np.zeros((1, 2)), np.zeros((2, 2)))], ("A", "B"))
    with pytest.raises(InputError, match="a member is a Fixed"):
        OpinionPool([fixed]).save(tmp_path / "pool")
    with pytest.raises(tagpool.NotFittedError):
        BaggingPool(CRF()).save(tmp_path / "pool")
    with pytest.raises(OutputError):
        bagged.save(tmp_path / "nowhere" / "pool")
    assert list(tmp_path.iterdir()) == []


def test_loading_an_expert_imports_no_pools(train, tmp_path):
    CRF("word[0]", trainer=SGD(epochs=1)).fit(train).save(tmp_path / "model")
    code = f"import sys, tagpool; tagpool.load({str(tmp_path / 'model')!r}).predict([['Ann']]); print(*sys.modules)"
    loaded_modules = set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split())
    assert not {"numpy", "json", "tagpool.pools.pool", "tagpool.pools.opinion.pool"} & loaded_modules
