"""Parquet files: corpora come back, pyarrow and polars read the files, and bad files are errors with their names."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from corpus.test_arrow import as_rows, corpora
from hypothesis import given

from tagpool import Corpus, InputError, OutputError, builtin_corpus, read_corpus, write_corpus


@given(corpora())
def test_a_corpus_comes_back(tmp_path_factory: pytest.TempPathFactory, corpus: Corpus) -> None:
    path = tmp_path_factory.getbasetemp() / "x.parquet"
    write_corpus(corpus, path)
    assert read_corpus(path) == corpus
    assert pl.read_parquet(path).to_dicts() == as_rows(corpus)
    assert pq.read_schema(path).field("tokens").type.value_type == pa.string()


def test_files_of_several_row_groups_and_rows_of_tokens(tmp_path: Path) -> None:
    corpus = builtin_corpus(100)
    rows = [
        {"s": number, "w": word, "tag": label}
        for number, sentence in enumerate(corpus)
        for word, label in zip(sentence.words, sentence.labels or (), strict=True)
    ]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "flat.parquet", row_group_size=37)
    read = read_corpus(tmp_path / "flat.parquet", columns="w=word,tag=label,s=sentence")
    assert (read.words, read.labels) == (corpus.words, corpus.labels)


def test_compressed_files(tmp_path: Path) -> None:
    corpus = builtin_corpus(20)
    write_corpus(corpus, tmp_path / "x.parquet")
    (tmp_path / "x.parquet.gz").write_bytes(gzip.compress((tmp_path / "x.parquet").read_bytes()))
    assert read_corpus(tmp_path / "x.parquet.gz") == read_corpus(tmp_path / "x.parquet")


def test_names_that_are_no_valid_text(tmp_path: Path) -> None:
    corpus = builtin_corpus(5)
    path = tmp_path / os.fsdecode(b"\xff.parquet")
    write_corpus(corpus, path)
    assert read_corpus(path) == corpus


@pytest.mark.parametrize("cut", [0, 3, 8, 100, 400])
def test_damaged_files(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "x.parquet"
    write_corpus(builtin_corpus(20), path)
    path.write_bytes(path.read_bytes()[: -cut - 1])
    with pytest.raises(InputError, match=rf"{path}: expected a Parquet file, got something else or a damaged file: .*[^.]$"):
        read_corpus(path)


def test_damaged_bytes_never_crash(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    write_corpus(builtin_corpus(20), path)
    data = path.read_bytes()
    messages = []
    for place in range(0, len(data), 41):
        path.write_bytes(data[:place] + bytes([data[place] ^ 0x55]) + data[place + 1 :])
        try:
            read_corpus(path)
        except InputError as error:
            messages.append(error.message)
    assert any(message.startswith("reading the table failed: ") for message in messages)
    assert not any("Traceback" in message for message in messages)


def test_other_errors(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file"):
        read_corpus(tmp_path / "no.parquet")
    pq.write_table(pa.table({"id": [1]}), tmp_path / "ids.parquet")
    with pytest.raises(InputError, match=r"ids.parquet: no column of tokens; the columns are id \(int64\); name it with"):
        read_corpus(tmp_path / "ids.parquet")
    pq.write_table(pa.table({"tokens": pa.array([], pa.list_(pa.string()))}), tmp_path / "none.parquet")
    with pytest.raises(InputError, match="expected sentences, got none: the file has no rows"):
        read_corpus(tmp_path / "none.parquet")
    with pytest.raises(OutputError, match=r"no/x.parquet: writing failed"):
        write_corpus(builtin_corpus(2), tmp_path / "no" / "x.parquet")
    corpus = Corpus.from_columns({"word": [["a"]], "tokens": [["b"]]})
    with pytest.raises(InputError, match="rename it"):
        write_corpus(corpus, tmp_path / "x.parquet")
    assert not (tmp_path / "x.parquet").exists()


def test_without_pyarrow_the_error_names_the_extra(tmp_path: Path) -> None:
    write_corpus(builtin_corpus(2), tmp_path / "x.parquet")
    code = (
        "import sys; sys.modules['pyarrow'] = None; import tagpool\n"
        "try: tagpool.read_corpus(sys.argv[1])\nexcept tagpool.InputError as error: print(error)\n"
        "print(tagpool.Corpus.from_arrow(tagpool.builtin_corpus(3).to_arrow()))\n"
        "assert not {'pandas', 'polars', 'numpy'} & sys.modules.keys()"
    )
    done = subprocess.run([sys.executable, "-c", code, tmp_path / "x.parquet"], capture_output=True, text=True, check=True)
    assert "Parquet needs pyarrow; pip install 'tagpool[arrow]'" in done.stdout
    assert "<Corpus: 3 sentences" in done.stdout
