"""Corpora and data sets of Hugging Face: labels are numbers with names, in memory and in Parquet files."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from corpus.test_arrow import corpora
from hypothesis import given, settings

from tagpool import Corpus, InputError, builtin_corpus, read_corpus
from tagpool.bridges.huggingface import from_dataset, to_dataset
from tagpool.corpus.class_labels import class_names

datasets = pytest.importorskip("datasets")
CORPUS = builtin_corpus(30)


@given(corpora())
@settings(max_examples=30, deadline=None)
def test_a_corpus_comes_back(corpus: Corpus) -> None:
    if "ner_tags" in corpus.columns or "tokens" in corpus.columns:
        return
    back = from_dataset(to_dataset(corpus))
    assert back.words == corpus.words
    assert back.label_column == corpus.label_column
    if corpus.label_column:
        assert back.labels == corpus.labels


def test_labels_are_classes() -> None:
    dataset = to_dataset(CORPUS)
    names = dataset.features["ner_tags"].feature.names
    assert names[:3] == ["O", "B-LOC", "I-LOC"]
    assert [[names[number] for number in row] for row in dataset["ner_tags"]] == CORPUS.labels
    assert to_dataset(CORPUS, label="tags").column_names == ["tokens", "pos", "chunk", "tags"]


def test_selected_and_shuffled_rows() -> None:
    dataset = to_dataset(CORPUS).shuffle(seed=1).select(range(5))
    assert from_dataset(dataset).words == dataset["tokens"][:]


def test_files_of_the_hub_are_read_without_datasets(tmp_path: Path) -> None:
    path = tmp_path / "train.parquet"
    datasets.disable_progress_bars()
    to_dataset(CORPUS).to_parquet(path)
    assert read_corpus(path).labels == CORPUS.labels
    assert read_corpus(path, columns="tokens=word,ner_tags=label").labels == CORPUS.labels
    assert read_corpus(path, columns="tokens,pos=label").labels == CORPUS.column("pos")


def table(tags: dict[str, list[list[int] | None]], names: dict[str, list[str]], form: str = "Sequence") -> pa.Table:
    """A table as older and newer versions of datasets write it."""
    inner = {name: {"names": values, "_type": "ClassLabel"} for name, values in names.items()}
    features = {name: [one] if form == "list" else {"feature": one, "_type": form} for name, one in inner.items()}
    metadata = {b"huggingface": json.dumps({"info": {"features": features}}).encode()}
    words = [[f"w{number}" for number in row or []] for row in next(iter(tags.values()))]
    return pa.table(
        {"tokens": words, **{name: pa.array(rows, pa.list_(pa.int64())) for name, rows in tags.items()}}
    ).replace_schema_metadata(metadata)


@pytest.mark.parametrize("form", ["Sequence", "List", "list"])
def test_the_column_of_labels(form: str, tmp_path: Path) -> None:
    path, names = tmp_path / "a.parquet", {"pos_tags": ["NN", "VB"], "ner_tags": ["O", "B-X"]}
    pq.write_table(table({"pos_tags": [[0, 1], None, [1]], "ner_tags": [[1, 0], None, [1]]}, names, form), path)
    corpus = read_corpus(path)
    assert corpus.labels == [["B-X", "O"], [], ["B-X"]]
    assert corpus.column("pos_tags") == [["NN", "VB"], [], ["VB"]]
    pq.write_table(table({"upos": [[1, 1]]}, {"upos": ["NN", "VB"]}, form), path)
    assert read_corpus(path).labels == [["VB", "VB"]]
    two = table({"pos_tags": [[0]], "chunk_tags": [[0]]}, {"pos_tags": ["NN"], "chunk_tags": ["O"]}, form)
    pq.write_table(two, path)
    assert read_corpus(path).label_column is None
    assert read_corpus(path, label="pos_tags").labels == [["NN"]]


def test_many_row_groups_and_slices(tmp_path: Path) -> None:
    rows = [[number % 2] * (number % 4) for number in range(100)]
    pq.write_table(table({"ner_tags": rows}, {"ner_tags": ["O", "B-X"]}), tmp_path / "a.parquet", row_group_size=7)
    labels = [["O" if number == 0 else "B-X" for number in row] for row in rows]
    assert read_corpus(tmp_path / "a.parquet").labels == labels


@pytest.mark.parametrize("number", [-1, 2, -100])
def test_numbers_without_a_name(tmp_path: Path, number: int) -> None:
    pq.write_table(table({"ner_tags": [[0, number]]}, {"ner_tags": ["O", "B-X"]}), tmp_path / "a.parquet")
    with pytest.raises(InputError, match=rf"a\.parquet: column 'ner_tags': expected labels from 0 to 1, got {number};"):
        read_corpus(tmp_path / "a.parquet")


@pytest.mark.parametrize(
    "metadata", [None, {}, {b"huggingface": b"x"}, {b"huggingface": b"[]"}, {b"huggingface": b'{"info": {"features": {"a": 1}}}'}]
)
def test_other_metadata_has_no_names(metadata: dict[bytes, bytes] | None) -> None:
    assert class_names(metadata) == {}


def test_refusals() -> None:
    with pytest.raises(InputError, match=r"expected one split of a data set, got train, test; choose one"):
        from_dataset(datasets.DatasetDict({"train": to_dataset(CORPUS), "test": to_dataset(CORPUS)}))
    with pytest.raises(InputError, match=r"expected a datasets\.Dataset, got list"):
        from_dataset([])
    with pytest.raises(InputError, match="two columns would be called"):
        to_dataset(CORPUS, label="pos")
