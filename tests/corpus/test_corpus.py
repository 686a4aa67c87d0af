"""Sentence and Corpus: making, reading and deriving them."""

from __future__ import annotations

import copy
import gc
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagpool.corpus.corpus import Corpus, Sentence
from tagpool.errors import InputError


def small() -> Corpus:
    return Corpus.from_columns(
        {
            "word": [["Ann", "left"], ["Rain"], ["It", "is", "é"], ["End"]],
            "label": [["B-P", "O"], ["O"], ["O", "O", "B-X"], ["O"]],
        },
        documents=[0, 2],
        asides=[(0, 0, "# one"), (2, 0, "# three"), (2, 1, "1-2"), (2, 3, "# last")],
        source="small.conll",
    )


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({}, "at least one column"),
        ({"word": [["a"]], "label": [["O"], ["O"]]}, "different numbers of sentences: {'word': 1, 'label': 2}"),
        ({"word": [["a"], ["b", "c"]], "label": [["O"], ["O"]]}, 'sentence 2: column "label" has 1 token, "word" has 2'),
        ({"word": [["a"], ["b"]], "label": [["O"], ["O", "O"]]}, 'sentence 2: column "label" has 2 tokens, "word" has 1'),
        ({"word": [["a"]], "label": [[]]}, 'sentence 1: column "label" has 0 tokens'),
        ({"word": [["a", 5]]}, 'sentence 1, token 2, column "word": expected text (str), got int'),
        ({"word": [[None]]}, "got NoneType"),
        ({"word": [[b"a"]]}, "got bytes"),
        ({"word": [[["a"]]]}, "got list"),
        ({"word": [["a\ud800"]]}, 'sentence 1, token 1, column "word": the text has a lone surrogate'),
        ({"word": ["Ann"]}, 'sentence 1, column "word": expected a list of tokens, got str'),
        ({"word": [["a"], 5]}, 'sentence 2, column "word": expected a list of tokens, got int'),
        ({"word": [None]}, "expected a list of tokens, got NoneType"),
        ({"": [["a"]]}, "column name ''"),
        ({"\ud800": [["a"]]}, "column name"),
        ({5: [["a"]]}, "column name 5"),
    ],
)
def test_errors_of_lists(columns, message):
    with pytest.raises(InputError) as caught:
        Corpus.from_columns(columns)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        ({"documents": [0, 5]}, "does not exist"),
        ({"documents": [-1]}, "got a negative one"),
        ({"documents": [0, 2, 1]}, "increasing"),
        ({"documents": [0, 0]}, "increasing"),
        ({"asides": [(3, 0, "# x")]}, "does not exist"),
        ({"asides": [(0, 2, "# x")]}, "does not exist"),
        ({"asides": [(-1, 0, "# x")]}, "got a negative one"),
        ({"asides": [(1, 0, "# x"), (0, 0, "# y")]}, "out of order"),
        ({"asides": [(0, 0, "# x\ny")]}, "one line"),
    ],
)
def test_errors_of_documents_and_asides(extra, message):
    with pytest.raises(InputError, match=f"^here: .*{message}"):
        Corpus.from_columns({"word": [["a"], ["b"], ["c"]]}, source="here", **extra)


def test_sentences_before_the_first_document_are_one():
    assert Corpus.from_columns({"word": [["a"], ["b"]]}, documents=[1]).document_starts == [0, 1]


@pytest.mark.parametrize("make", [tuple, list, lambda values: iter(list(values)), np.array])
def test_any_iterable_of_tokens_will_do(make):
    assert Corpus.from_columns({"word": [make(["a", "b"])]}).words == [["a", "b"]]


def test_columns_may_be_called_like_parameters():
    names = ["source", "columns", "documents", "label_column", "native", "self"]
    corpus = Corpus.from_lists(**{name: [[name]] for name in names})
    assert corpus.columns == tuple(names)
    assert corpus.column("source") == [["source"]]
    assert corpus.source is None
    assert corpus.words == [["source"]]  # the first column, without a column called word


def test_empty_corpus():
    corpus = Corpus.from_lists(word=[])
    assert (len(corpus), corpus.token_count, list(corpus), corpus.words) == (0, 0, [], [])
    with pytest.raises(IndexError):
        corpus[0]
    assert corpus[:] == corpus


def test_reading():
    corpus = small()
    assert repr(corpus) == "<Corpus: 4 sentences, 7 tokens, columns word, label>"
    assert (len(corpus), corpus.token_count, corpus.document_starts) == (4, 7, [0, 2])
    assert corpus[2] == Sentence({"word": ["It", "is", "é"], "label": ["O", "O", "B-X"]}, "label")
    assert corpus[-1] == corpus[3] == corpus[np.int64(3)]
    assert list(corpus) == [corpus[i] for i in range(4)]
    assert len(corpus[2]) == 3
    assert corpus[2]["label"] == corpus[2].labels
    for index in (4, -5, 10**12):
        with pytest.raises(IndexError, match="of 4"):
            corpus[index]
    with pytest.raises(TypeError):
        corpus["word"]
    for name in ("pos", "", "\ud800"):
        with pytest.raises(InputError, match=r"small\.conll: no column .*; the columns are word, label"):
            corpus.column(name)
    with pytest.raises(InputError, match="no label column"):
        _ = corpus.with_columns(["word"]).labels
    assert Sentence({"form": ["a"]}).words == ["a"]
    assert Sentence({"form": ["a"]}).labels is None


def test_ids_offsets_and_strings():
    corpus = small()
    strings = corpus.strings("word")
    assert [strings[i] for i in corpus.ids("word")] == [word for words in corpus.words for word in words]
    assert corpus.offsets().tolist() == [0, 2, 3, 6, 7]
    assert len(set(strings)) == len(strings)


def test_nothing_shared_can_be_changed():
    corpus = small()
    for array in (corpus.ids("word"), corpus.offsets()):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    corpus.words[0][0] = "Bob"
    corpus.column("word").clear()
    corpus.document_starts.append(3)
    corpus.strings("word").clear()
    corpus[0].words[0] = "Bob"
    corpus.native.asides.clear()
    assert corpus == small()
    assert corpus.native.asides == small().native.asides
    derived = corpus.with_column("word", [["x"] * len(sentence) for sentence in corpus])
    assert corpus == small() != derived


def test_arrays_outlive_their_corpus():
    ids = small().ids("word")
    gc.collect()
    assert ids.tolist() == [0, 1, 2, 3, 4, 5, 6]


# Deriving ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "part", [slice(1, 3), slice(None, None, 2), slice(None, None, -1), slice(5, 9), slice(-2, None), slice(0, 0)]
)
def test_slices_are_slices_of_the_lists(part):
    corpus = small()
    assert corpus[part].words == corpus.words[part]
    assert corpus[part].labels == corpus.labels[part]
    assert corpus[part].source == corpus.source


def test_select_keeps_documents_and_asides():
    chosen = small().select([3, 2, 0, 0])
    assert chosen.words == [["End"], ["It", "is", "é"], ["Ann", "left"], ["Ann", "left"]]
    assert chosen.document_starts == [0, 2]
    assert chosen.native.asides == [(1, 0, "# three"), (1, 1, "1-2"), (1, 3, "# last"), (2, 0, "# one"), (3, 0, "# one")]
    assert small().select([1, 3]).document_starts == [0, 1]
    assert small()[1:2].document_starts == [0]
    assert small()[:0].document_starts == []
    assert small().select(np.array([1])).words == [["Rain"]]
    assert small().select(range(4)) == small()
    assert chosen.select([1]).native.asides == [(0, 0, "# three"), (0, 1, "1-2"), (0, 3, "# last")]


@pytest.mark.parametrize("number", [4, -1, 2**32, 2**32 + 1, 10**30])
def test_select_refuses_sentences_that_are_not_there(number):
    with pytest.raises(InputError, match=rf"small\.conll: sentence {number} does not exist"):
        small().select([0, number])


def test_select_wants_whole_numbers():
    with pytest.raises(InputError, match="expected the numbers of sentences: 'float' object"):
        small().select([1.0])  # type: ignore[list-item]


def test_with_column():
    corpus = small()
    lengths = [[str(len(word)) for word in words] for words in corpus.words]
    derived = corpus.with_column("length", lengths)
    assert derived.columns == ("word", "label", "length")
    assert derived.column("length") == lengths
    assert (derived.document_starts, derived.native.asides, derived.source) == (
        corpus.document_starts,
        corpus.native.asides,
        corpus.source,
    )
    assert derived.with_column("label", lengths).columns == derived.columns
    assert derived.with_column("label", lengths).labels == lengths
    assert corpus.columns == ("word", "label")


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("x", [["a", "b"], ["c"], ["d", "e", "f"]], 'column "x" has 3 sentences, the corpus has 4'),
        ("x", [["a", "b"], ["c"], ["d", "e", "f"], ["g"], ["h"]], "sentence 5: .*no such sentence"),
        ("x", [["a"], ["c"], ["d", "e", "f"], ["g"]], 'sentence 1: column "x" has 1 token, the corpus has 2'),
        ("x", [["a", "b"], ["c"], ["d", "e", 5], ["g"]], 'sentence 3, token 3, column "x": expected text'),
        ("x", ["ab", "c", "def", "g"], "expected a list of tokens, got str"),
        ("x", [["a", "b"], 5, ["d", "e", "f"], ["g"]], "sentence 2, .*expected a list of tokens, got int"),
        ("x", [["a", "b\ud800"], ["c"], ["d", "e", "f"], ["g"]], "sentence 1, token 2.*surrogate"),
        ("", [["a", "b"], ["c"], ["d", "e", "f"], ["g"]], "column name ''"),
    ],
)
def test_errors_of_with_column(name, values, message):
    with pytest.raises(InputError, match=message):
        small().with_column(name, values)


def test_with_columns():
    corpus = small()
    assert corpus.with_columns(["label", "word"]).columns == ("label", "word")
    renamed = corpus.with_columns({"label": "ner", "word": "form"})
    assert (renamed.columns, renamed.label_column, renamed.labels) == (("ner", "form"), "ner", corpus.labels)
    assert (renamed.document_starts, renamed.native.asides, renamed.source) == (
        corpus.document_starts,
        corpus.native.asides,
        corpus.source,
    )
    assert corpus.with_columns(["word"]).label_column is None
    for columns in ([], {}, {"word": "x", "label": "x"}, {"word": ""}, ["word", "pos"], "word"):
        with pytest.raises(InputError):
            corpus.with_columns(columns)


def test_with_labels():
    corpus = Corpus.from_lists(word=[["a", "b"]])
    assert corpus.label_column is None
    labelled = corpus.with_labels([["X", "Y"]])
    assert (labelled.label_column, labelled.labels) == ("label", [["X", "Y"]])
    other = Corpus.from_columns({"word": [["a"]], "tag": [["x"]]}, label_column="tag").with_labels([["y"]])
    assert (other.columns, other.labels) == (("word", "tag"), [["y"]])


def test_a_column_label_that_is_not_the_label_stays_so():
    corpus = Corpus.from_columns({"word": [["a"]], "label": [["x"]]}, label_column=None)
    derived = [
        corpus,
        corpus[:],
        corpus.with_column("pos", [["y"]]),
        corpus.with_columns(["word", "label"]),
        copy.deepcopy(corpus),
    ]
    assert [item.label_column for item in derived] == [None] * 5
    assert corpus.with_labels([["z"]]).labels == [["z"]]


def test_equality():
    corpus = small()
    assert corpus == small()
    assert corpus == small().select(range(4))
    different = [
        corpus[:3],
        corpus.with_columns(["label", "word"]),
        corpus.with_columns(["word"]),
        corpus.with_labels([["O"] * len(words) for words in corpus.words]),
        Corpus.from_columns({"word": corpus.words, "label": corpus.labels}),
        Corpus.from_columns({"word": corpus.words, "label": corpus.labels}, documents=[0, 2], label_column=None),
        corpus.words,
    ]
    assert not any(corpus == other for other in different)
    with pytest.raises(TypeError):
        hash(corpus)


@pytest.mark.parametrize("way", [copy.deepcopy, copy.copy, lambda corpus: pickle.loads(pickle.dumps(corpus))])
def test_copies(way):
    for corpus in (small(), small()[1:3], small().with_columns({"label": "ner", "word": "word"}), Corpus.from_lists(word=[])):
        again = way(corpus)
        assert again == corpus
        assert (again.source, again.label_column, again.native.asides) == (
            corpus.source,
            corpus.label_column,
            corpus.native.asides,
        )


tokens = st.text(st.characters(exclude_categories=["Cs"]), max_size=4)


@settings(deadline=None)
@given(st.lists(st.lists(st.tuples(tokens, tokens), min_size=1, max_size=5), max_size=6), st.data())
def test_any_lists_come_back(rows, data):
    first = [[a for a, _ in row] for row in rows]
    second = [[b for _, b in row] for row in rows]
    marks = data.draw(st.sets(st.integers(1, max(len(rows) - 1, 1)))) if len(rows) > 1 else set()
    corpus = Corpus.from_columns({"word": first, "x": second}, documents=[0, *sorted(marks)] if rows else [])
    assert (corpus.words, corpus.column("x")) == (first, second)
    chosen = data.draw(st.lists(st.integers(0, len(rows) - 1))) if rows else []
    part = corpus.select(chosen)
    assert part.words == [first[i] for i in chosen]
    assert part.column("x") == [second[i] for i in chosen]
    document = [sum(start <= i for start in corpus.document_starts) for i in range(len(rows))]
    changes = [k for k, i in enumerate(chosen) if k == 0 or document[i] != document[chosen[k - 1]]]
    assert part.document_starts == changes
    distinct = part.native.distinct("word")
    assert {part.strings("word")[i] for i in distinct} == {word for words in part.words for word in words}
    assert len(set(distinct)) == len(distinct)
