"""Metadata of model files: every text that Python reads, checked before use against docs/reference/model-format.md.

A model file may be hostile, so that values, lengths and nesting are limited. All functions raise a ModelError that names the key.
A start-up file: it imports little.
"""

from __future__ import annotations

from tagpool.errors import InputError, ModelError, ResourceError, TagpoolError
from tagpool.lazy import TYPE_CHECKING
from tagpool.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import Any

    from tagpool.features.template import TemplateSet

MAX_VALUES = 1 << 18  # values of a JSON text: Python takes up to 160 bytes for each
MAX_FACTS = 1 << 14  # values of the summary and of the parameters, which are only shown
MAX_DIGITS = 10
MAX_NAMES = 12  # memory of a list of names by the size of the file: up to 9 in files without rare weights and in half precision
MAX_EXPANSION = 64  # size of names by their compressed size: 5 to 20 in real files
SPARE_BYTES = 16 << 20  # memory that a small file may take

_TOO_MANY_NAMES = "damaged model: the names of features take more memory than a file of this size may contain"

DAMAGED = (ArithmeticError, AttributeError, LookupError, RecursionError, TagpoolError, TypeError, ValueError)
"""Errors of code that restores an object from inconsistent content; ``InputFault`` is a ValueError."""

# Fields of a summary that messages format; all others are only shown.
_COUNTS, _NUMBERS, _TEXTS = ("sentences", "tokens", "epochs"), ("loss", "dev", "step"), ("trainer", "label")


def damaged(error: Exception, what: str, source: str | Path) -> ModelError | ResourceError:
    """Return the error for a file that does not contain a valid object; one that names its file stays the same.

    >>> print(damaged(ValueError("weights"), "pool", "a.tagpool"))
    a.tagpool: damaged pool: weights
    """
    if isinstance(error, (ModelError, ResourceError)) and error.source is not None:
        return error
    return ModelError(f"damaged {what}: {error.args[0] if error.args else type(error).__name__}", source=source)


def read_json(text: str | None, key: str, most: int = MAX_VALUES) -> Any:
    """Return the JSON value of a text.

    >>> read_json("[1, 2]", "record")
    [1, 2]
    """
    import json

    if text is None:
        raise ModelError(f"damaged metadata {key!r}: it is missing")
    if sum(map(text.count, ",[{")) > most:
        raise ModelError(f"damaged metadata {key!r}: more than {counted(most, 'value')}")
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise ModelError(f"damaged metadata {key!r}: not valid JSON") from None


def read_object(text: str | None, key: str, most: int = MAX_VALUES) -> dict[str, Any]:
    """Return the JSON object of a text; a missing text is an empty object.

    >>> read_object('{"l2": 1.0}', "parameters")
    {'l2': 1.0}
    """
    value = {} if text is None else read_json(text, key, most)
    if not isinstance(value, dict):
        raise ModelError(f"damaged metadata {key!r}: not a JSON object")
    return value


def read_number(text: str | None, key: str) -> int:
    """Return a whole number from 0 on.

    >>> read_number("12", "members")
    12
    """
    if text is None or not (text.isascii() and text.isdecimal() and len(text) <= MAX_DIGITS):
        raise ModelError(f"damaged metadata {key!r}: not a whole number")
    return int(text)


def read_summary(text: str | None) -> dict[str, Any]:
    """Return the summary of a training, with the types that messages expect.

    >>> read_summary('{"sentences": 3, "tokens": 9}')
    {'sentences': 3, 'tokens': 9}
    """
    summary = read_object(text, "summary", MAX_FACTS)
    for name, value in summary.items():
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if name in _COUNTS:
            is_valid = is_number and isinstance(value, int) and 0 <= value < 1 << 63
        elif name in _NUMBERS:
            is_valid = value is None or (is_number and abs(value) < 1e300)
        elif name in _TEXTS:
            is_valid = isinstance(value, str) or (name == "label" and value is None)
        else:
            is_valid = name != "columns" or (isinstance(value, list) and all(isinstance(column, str) for column in value))
        if not is_valid:
            raise ModelError(f"damaged metadata 'summary': {name!r} is {str(value)[:40]!r}")
    if ("sentences" in summary) != ("tokens" in summary) or ("epochs" in summary and "trainer" not in summary):
        raise ModelError("damaged metadata 'summary': it is incomplete")
    return summary


def read_templates(text: str) -> TemplateSet:
    """Return the templates of a model. Paths of ``use`` lines are dropped: no path that a model contains is ever opened.

    >>> read_templates('use brown from "/etc/passwd"\\ncluster(brown)[0]').uses
    ()
    """
    from dataclasses import replace

    from tagpool.features.compiler import MOST_CONJUNCTIONS
    from tagpool.features.parser import parse

    try:
        templates = replace(parse(text), uses=())
    except InputError as error:
        raise ModelError(f"damaged metadata 'templates': {error.message}") from None
    counts = [template.conjunction_count for template in templates]
    if max(counts, default=0) > MOST_CONJUNCTIONS or sum(counts) > 8 * MOST_CONJUNCTIONS:  # lines may repeat others
        raise ModelError(f"damaged metadata 'templates': more than {MOST_CONJUNCTIONS:,} conjunctions")
    return templates


def iterate_names(packed: bytes) -> Iterator[list[str]]:
    """Yield the names of features, which are compressed, some thousands at a time, so that they take little memory.

    >>> import zlib
    >>> list(iterate_names(zlib.compress(b"word[0]=a\\0word[0]=b")))
    [['word[0]=a'], ['word[0]=b']]
    """
    import zlib

    room, longest = MAX_EXPANSION * len(packed) + SPARE_BYTES, len(packed) + SPARE_BYTES // 2
    stream = zlib.decompressobj()
    rest = b""
    try:
        while not stream.eof:
            chunk = stream.decompress(packed, 1 << 18)
            packed = stream.unconsumed_tail
            if not chunk and not packed and not stream.eof:
                raise ValueError("truncated")
            room -= len(chunk)
            *parts, rest = (rest + chunk).split(b"\0")
            if room < 0 or len(rest) > longest:
                raise ModelError(_TOO_MANY_NAMES)
            if parts:
                yield [part.decode() for part in parts]
        if stream.unused_data:
            raise ValueError("trailing data")
        yield [rest.decode()]
    except (zlib.error, ValueError) as error:
        if isinstance(error, ModelError):
            raise
        raise ModelError("damaged model: the names of features are not compressed UTF-8") from None


def read_names(packed: bytes, file_size: int) -> list[str]:
    """Return all names of features; their memory is in proportion to the size of the file.

    >>> import zlib
    >>> read_names(zlib.compress(b"word[0]=a\\0word[0]=b"), 100)
    ['word[0]=a', 'word[0]=b']
    """
    import sys

    names: list[str] = []
    room = MAX_NAMES * file_size + SPARE_BYTES
    for chunk in iterate_names(packed):
        room -= sum(map(sys.getsizeof, chunk)) + 8 * len(chunk)
        if room < 0:
            raise ModelError(_TOO_MANY_NAMES)
        names += chunk
    return [] if names == [""] else names
