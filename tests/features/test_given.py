"""Features that people bring themselves, against python-crfsuite's own reading of them."""

from __future__ import annotations

import itertools
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import numpy as np
import pycrfsuite
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagpool.errors import InputError, NotFittedError
from tagpool.features.given import GivenEncoder

texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=5)
names = st.one_of(texts, texts.map(str.encode))
numbers = st.one_of(st.booleans(), st.integers(-9, 9), st.floats(width=32, allow_nan=False, allow_infinity=False))
lists = st.one_of(st.lists(names, max_size=4), st.sets(names, max_size=4))
dicts = st.recursive(
    st.dictionaries(names, st.one_of(names, numbers, lists), max_size=4),
    lambda inner: st.dictionaries(names, st.one_of(inner, names, numbers, lists), max_size=3),
    max_leaves=6,
)
tokens = st.one_of(lists, dicts)


def written(encoder: GivenEncoder, encoded: Any) -> list[list[tuple[str, float]]]:
    names = encoder.feature_names
    values = encoded.values.tolist() if encoded.values is not None else [1.0] * encoded.occurrence_count
    pairs = [(names[i], value) for i, value in zip(encoded.ids.tolist(), values, strict=True)]
    starts = encoded.starts.tolist()
    return [pairs[begin:end] for begin, end in itertools.pairwise(starts)]


@given(st.lists(tokens, min_size=1, max_size=5))
def test_names_and_values_are_crfsuites(sentence):
    encoder = GivenEncoder()
    rows = written(encoder, encoder.fit_transform([sentence]))
    theirs = pycrfsuite.ItemSequence(sentence).items()
    assert len(rows) == len(theirs)
    for row, expected in zip(rows, theirs, strict=True):
        assert {name for name, _ in row} == set(expected)
        count = Counter(name for name, _ in row)
        for name, value in row:
            if count[name] == 1:  # items() is a dict, which shows only one of several
                assert value == expected[name]
    assert len(set(encoder.feature_names)) == encoder.feature_count
    everything = Counter(name for row in rows for name, _ in row)
    assert dict(zip(encoder.feature_names, encoder.feature_counts, strict=True)) == everything


def test_the_table_of_the_documentation():
    token = {
        "word": "Ann",
        "score": 2.5,
        "caps": True,
        "no": False,
        "in": ["a", "b"],
        "deep": {"x": {"y": "z"}, "n": 3},
        "t": ("q",),
    }
    encoder = GivenEncoder()
    encoded = encoder.fit_transform([[token, ["plain", "plain"], []]])
    assert written(encoder, encoded) == [
        [
            ("word:Ann", 1.0),
            ("score", 2.5),
            ("caps", 1.0),
            ("no", 0.0),
            ("in:a", 1.0),
            ("in:b", 1.0),
            ("deep:x:y:z", 1.0),
            ("deep:n", 3.0),
            ("t:q", 1.0),
        ],
        [("plain", 1.0), ("plain", 1.0)],
        [],
    ]
    assert encoder.feature_counts[encoder.feature_names.index("plain")] == 2


@pytest.mark.parametrize("value", [np.float32(1.5), np.float64(1.5), Decimal("1.5"), Fraction(3, 2)])
def test_anything_that_is_a_number(value):
    assert GivenEncoder().fit_transform([[{"x": value}]]).values.tolist() == [1.5]
    assert GivenEncoder().fit_transform([[{"x": np.int64(3), "y": np.bool_(True)}]]).values.tolist() == [3.0, 1.0]


@pytest.mark.parametrize(
    "token",
    [
        ["a", "b"],
        ("a", "b"),
        {"a": 1, "b": 1},
        MappingProxyType({"a": 1, "b": 1}),
        dict.fromkeys("ab", 1).keys(),
        np.array(["a", "b"]),
    ],
)
def test_any_iterable_and_any_mapping_is_a_token(token):
    encoder = GivenEncoder()
    assert written(encoder, encoder.fit_transform([[token]])) == [[("a", 1.0), ("b", 1.0)]]
    encoder = GivenEncoder()
    assert written(encoder, encoder.fit_transform([[(text for text in ("a", "b"))]])) == [[("a", 1.0), ("b", 1.0)]]


# Fitting and transforming -------------------------------------------------------------------------------------------------


@given(
    st.lists(st.lists(tokens, min_size=1, max_size=4), min_size=1, max_size=3), st.lists(tokens, min_size=1), st.integers(1, 3)
)
def test_min_count_and_features_not_met(train, test, minimum):
    everything = GivenEncoder()
    rows = written(everything, everything.fit_transform(train))
    count = Counter(name for row in rows for name, _ in row)
    encoder = GivenEncoder(min_count=minimum)
    encoded = encoder.fit_transform(train)
    stored = {name: n for name, n in count.items() if n >= minimum}
    assert dict(zip(encoder.feature_names, encoder.feature_counts, strict=True)) == stored
    assert encoded.feature_count == encoder.feature_count == len(stored)
    expected = [[pair for pair in row if pair[0] in stored] for row in rows]
    assert written(encoder, encoded) == written(encoder, encoder.transform(train)) == expected
    other = GivenEncoder()
    seen = written(other, other.fit_transform([test]))
    assert written(encoder, encoder.transform([test])) == [[pair for pair in row if pair[0] in stored] for row in seen]


def test_labels():
    encoder = GivenEncoder()
    encoded = encoder.fit_transform([[["a"], ["b"]], [["c"]]], [["X", "Y"], ["X"]])
    assert encoded.labels.tolist() == [0, 1, 0]
    assert encoder.labels_ == ("X", "Y")
    assert encoded.sentences.tolist() == [0, 2, 3]
    assert encoder.transform([[["a"], ["z"]]], [["Y", "Z"]]).labels.tolist() == [1, -1]
    assert encoder.transform([[["a"], ["z"]]]).labels is None
    with pytest.raises(ValueError, match="have no bags"):
        encoded.restrict("base")


def test_nothing_before_fitting():
    with pytest.raises(NotFittedError):
        GivenEncoder().transform([[["a"]]])
    with pytest.raises(NotFittedError):
        _ = GivenEncoder().feature_names


# Errors -------------------------------------------------------------------------------------------------------------------

cyclic: dict[str, Any] = {}
cyclic["a"] = cyclic
deep: dict[str, Any] = {"end": 1}
for _ in range(100_000):
    deep = {"a": deep}


class Unfloatable:
    def __float__(self) -> float:
        raise RuntimeError("no number today")


BAD_TOKENS = [
    (None, "expected a list of features or a dict, got NoneType"),
    ("word", "expected a list of features or a dict, got one string"),
    (b"word", "expected a list of features or a dict, got one string"),
    (3, "expected a list of features or a dict, got int"),
    ([None], "expected text as feature name, got NoneType"),
    (["a", 3], "expected text as feature name, got int"),
    ([["a"]], "expected text as feature name, got list"),
    ([{"a": 1}], "expected text as feature name, got dict"),
    (["\ud800"], "lone surrogate"),
    ([b"\xff"], "not UTF-8"),
    ({b"\xc3": 1}, "not UTF-8"),
    ({"k": b"\xff"}, "not UTF-8"),
    ({"\udfff": 1}, "lone surrogate"),
    ({"k": "\ud800"}, "lone surrogate"),
    ({None: 1}, "expected text as feature name, got NoneType"),
    ({1: "a"}, "expected text as feature name, got int"),
    ({"k": None}, 'feature "k": expected a string, a number, a bool, a list or a dict, got NoneType'),
    ({"k": object()}, "got object"),
    ({"k": Unfloatable()}, "got Unfloatable"),
    ({"k": 1j}, "got complex"),
    ({"k": {"m": None}}, 'feature "k:m": expected'),
    ({"k": float("nan")}, 'feature "k": expected a finite number, got nan'),
    ({"k": float("inf")}, "expected a finite number, got inf"),
    ({"k": -float("inf")}, "expected a finite number, got -inf"),
    ({"k": 1e39}, "expected a finite number"),
    ({"k": 10**400}, 'feature "k": expected'),
    ({"k": np.float32("nan")}, "expected a finite number"),
    ({"k": [1]}, "expected text as feature name, got int"),
    ({"k": [["a"]]}, "expected text as feature name, got list"),
    (cyclic, "nested more than"),
    (deep, "nested more than"),
]


@pytest.mark.parametrize(("token", "message"), BAD_TOKENS, ids=range(len(BAD_TOKENS)))
def test_bad_tokens_are_named(token, message):
    sentences = [[["fine"]], [["fine"], token, ["fine"]]]
    encoder = GivenEncoder()
    with pytest.raises(InputError) as caught:
        encoder.fit(sentences)
    assert str(caught.value).startswith("sentence 2, token 2: ")
    assert message in str(caught.value)
    with pytest.raises(NotFittedError):
        encoder.transform([[["fine"]]])
    encoder.fit([[["fine"]]])
    with pytest.raises(InputError, match=r"^sentence 2, token 2: "):
        encoder.transform(sentences)


@pytest.mark.parametrize(
    ("sentences", "message"),
    [
        ([], "expected sentences, got none"),
        (None, "expected a list of sentences"),
        ([None], "expected a list of sentences"),
        ([3], "expected a list of sentences"),
        (["text"], "^sentence 1, token 1: .*got one string"),
        ([{"a": 1}], "^sentence 1, token 1: .*got one string"),
    ],
)
def test_what_are_no_sentences(sentences, message):
    with pytest.raises(InputError, match=message):
        GivenEncoder().fit(sentences)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([["X"]], "expected labels for 2 sentences, got 1"),
        ([["X"], ["X"], ["X"]], "expected labels for 2 sentences, got 3"),
        ([["X", "Y"], []], "sentence 2: expected 1 label, one per token, got 0"),
        ([["X"], ["X"]], "sentence 1: expected 2 labels, one per token, got 1"),
        ([["X", None], ["Y"]], "sentence 1, token 2: expected text as label, got NoneType"),
        ([["X", "Y"], [["Z"]]], "sentence 2, token 1: expected text as label, got list"),
        ([["X", 1], ["Y"]], "sentence 1, token 2: expected text as label, got int"),
    ],
)
def test_bad_labels_are_named(labels, message):
    sentences = [[["a"], ["b"]], [["c"]]]
    encoder = GivenEncoder()
    with pytest.raises(InputError, match=f"^{message}$"):
        encoder.fit(sentences, labels)
    with pytest.raises(NotFittedError):
        encoder.transform(sentences)
    encoder.fit(sentences)
    with pytest.raises(InputError, match=f"^{message}$"):
        encoder.transform(sentences, labels)


@pytest.mark.parametrize("minimum", [0, -1, 1.5, "2", True, None])
def test_bad_min_count(minimum):
    with pytest.raises(InputError, match=r"min_count"):
        GivenEncoder(min_count=minimum).fit([[["a"]]])


@given(st.lists(st.text("ab\x01é", max_size=40), min_size=1, max_size=60, unique=True))
def test_packed_names_are_in_the_order_of_their_bytes(features: list[str]) -> None:
    """Also names that begin alike for long, and those that are the beginning of others."""
    features += [common + name for common in ("a" * 8, "a" * 24) for name in features]
    encoder = GivenEncoder()
    encoder.fit([[features]])
    packed = encoder.fitted_native.packed_names()
    assert packed == b"\0".join(sorted({name.encode() for name in features}))
