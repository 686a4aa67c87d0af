"""Tables of Arrow: corpora come back as they were, and other tables are read as pyarrow reads them."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagpool import CRF, Corpus, InputError
from tagpool.corpus.arrow import ArrowTable

WORDS = st.text("aé😀'B-1 ", min_size=1, max_size=20)


@st.composite
def corpora(draw: st.DrawFn, *, empty: bool = True) -> Corpus:
    """A corpus of some columns, with empty sentences, documents, and strings of a larger corpus that it does not have."""
    names = ["word", *draw(st.lists(st.sampled_from(["pos", "label", "space"]), unique=True))]
    lengths = draw(st.lists(st.integers(0 if empty else 1, 4), min_size=1, max_size=8))
    columns = {name: [[draw(WORDS) for _ in range(length)] for length in lengths] for name in names}
    documents = draw(st.sets(st.integers(1, len(lengths) - 1))) if len(lengths) > 1 else set()
    corpus = Corpus.from_columns(columns, documents=sorted(documents))
    first = draw(st.integers(0, len(lengths) - 1))
    return corpus[first:]


def as_rows(corpus: Corpus) -> list[dict[str, Any]]:
    names = {"word": "tokens", "label": "labels"}
    rows: list[dict[str, Any]] = [{names.get(key, key): one[key] for key in corpus.columns} for one in corpus]
    if starts := corpus.document_starts:
        for number, row in enumerate(rows):
            row["document"] = sum(start <= number for start in starts) - 1
    return rows


@given(corpora(), st.booleans(), st.integers(1, 3))
def test_pyarrow_reads_a_corpus(corpus: Corpus, dictionary: bool, rows: int) -> None:
    exported = ArrowTable(corpus.native, corpus.label_column, dictionary=dictionary, rows=rows)
    table = pa.table(exported)
    table.validate(full=True)
    assert table.to_pylist() == as_rows(corpus)
    assert all(len(batch) <= rows for batch in table.to_batches())
    assert tuple(table.column_names) == exported.columns
    assert Corpus.from_arrow(table) == corpus
    assert Corpus.from_arrow(table.combine_chunks()) == corpus


@given(corpora())
def test_polars_and_pandas_read_a_corpus(corpus: Corpus) -> None:
    frame = pl.DataFrame(corpus.to_arrow())
    assert frame.to_dicts() == as_rows(corpus)
    assert Corpus.from_arrow(frame) == corpus
    assert Corpus.from_arrow(frame.slice(1)).words == corpus.words[1:]
    data = pd.DataFrame(as_rows(corpus))
    if corpus.token_count:  # else pandas knows no type
        assert Corpus.from_arrow(data) == corpus


TEXTS = [pa.string(), pa.large_string(), pa.string_view()]
INDICES = [pa.int8(), pa.uint8(), pa.int16(), pa.uint16(), pa.int32(), pa.uint32(), pa.int64(), pa.uint64()]
LISTS = [pa.list_, pa.large_list, pa.list_view, pa.large_list_view]


@given(st.lists(st.lists(WORDS, max_size=3), min_size=1, max_size=6), st.data())
def test_every_type_of_strings_and_lists(sentences: list[list[str]], data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(TEXTS))
    kind = data.draw(st.sampled_from(LISTS))
    first = data.draw(st.integers(0, len(sentences)))
    if data.draw(st.booleans()):
        dictionary = pa.dictionary(data.draw(st.sampled_from(INDICES)), data.draw(st.sampled_from(TEXTS[:2])))
        words = [word for sentence in sentences for word in sentence]
        offsets = np.cumsum([0, *map(len, sentences)])
        values = (
            pa.array(words, dictionary.value_type).dictionary_encode().cast(dictionary) if words else pa.array([], dictionary)
        )
        column = pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), values)
    else:
        column = pa.array(sentences, kind(text))
    table = pa.table({"tokens": column, "other": pa.array(range(len(sentences)))}).slice(first)
    assert Corpus.from_arrow(table).words == sentences[first:]


@given(corpora(empty=False), st.sampled_from([pa.int64(), pa.string()]), st.integers(0, 3), st.integers(1, 4))
def test_rows_of_tokens(corpus: Corpus, kind: pa.DataType, begin: int, rows: int) -> None:
    rows_of_tokens = [
        {"sentence": str(number) if kind == pa.string() else number, "document": row.get("document"), "tokens": word}
        for number, row in enumerate(as_rows(corpus), begin)
        for word in row["tokens"]
    ]
    table = pa.Table.from_pylist(rows_of_tokens)
    batches = pa.Table.from_batches(list(table.to_batches(max_chunksize=rows)))
    read = Corpus.from_arrow(batches)
    assert read.words == corpus.words
    assert read.document_starts == corpus.document_starts
    renamed = table.rename_columns(["id", "d", "text"])
    assert Corpus.from_arrow(renamed, columns="text=word,id=sentence").words == corpus.words


def test_columns_and_labels_have_names() -> None:
    table = pa.table({"text": [["Ann", "left"]], "ner": [["PER", "O"]], "lemma": [["Ann", "leave"]]})
    corpus = Corpus.from_arrow(table, columns={"text": "word", "ner": "label"})
    assert (corpus.columns, corpus.labels) == (("word", "label"), [["PER", "O"]])
    assert Corpus.from_arrow(table, columns=["text=word", "lemma"]).columns == ("word", "lemma")
    assert Corpus.from_arrow(table, columns="text=word,ner", label_column="ner").labels == [["PER", "O"]]


def test_exported_tokens_share_the_memory_of_the_corpus() -> None:
    corpus = Corpus.from_lists(word=[["a", "b"] * 1000] * 10)
    before = pa.total_allocated_bytes()
    tables = [pa.table(corpus) for _ in range(2)]
    tokens = [table["tokens"].chunk(0).values for table in tables]
    assert tokens[0].indices.buffers()[1].address == tokens[1].indices.buffers()[1].address
    assert tokens[0].dictionary.buffers()[2].address == tokens[1].dictionary.buffers()[2].address
    assert pa.total_allocated_bytes() == before
    del corpus
    gc.collect()
    assert tables[0]["tokens"][9].as_py() == ["a", "b"] * 1000


def test_a_small_part_of_a_corpus_has_its_own_strings_only() -> None:
    corpus = Corpus.from_lists(word=[[f"word{number}"] for number in range(1000)])
    assert pa.table(corpus[500:502])["tokens"].chunk(0).values.dictionary.to_pylist() == ["word500", "word501"]


def test_a_consumer_may_request_plain_strings() -> None:
    corpus = Corpus.from_lists(word=[["Ann", "left"]], label=[["PER", "O"]])
    wanted = pa.schema({"tokens": pa.list_(pa.string()), "labels": pa.list_(pa.dictionary(pa.int32(), pa.string()))})
    capsule = corpus.__arrow_c_stream__(wanted.__arrow_c_schema__())

    class Requested:
        def __arrow_c_stream__(self, schema: object = None) -> object:
            return capsule

    table = pa.table(Requested())
    assert table.schema.field("tokens").type.value_type == pa.string()
    assert pa.types.is_dictionary(table.schema.field("labels").type.value_type)
    assert Corpus.from_arrow(table) == corpus
    with pytest.raises(InputError, match="one that was read already"):
        Corpus.from_arrow(Requested())


def test_taggers_read_tables() -> None:
    corpus = Corpus.from_lists(word=[["Ann", "left"], ["Rain"]], label=[["PER", "O"], ["O"]])
    frame = pl.DataFrame(corpus.to_arrow())
    tagger = CRF("word[0]").fit(frame)
    assert tagger.predict(frame) == tagger.predict(corpus) == corpus.labels
    assert tagger.score(pa.table(corpus)) == tagger.score(corpus)
    for series in (frame["tokens"], pd.Series(corpus.words)):
        assert tagger.predict(series) == corpus.labels


def table(**columns: Any) -> pa.Table:
    return pa.table(columns)


@pytest.mark.parametrize(
    ("data", "columns", "message"),
    [
        (table(x=[["a"]], n=[1]), None, r"are x \(list<utf8>\), n \(int64\); name it with .*\(--columns x=word\)"),
        (table(), None, "no column of tokens; the table has no columns"),
        (table(tokens=["a"]), None, r"has one token per row, and no column has the id .*\(--columns tokens=word,ID=sentence\)"),
        (table(tokens=[["a"]], ner_tags=[[1]]), None, "'ner_tags': expected lists of strings, got list<int64>; replace the"),
        (table(tokens=[["a"]], labels=[[1]]), None, "'labels': expected lists of strings, got list<int64>; replace the"),
        (table(tokens=[["a"]], labels=["O"]), None, "'labels': expected lists of strings, got utf8"),
        (table(tokens=["a"], sentence=[1], label=[1]), None, "column 'label': expected strings, got int64; replace the numbers"),
        (table(tokens=["a"], sentence=[1.5]), "tokens,sentence", "'sentence': expected integers or strings as ids, got float64"),
        (table(tokens=[1]), None, "column 'tokens': expected tokens, got int64"),
        (table(tokens=[[["a"]]]), None, "column 'tokens': expected tokens, got list<list<utf8>>"),
        (table(tokens=[["a"]], x=[["b"]]), "x", "no column of tokens"),
        (table(tokens=[["a"]]), "tokens,y", r"no column 'y'; the columns are tokens \(list<utf8>\)"),
        (table(tokens=[["a"]], x=[["b"]]), "tokens,x=word", "expected one column 'word', got 2"),
        (table(tokens=[["a"]], word=[["b"]]), None, "expected one column 'word', got 2; name the columns to read"),
        (pa.table([[["a"]], [["b"]], [["c"]]], ["tokens", "x", "x"]), "tokens,x=label", "expected one column 'x', got 2; rename"),
        (table(tokens=[["a"]], x=[["b"]]), {"tokens": "word", "x": 3}, "expected the new name of column 'x', got int"),
        (table(tokens=[["a"]]), "tokens=", "expected NAME or NAME=NEW, got 'tokens='"),
        (table(tokens=[["a"]]), [3], "expected the names of columns, got int"),
        (table(tokens=[["a"]]), 3, "expected the names of columns"),
        (table(tokens=[["a"], ["b", None]]), None, "row 2, column 'tokens': token 2 is null"),
        (table(tokens=[["a"], None]), None, "row 2, column 'tokens': the list is null"),
        (table(tokens=[["a"]], labels=pa.array([None], pa.list_(pa.string()))), None, "row 1, column 'labels': the list is null"),
        (table(tokens=[["a"], ["b"]], pos=[["x"], ["y", "z"]]), None, "row 2, column 'pos': expected 1 string, .*, got 2"),
        (table(tokens=[["a", ""]]), None, "row 1, column 'tokens': token 2 is an empty string"),
        (table(tokens=["a", "b"], sentence=[1, None]), None, "row 2, column 'sentence': the sentence id is null"),
        (table(tokens=["a", "b", "c"], sentence=[1, 2, 1]), None, "row 3, column 'sentence': the sentence id 1 occurs again"),
        (pa.chunked_array([["a"]]), None, "expected a table with columns, got one column without a name"),
        (3, None, "expected a table with __arrow_c_stream__ .*, got int"),
        (pa.Table, None, "expected a table with __arrow_c_stream__"),
        (pd.DataFrame({"tokens": [["a"], 3]}), None, "DataFrame has no form in Arrow"),
    ],
)  # fmt: skip
def test_bad_tables(data: Any, columns: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Corpus.from_arrow(data, columns=columns)


def test_sentence_ids_may_begin_again_in_every_document() -> None:
    corpus = Corpus.from_arrow(table(tokens=["a", "b"], sentence=[1, 1], document=["x", "y"]))
    assert (corpus.words, corpus.document_starts) == ([["a"], ["b"]], [0, 1])


def test_reserved_names_are_not_exported() -> None:
    for name in ("tokens", "document", "labels"):
        corpus = Corpus.from_columns({"word": [["a"]], name: [["b"]], "label": [["O"]]}, documents=[0])
        with pytest.raises(InputError, match=f"column '{name}' has a name that tables reserve; rename it"):
            corpus.to_arrow()
