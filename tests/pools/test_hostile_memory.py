"""Model files whose content is small and names much: tens of thousands of labels, features that share weights, long names.

Each is used in a process with the memory for a file of its size: four times as much and 64 MB.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles import hostile
from oracles.mutants import Array, Content

import tagpool
from tagpool import ModelError
from tagpool.experts.saving import SaveOptions

LABELS = 30_000
SENTENCE = [["w1", "w2", "w3"]]


def text_array(text: bytes) -> Array:
    packed = zlib.compress(text)
    return Array("U8", [len(packed)], packed)


def row_of(labels: int) -> np.ndarray:
    """The weights of every feature."""
    return np.linspace(-1, 1, labels, dtype=np.float32)


def rows_that_are_shared(names: list[str], labels: int, *, chain: bool = False) -> Content:
    """A model of these features, all with the same row of weights for many labels."""
    words = [name.partition("=")[2] for name in names]
    learner = (tagpool.CRF if chain else tagpool.MaxEnt)("word[0]", trainer=tagpool.SGD(epochs=1))
    corpus = tagpool.Corpus.from_lists(word=[words], label=[["A", "B"] * (len(words) // 2)])
    content = Content.of(learner.fit(corpus).to_bytes(SaveOptions()))
    weights = np.concatenate([row_of(labels), np.zeros(-(-labels // 8) * 8, np.float32)])
    places = content.arrays["features.places"].values
    content.arrays["features.places"].data = np.where(places == 2**32 - 1, places, 0).astype(np.uint32).tobytes()
    content.arrays["features.weights"] = Array("F32", [len(weights)], weights.tobytes())
    content.arrays["features.labels"] = Array("U16", [0], b"")
    content.texts |= {"labels": json.dumps([f"L{n}" for n in range(labels)]), "blocks": json.dumps([labels] * 5)}
    content.arrays["names"] = text_array("\0".join(sorted(names)).encode())
    if chain:
        edges = np.linspace(-1, 1, (labels + 2) * labels, dtype=np.float32)
        content.arrays["edges"] = Array("F32", [labels + 2, labels], edges.tobytes())
    return content


def in_limits(content: Content, path: Path, work: Callable[[Any], object]) -> None:
    """Do some work with a model in the memory for its file."""
    block = content.sealed()
    path.write_bytes(block)
    assert hostile.run_limited(lambda: work(tagpool.load(path)), len(block)) == 0


def refused(message: str, work: Callable[[Any], object]) -> Callable[[Any], object]:
    """Work that must end in a ModelError."""

    def check(model: Any) -> None:
        with pytest.raises(ModelError, match=message):
            work(model)

    return check


@pytest.fixture(scope="module")
def many_labels() -> Content:
    return rows_that_are_shared([f"word[0]=w{n}" for n in range(40)], LABELS)


def test_probabilities_of_many_labels(many_labels: Content, tmp_path: Path) -> None:
    """All pairs of labels would take 7 GB; the probabilities of tokens take 720 KB."""

    def work(model: Any) -> None:
        (rows,) = model.predict_proba(SENTENCE)
        expected = np.exp(row_of(LABELS).astype(float))
        expected /= expected.sum()
        np.testing.assert_allclose(rows, np.tile(expected, (3, 1)), rtol=1e-9)
        assert model.predict(SENTENCE) == [[f"L{LABELS - 1}"] * 3]

    in_limits(many_labels, tmp_path / "model", work)


@pytest.mark.parametrize(
    ("message", "work"),
    [
        ("a lattice of 30,000 labels would take 36,000 MB.*use predict", lambda model: model.lattices(SENTENCE)),
        ("a lattice of 30,000 labels would take", lambda model: model.explain(SENTENCE[0])),
        ("the list of features would take .*--label", lambda model: model.describe()),
    ],
)
def test_tables_of_many_labels_are_refused(many_labels: Content, message: str, work: Any, tmp_path: Path) -> None:
    in_limits(many_labels, tmp_path / "model", refused(message, work))


def test_the_advice_for_many_labels_works(many_labels: Content, tmp_path: Path) -> None:
    def work(model: Any) -> None:
        last = f"L{LABELS - 1}"
        (only,) = model.describe(labels=[last]).facts["top_features"].values()
        assert [name for name, _ in only["positive"]] == sorted(f"word[0]=w{n}" for n in range(40))[:10]
        assert len(model.describe(top=0).facts["labels"]) == LABELS
        assert len(model.top_features(last, 3).positive) == 3

    in_limits(many_labels, tmp_path / "model", work)


def test_pools_of_many_labels(many_labels: Content, tmp_path: Path) -> None:
    """Members without transitions merge without transitions."""
    block = many_labels.sealed()
    record = {"member_weights": [1.0], "weights": "uniform"}
    texts = {"kind": "opinion-pool", "version": "2", "members": "1", "record": json.dumps(record), "format": "tagpool"}
    pool = Content(texts, {"members.0": Array("U8", [len(block)], block)})
    in_limits(pool, tmp_path / "pool", lambda model: model.describe(top=0))


def test_merging_of_features_that_share_their_weights(tmp_path: Path) -> None:
    """40,000 features share a row of 1,000 weights: 160 MB if each had its own."""
    content = rows_that_are_shared([f"word[0]=w{n}" for n in range(40_000)], 1000)

    def work(model: Any) -> None:
        with pytest.raises(tagpool.InputError, match="too many features of the members share their weights"):
            model.without()
        assert len(model.describe(top=2).facts["top_features"]) == 1000

    in_limits(content, tmp_path / "model", work)


def test_transitions_of_many_labels(tmp_path: Path) -> None:
    """The transitions of a chain are compared in parts: as Python numbers they would take 30 times their size."""
    content = rows_that_are_shared(["word[0]=a", "word[0]=b"], 2500, chain=True)

    def work(model: Any) -> None:
        shown = model.describe(top=3, labels=["L0"]).facts["transitions"]
        assert [row[:2] for row in shown] == [["L0", "L0"], ["L0", "L1"], ["L0", "L2"]]  # the most negative ones

    in_limits(content, tmp_path / "model", work)


def test_long_names_do_not_widen_tables(tmp_path: Path) -> None:
    """Each of 3,000 templates would have a row as long as the longest key: 600 MB."""
    content = rows_that_are_shared(["word[0]=a", "word[0]=b"], 2)
    program = json.loads(content.texts["program"])
    keys = ["k" * 200_000, *(f"k{n}" for n in range(3000))]
    content.texts["program"] = json.dumps(program | {"templates": [[key, [0, 0]] for key in keys]})
    content.arrays["names"] = text_array("\0".join(sorted(f"{key}=a" for key in keys)).encode())

    def work(model: Any) -> None:
        text = str(model.describe(top=1))
        assert f"\nk2999{' ' * 195}" in text
        assert len(text) < 2_000_000

    in_limits(content, tmp_path / "model", work)


def test_many_templates_that_the_model_does_not_have(tmp_path: Path) -> None:
    content = rows_that_are_shared(["word[0]=a", "word[0]=b"], 2)
    content.arrays["names"] = text_array(b"\0".join(b"%d=a" % n for n in range(300_000)))
    in_limits(content, tmp_path / "model", lambda model: model.describe())


def test_names_that_are_larger_than_the_file_are_listed(tmp_path: Path) -> None:
    """Names of real models take up to 9 times the size of the file as a list; inspection reads them in parts."""
    words = [f"w{n:07d}" for n in range(400_000)]
    content = rows_that_are_shared(["word[0]=a", "word[0]=b"], 2)
    content.arrays["names"] = text_array("\0".join(f"word[0]={word}" for word in words).encode())
    assert len(content.sealed()) < 1_500_000

    def work(model: Any) -> None:
        assert model.describe().facts["templates"] == {"word[0]": 400_000}

    in_limits(content, tmp_path / "model", work)


@pytest.mark.parametrize("key", ["summary", "parameters"])
def test_facts_have_few_values(key: str, tmp_path: Path) -> None:
    content = rows_that_are_shared(["word[0]=a", "word[0]=b"], 2)
    content.texts[key] = json.dumps({f"k{n}": {} for n in range(20_000)})
    in_limits(content, tmp_path / "model", refused(f"'{key}': more than 16,384 values", lambda model: model.describe()))
