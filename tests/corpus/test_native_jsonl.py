"""The native reader of usual JSONL agrees with the reader in Python, and leaves all other text to it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagpool import _native
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.jsonl import read_any_form

_WORDS = st.lists(st.sampled_from(["Ann", "left", 'a"b', "\\", "é\u2028", "\U0001f600", "\t"]))
_SCALARS = st.sampled_from([1, -1.5e9, 0, True, None, "text", ""])
_VALUES = st.one_of(
    _WORDS, _SCALARS, st.just([""]), st.just([1, "x"]), st.just({"a": [{}, [None]]}), st.just([[0, 3, "PER"]]), st.just([])
)
_KEYS = st.sampled_from(
    [
        "tokens",
        "labels",
        "pos",
        "document",
        "meta",
        "id",
        "label",
        "spans",
        "ents",
        "word",
        "text",
        "no name",
        "é",
        "_1",
        "relations",
    ]
)
_RECORDS = st.lists(
    st.one_of(
        st.dictionaries(_KEYS, _VALUES, max_size=5),
        st.integers(0, 3).flatmap(
            lambda count: st.fixed_dictionaries(
                {"tokens": st.lists(st.sampled_from(["a", "bc", "\u0001"]), min_size=count, max_size=count)},
                optional={
                    "labels": st.lists(st.sampled_from(["O", "B-X"]), min_size=count, max_size=count),
                    "pos": st.lists(st.sampled_from(["N", "V"]), min_size=count, max_size=count),
                    "document": _SCALARS,
                    "meta": _VALUES,
                    "id": _VALUES,
                },
            )
        ),
    ),
    max_size=4,
)


@settings(max_examples=400)
@given(_RECORDS, st.booleans(), st.sampled_from(["\n", "\r\n", "\n\n", "\n \t\n"]))
def test_both_readers_agree(records: list[object], escaped: bool, end: str) -> None:
    text = end.join(json.dumps(record, ensure_ascii=escaped) for record in records).encode()
    native = _native.read_token_jsonl(text)
    if native is None:
        return
    corpus = read_any_form(text, "a.jsonl", "error")
    assert Corpus(native).columns == corpus.columns
    assert Corpus(native) == corpus


@pytest.mark.parametrize(
    "line",
    [
        '{"tokens": ["a"], "labels": ["O"], "n": 01}',
        '{"tokens": ["a"], "tokens": ["b"]}',
        '{"tokens": ["\\ud800"]}',
        '{"tokens": ["\\u0000"]}',
        '{"tokens": ["a\u0001"]}',
        '{"tokens": ["a"]} x',
        '{"tokens": ["a",]}',
        '{"tokens": ["a"], "meta": ' + "[" * 40 + "]" * 40 + "}",
        '{"tokens": ["a"], "labels": ["O", "O"]}',
        '{"tokens": [""]}',
        '{"tokens": ["a"], "document": 1.0}',
        '{"tokens": ["a"], "n": NaN}',
        '["a"]',
        '{"tokens": ["a"',
        '{"tokens": ["a\\',
        '{"text": "Ann left."}',
        '{"tokens": []}',
        "",
    ],
)
def test_native_reader_leaves_other_text_to_python(line: str) -> None:
    assert _native.read_token_jsonl(line.encode()) is None


def test_native_reader_takes_usual_text() -> None:
    text = '{"id": "7", "tokens": ["a\\u00e9\\"", "b"], "labels": ["O", "B-X"], "meta": {"n": [1.5e-3, -0]}, "document": 12}\n'
    native = _native.read_token_jsonl(text.encode() * 2)
    assert native is not None
    assert Corpus(native).words == [['aé"', "b"]] * 2
    assert Corpus(native).document_starts == [0]
