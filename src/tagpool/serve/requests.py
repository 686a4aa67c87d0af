"""Requests: JSON bodies become texts and sentences, or errors that name the key."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tagpool.corpus.corpus import LABEL, WORD
from tagpool.corpus.text import token_places
from tagpool.serve.limits import Limits, RequestError, invalid
from tagpool.wording import counted

_EXAMPLE = '{"text": "Ann left."}'
_LONGEST_TOKEN = 10_000
_ITEM_KEYS = ("text", "tokens", "columns")
TAG_KEYS = (*_ITEM_KEYS, "batch", "model", "without", "confidence")
EXPLAIN_KEYS = (*_ITEM_KEYS, "model", "without", "token", "instead")


@dataclass(frozen=True)
class Item:
    """A text, or a sentence of tokens: columns of each sentence, and the characters of every token."""

    text: str
    places: list[tuple[int, int]]
    sentences: list[dict[str, list[str]]]

    @property
    def words(self) -> list[str]:
        """The tokens of all sentences."""
        return [word for sentence in self.sentences for word in sentence[WORD]]


@dataclass(frozen=True)
class TagRequest:
    """A request to tag; a ``batch`` has any number of items, another request has one."""

    items: list[Item]
    model: str | None = None
    without: tuple[str, ...] = ()
    confidence: bool = True
    is_batch: bool = False

    @property
    def token_count(self) -> int:
        """The number of tokens."""
        return sum(len(item.places) for item in self.items)


@dataclass(frozen=True)
class ExplainRequest:
    """A request to explain the labels of a text: of one token (counted from 0), or of all."""

    item: Item
    model: str | None = None
    without: tuple[str, ...] = field(default=())
    token: int | None = None
    instead: str | None = None


def parse_json(body: bytes) -> dict[str, Any]:
    """Return the JSON object of a body.

    >>> parse_json(b'{"text": "Ann left."}')
    {'text': 'Ann left.'}
    """
    try:
        text = body.decode("utf-8")
        value = _DECODER.decode(text)
    except UnicodeDecodeError:
        raise RequestError(400, "invalid_json", "expected UTF-8; encode the body as UTF-8") from None
    except RecursionError:
        raise RequestError(400, "invalid_json", f"the JSON is nested too deeply; send an object such as {_EXAMPLE}") from None
    except ValueError as error:  # also a number of thousands of digits
        reason = str(error) if isinstance(error, json.JSONDecodeError) else "a number is too long"
        raise RequestError(400, "invalid_json", f"expected JSON such as {_EXAMPLE}: {reason}") from None
    if not isinstance(value, dict):
        raise invalid(f"expected a JSON object such as {_EXAMPLE}, got {_kind(value)}")
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object; raise an error for a key that it has twice, since either value may be meant."""
    value = dict(pairs)
    if len(value) < len(pairs):
        twice, _ = Counter(key for key, _ in pairs).most_common(1)[0]
        raise RequestError(400, "invalid_json", f"the key {json.dumps(twice)[:80]} occurs twice in an object; send it once")
    return value


def _refuse_constant(name: str) -> None:
    raise RequestError(400, "invalid_json", f"{name} is no JSON; send a number, or leave the key out")


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_refuse_constant)


def parse_tag_request(body: bytes, limits: Limits) -> TagRequest:
    """Return the request of a body.

    >>> request = parse_tag_request(b'{"text": "Ann left.\\\\nShe did."}', Limits())
    >>> [sentence["word"] for sentence in request.items[0].sentences], request.items[0].places[-1]
    ([['Ann', 'left', '.'], ['She', 'did', '.']], (17, 18))
    """
    value = parse_json(body)
    _check_keys(value, TAG_KEYS)
    options = parse_options(value)
    confidence = value.get("confidence", True)
    if not isinstance(confidence, bool):
        raise invalid(f'"confidence": expected true or false, got {_kind(confidence)}')
    if "batch" not in value:
        return TagRequest([_parse_item(value, limits.tokens)], confidence=confidence, **options)
    if present := [key for key in _ITEM_KEYS if key in value]:
        raise invalid(f'expected either "batch" or "{present[0]}", got both')
    batch = value["batch"]
    if not isinstance(batch, list):
        raise invalid(f'"batch": expected a list of objects such as {_EXAMPLE}, got {_kind(batch)}')
    if len(batch) > limits.items:
        raise invalid(f'"batch": expected at most {counted(limits.items, "item")}, got {len(batch):,}; send several requests')
    items: list[Item] = []
    rest = limits.tokens
    for number, item in enumerate(batch):
        try:
            if not isinstance(item, dict):
                raise invalid(f"expected an object such as {_EXAMPLE}, got {_kind(item)}")
            _check_keys(item, _ITEM_KEYS)
            items.append(_parse_item(item, rest, limits.tokens))
        except RequestError as error:
            raise RequestError(error.status, error.code, f"batch[{number}]: {error.message}") from None
        rest -= len(items[-1].places)
    return TagRequest(items, confidence=confidence, is_batch=True, **options)


def parse_explain_request(body: bytes, limits: Limits) -> ExplainRequest:
    """Return the request of a body.

    >>> parse_explain_request(b'{"tokens": ["Ann", "left"], "token": 0, "instead": "O"}', Limits()).token
    0
    """
    value = parse_json(body)
    _check_keys(value, EXPLAIN_KEYS)
    item = _parse_item(value, limits.tokens)
    token, instead = value.get("token"), value.get("instead")
    if token is not None:
        if type(token) is not int:
            raise invalid(f'"token": expected the number of a token, counted from 0, got {_kind(token)}')
        if not 0 <= token < len(item.places):
            raise invalid(
                f'"token": there is no token {token}; the text has {counted(len(item.places), "token")}, the first is 0'
            )
    if instead is not None:
        check_text(instead, "instead")
        if token is None:
            raise invalid('"instead": name the token, too: "token": 0 is the first')
    return ExplainRequest(item, token=token, instead=instead, **parse_options(value))


def parse_options(value: dict[str, Any]) -> dict[str, Any]:
    """Return the model and the feature groups without which it tags."""
    model = value.get("model")
    if model is not None:
        check_text(model, "model")
    without = value.get("without", [])
    if not isinstance(without, list) or not all(isinstance(group, str) for group in without):
        raise invalid('"without": expected a list of feature groups; GET /v1/models lists those of each model')
    for group in without:
        check_text(group, "without")
    return {"model": model, "without": tuple(sorted(set(without)))}


def _parse_item(value: dict[str, Any], most: int, limit: int | None = None) -> Item:
    """Return a text or tokens, with at most ``most`` tokens; ``limit`` is that of the request, for the message."""
    if ("text" in value) == ("tokens" in value):
        got = "both" if "text" in value else "neither"
        raise invalid(f'expected either "text" or "tokens" (a list of words), got {got}')
    if "tokens" in value:
        return _parse_tokens(value, most, limit or most)
    if "columns" in value:
        raise invalid('"columns" has one value per token; send it with "tokens" instead of "text"')
    check_text(value["text"], "text")
    return parse_text(value["text"], most, limit)


def parse_text(text: str, most: int, limit: int | None = None) -> Item:
    """Return the item of a text; every line is a sentence.

    >>> parse_text("Ann left.\\n\\nShe did.", 10).words
    ['Ann', 'left', '.', 'She', 'did', '.']
    """
    places: list[tuple[int, int]] = []
    sentences = []
    begin = 0
    for line in text.split("\n"):  # other separators, such as U+2028, may be inside a sentence
        inside = token_places(line.rstrip())
        if len(places) + len(inside) > most:
            raise _too_many_tokens(limit or most)
        if inside:
            words = [line[start:end] for start, end in inside]
            if len(line) > _LONGEST_TOKEN:
                _check_lengths(words)
            places += [(begin + start, begin + end) for start, end in inside] if begin else inside
            sentences.append({WORD: words})
        begin += len(line) + 1
    return Item(text, places, sentences)


def _parse_tokens(value: dict[str, Any], most: int, limit: int) -> Item:
    words = _strings(value["tokens"], "tokens")
    if len(words) > most:
        raise _too_many_tokens(limit)
    _check_lengths(words)
    columns = value.get("columns", {})
    if not isinstance(columns, dict):
        raise invalid(f'"columns": expected an object such as {{"pos": ["NNP", "VBD"]}}, got {_kind(columns)}')
    sentence = {WORD: words}
    for name, column in columns.items():
        if name in (WORD, LABEL) or not name or not name.isprintable():
            raise invalid(f'"columns": expected the name of a column besides "tokens", such as "pos", got {name!r:.80}')
        sentence[name] = _strings(column, f'columns"."{name}')
        if len(sentence[name]) != len(words):
            expected = f"expected {counted(len(words), 'value')}, one per token"
            raise invalid(f'"columns"."{name}": {expected}, got {len(sentence[name])}')
    places = []
    begin = 0
    for word in words:
        places.append((begin, begin + len(word)))
        begin += len(word) + 1
    return Item(" ".join(words), places, [sentence] if words else [])


def _strings(value: Any, key: str) -> list[str]:
    """Return a list of non-empty strings."""
    if not isinstance(value, list):
        raise invalid(f'"{key}": expected a list of strings, got {_kind(value)}')
    for number, item in enumerate(value):
        if not isinstance(item, str) or not item:
            got = "an empty string" if item == "" else _kind(item)
            raise invalid(f'"{key}": expected a list of non-empty strings, got {got} at place {number}')
        _check_characters(item, key)
    return value


def _check_lengths(words: Sequence[str]) -> None:
    """Raise an error for a token that is too long: it may have a feature for every letter."""
    for word in words:
        if len(word) > _LONGEST_TOKEN:
            raise invalid(f"expected tokens of at most {_LONGEST_TOKEN:,} characters, got one of {len(word):,}; divide it")


def check_text(value: Any, key: str) -> None:
    """Raise an error unless a value is text without NUL characters and lone surrogates."""
    if not isinstance(value, str):
        raise invalid(f'"{key}": expected a string, got {_kind(value)}')
    _check_characters(value, key)


def _check_characters(text: str, key: str) -> None:
    """Raise an error for characters that no file of text has."""
    if "\0" in text:
        raise invalid(f'"{key}": expected text, got a NUL character (\\u0000); remove it')
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise invalid(f'"{key}": expected text, got a lone surrogate (half of a character)') from None


def _check_keys(value: dict[str, Any], known: Sequence[str]) -> None:
    for key in value:
        if key not in known:
            shown = json.dumps(key)[:80]  # may have lone surrogates
            raise invalid(f"unknown key {shown}; the keys are {', '.join(known)}")


def _too_many_tokens(limit: int) -> RequestError:
    message = f"expected at most {counted(limit, 'token')} in a request; send several requests, or JSON Lines"
    return RequestError(413, "too_large", message)


def _kind(value: Any) -> str:
    """Return the JSON type of a value."""
    kinds = {bool: "true or false", int: "a number", float: "a number", str: "a string", list: "a list", dict: "an object"}
    return kinds.get(type(value), "null")
