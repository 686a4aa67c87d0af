"""Batches of tables: labels of every form of a batch are those of the tagger."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import tagpool
from tagpool import CRF, InputError, builtin_corpus
from tagpool.bridges.batches import BatchLabeller, _load
from tagpool.bridges.ray import Tag
from tagpool.bridges.spark import tag

WORDS = builtin_corpus(20, part="test").words


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "ner.tagpool"
    CRF("ner").fit(builtin_corpus(100)).save(path)
    return path


@pytest.fixture(scope="module")
def labels(model: Path) -> list[list[str]]:
    predicted: list[list[str]] = tagpool.load(model).predict(WORDS)
    return predicted


def batches(name: str) -> list[Any]:
    """The same sentences as Ray Data passes them in each batch format."""
    arrays = np.empty(len(WORDS), object)
    arrays[:] = [np.array(words, object) for words in WORDS]
    table = pa.table({name: WORDS, "n": range(len(WORDS))})
    return [{name: arrays, "n": np.arange(len(WORDS))}, pd.DataFrame({name: WORDS, "n": range(len(WORDS))}), table]


@pytest.mark.parametrize("form", range(3))
def test_every_form_of_a_batch(model: Path, labels: list[list[str]], form: int) -> None:
    batch = batches("text")[form]
    labelled = Tag(model, "text", labels="ner", confidences="p")(batch)
    assert type(labelled) is type(batch)
    rows = {name: [as_list(row) for row in labelled[name]] for name in ("text", "ner", "p", "n")}
    assert rows["text"] == WORDS
    assert rows["ner"] == labels
    assert rows["n"] == list(range(len(WORDS)))
    tagger = tagpool.load(model)
    for row, matrix, best in zip(rows["p"], tagger.predict_proba(WORDS), labels, strict=True):
        numbers = [tagger.labels_.index(label) for label in best]
        assert row == pytest.approx(matrix[range(len(best)), numbers].tolist(), abs=1e-9)
    assert "ner" not in batch  # it is not changed


def as_list(row: Any) -> Any:
    if isinstance(row, pa.Scalar):
        row = row.as_py()
    return row.tolist() if hasattr(row, "tolist") else row


def test_sentences_of_equal_length_and_empty_batches(model: Path) -> None:
    tagger = Tag(model)
    matrix = np.array([["Ann", "left"], ["Bo", "left"]], object)
    assert tagger({"tokens": matrix})["labels"].shape == (2,)
    assert tagger({"tokens": np.empty(0, object)})["labels"].tolist() == []
    empty = tagger(pa.table({"tokens": pa.array([], pa.list_(pa.string()))}))
    assert empty.schema.field("labels").type == pa.list_(pa.string())
    assert Tag(model, confidences="p")(empty).column_names == ["tokens", "labels", "p"]


def test_record_batches_of_spark(model: Path, labels: list[list[str]]) -> None:
    table = pa.table({"id": range(len(WORDS)), "tokens": WORDS, "labels": [["old"]] * len(WORDS)})
    tagger = tag(model, confidences="p")
    labelled = list(tagger(iter([*table.to_batches(max_chunksize=7), table.to_batches()[0].slice(0, 0)])))
    assert all(isinstance(batch, pa.RecordBatch) for batch in labelled)
    whole = pa.Table.from_batches(labelled)
    assert whole.column_names == ["id", "tokens", "labels", "p"]
    assert whole["labels"].to_pylist() == labels
    assert len(labelled) == 4


def test_other_columns_of_the_model(tmp_path: Path) -> None:
    corpus = builtin_corpus(50)
    CRF("word[0]\npos[0]").fit(corpus).save(tmp_path / "m")
    table = pa.table(corpus)
    assert Tag(tmp_path / "m", labels="new")(table)["new"].to_pylist() == tagpool.load(tmp_path / "m").predict(corpus)
    with pytest.raises(InputError, match="no column 'pos'; the columns are tokens"):
        Tag(tmp_path / "m")(pa.table({"tokens": WORDS}))
    with pytest.raises(InputError, match="no column 'pos'; the columns are tokens"):
        Tag(tmp_path / "m")({"tokens": WORDS})


def test_a_process_loads_a_model_once(model: Path) -> None:
    _load.cache_clear()
    tagger = Tag(model)
    for _ in range(3):
        tagger({"tokens": WORDS})
        copy = pickle.loads(pickle.dumps(tagger))
        assert copy({"tokens": WORDS[:1]})["labels"].tolist() == tagger({"tokens": WORDS[:1]})["labels"].tolist()
    assert _load.cache_info().misses == 1
    assert len(pickle.dumps(tagger)) < 1000


def test_a_changed_model_is_loaded_again(model: Path, tmp_path: Path) -> None:
    path = tmp_path / "m"
    path.write_bytes(model.read_bytes())
    tagger = Tag(path)
    tagger({"tokens": WORDS})
    CRF("word[0]").fit([["Ann", "x"]], [["NEW", "O"]]).save(path)
    assert tagger({"tokens": [["Ann"]]})["labels"].tolist() == [["NEW"]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"model": 3}, "expected the path of a model file, got int; save the model"),
        ({"column": ""}, "column = '': expected the name of a column"),
        ({"labels": 3}, "labels = 3: expected the name of a column"),
        ({"labels": "tokens"}, "expected different columns, got tokens, tokens and None"),
        ({"confidences": "labels"}, "expected different columns"),
        ({"threads": 0}, "threads = 0: expected a whole number from 1"),
    ],
)
def test_bad_arguments(model: Path, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        BatchLabeller(**{"model": model, **arguments})


def test_bad_batches(model: Path) -> None:
    tagger = Tag(model)
    for batch, message in (
        ({"x": WORDS}, "no column 'tokens'; the columns are x; name the tokens with column="),
        ({"tokens": ["Ann left"]}, "column 'tokens': expected a list of strings for each sentence, got 'Ann left'"),
        ({"tokens": [None]}, "expected a list of strings for each sentence, got None"),
        (pa.table({"x": WORDS}), "no column 'tokens'; the columns are x"),
        ([1], "expected a batch of Ray Data"),
    ):
        with pytest.raises(InputError, match=message):
            tagger(batch)
    with pytest.raises(InputError, match="there is no such file"):
        Tag("no.tagpool")({"tokens": WORDS})
