"""Bodies become requests, or errors that name the key."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagpool import tokenize
from tagpool.serve.limits import Limits, RequestError
from tagpool.serve.requests import parse_explain_request, parse_json, parse_tag_request

LIMITS = Limits(tokens=20, items=3)
BAD = {
    "": (400, "expected JSON"),
    "{": (400, "expected JSON"),
    "[]": (422, "got a list"),
    "null": (422, "got null"),
    "3": (422, "got a number"),
    '"text"': (422, "got a string"),
    "9" * 5000: (400, "a number is too long"),
    "[" * 100_000: (400, "nested too deeply"),
    '{"a":' * 100_000: (400, "nested too deeply"),
    "{}": (422, 'expected either "text" or "tokens" (a list of words), got neither'),
    '{"txt": "Ann"}': (422, 'unknown key "txt"; the keys are text, tokens'),
    '{"\\ud800": 1}': (422, 'unknown key "\\ud800"'),
    '{"text": "a", "tokens": ["a"]}': (422, "got both"),
    '{"text": 3}': (422, '"text": expected a string, got a number'),
    '{"text": null}': (422, '"text": expected a string, got null'),
    '{"text": ["a"]}': (422, '"text": expected a string, got a list'),
    '{"text": "a\\u0000"}': (422, '"text": expected text, got a NUL character'),
    '{"text": "a\\ud83d"}': (422, '"text": expected text, got a lone surrogate'),
    '{"tokens": "Ann"}': (422, '"tokens": expected a list of strings, got a string'),
    '{"tokens": ["a", 3]}': (422, "got a number at place 1"),
    '{"tokens": ["a", ""]}': (422, "got an empty string at place 1"),
    '{"tokens": ["\\u0000"]}': (422, "NUL character"),
    '{"tokens": ["a"], "columns": []}': (422, '"columns": expected an object'),
    '{"tokens": ["a"], "columns": {"pos": ["X", "Y"]}}': (422, '"columns"."pos": expected 1 value, one per token, got 2'),
    '{"tokens": ["a"], "columns": {"word": ["X"]}}': (422, "a column besides"),
    '{"tokens": ["a"], "columns": {"pos": [1]}}': (422, '"columns"."pos": expected a list of non-empty strings'),
    '{"text": "a", "columns": {"pos": ["X"]}}': (422, 'send it with "tokens"'),
    '{"batch": {}}': (422, '"batch": expected a list'),
    '{"batch": [], "text": "a"}': (422, 'expected either "batch" or "text", got both'),
    '{"batch": [1]}': (422, "batch[0]: expected an object"),
    '{"batch": [{"text": "a"}, {"text": 1}]}': (422, 'batch[1]: "text": expected a string'),
    '{"batch": [{"text": "a", "model": "x"}]}': (422, 'batch[0]: unknown key "model"'),
    '{"batch": [{}, {}, {}, {}]}': (422, "at most 3 items, got 4"),
    json.dumps({"text": "a " * 21}): (413, "at most 20 tokens"),
    json.dumps({"tokens": ["a"] * 21}): (413, "at most 20 tokens"),
    json.dumps({"batch": [{"text": "a " * 15}, {"text": "a " * 6}]}): (413, "batch[1]: expected at most 20 tokens"),
    json.dumps({"text": "a" * 10_001}): (422, "at most 10,000 characters"),
    '{"text": "a", "model": 1}': (422, '"model": expected a string'),
    '{"text": "a", "without": "capitals"}': (422, '"without": expected a list'),
    '{"text": "a", "without": [1]}': (422, '"without": expected a list'),
    '{"text": "a", "confidence": 1}': (422, '"confidence": expected true or false'),
}
BAD_EXPLANATIONS = {
    '{"text": "a", "token": "0"}': '"token": expected the number',
    '{"text": "a", "token": true}': '"token": expected the number',
    '{"text": "a", "token": 1}': "there is no token 1; the text has 1 token",
    '{"text": "a", "token": -1}': "there is no token -1",
    '{"text": "a", "instead": "O"}': "name the token, too",
    '{"text": "a", "token": 0, "instead": 3}': '"instead": expected a string',
    '{"batch": []}': 'unknown key "batch"',
}


@pytest.mark.parametrize("body", BAD, ids=lambda body: body[:40])
def test_bad_bodies(body: str) -> None:
    status, message = BAD[body]
    with pytest.raises(RequestError) as raised:
        parse_tag_request(body.encode(), LIMITS)
    assert (raised.value.status, message in raised.value.message) == (status, True), raised.value.message
    assert set(json.loads(raised.value.body)) == {"code", "message"}


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ('{"text": "a", "text": "b"}', 'the key "text" occurs twice'),
        ('{"batch": [{"text": "a", "text": "a"}]}', 'the key "text" occurs twice'),
        ('{"\\ud800": 1, "\\ud800": 2}', r'the key "\ud800" occurs twice'),
        ('{"text": "a", "confidence": NaN}', "NaN is no JSON"),
        ('{"text": "a", "confidence": -Infinity}', "-Infinity is no JSON"),
    ],
)
def test_json_that_python_would_read(body: str, message: str) -> None:
    with pytest.raises(RequestError) as error:
        parse_tag_request(body.encode(), Limits())
    assert (error.value.status, error.value.code) == (400, "invalid_json")
    assert message in error.value.message


def test_many_keys_that_occur_twice_take_no_long_time() -> None:
    keys = [f'"{number}": 0' for number in range(50_000)]
    with pytest.raises(RequestError, match="occurs twice"):
        parse_json(("{" + ", ".join([*keys, *keys[::-1]]) + "}").encode())


def test_bytes_that_are_not_utf_8() -> None:
    with pytest.raises(RequestError, match="expected UTF-8"):
        parse_tag_request(b'{"text": "\xff"}', LIMITS)


@pytest.mark.parametrize("body", BAD_EXPLANATIONS)
def test_bad_explanations(body: str) -> None:
    with pytest.raises(RequestError) as raised:
        parse_explain_request(body.encode(), LIMITS)
    assert BAD_EXPLANATIONS[body] in raised.value.message
    assert raised.value.status == 422


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=60))
def test_places_are_those_of_the_tokens(text: str) -> None:
    """The tokens are those of every line, and each place holds its token in the whole text."""
    item = parse_tag_request(json.dumps({"text": text}).encode(), Limits()).items[0]
    assert [text[start:end] for start, end in item.places] == item.words
    assert item.words == [token.text for line in text.split("\n") for token in tokenize(line.rstrip())]
    assert sum(len(sentence["word"]) for sentence in item.sentences) == len(item.places)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["text", "tokens", "batch", "model", "columns", "without", "token", "instead"]) | st.text(max_size=3),
            inner,
        )
    ),
    max_leaves=8,
)


@given(VALUES)
def test_any_value_is_a_request_or_a_request_error(value: object) -> None:
    body = json.dumps(value).encode()
    for parse in (parse_tag_request, parse_explain_request):
        refusal = None
        try:
            parse(body, LIMITS)
        except RequestError as error:
            refusal = error
        assert refusal is None or (400 <= refusal.status < 500 and json.loads(refusal.body)["message"])
