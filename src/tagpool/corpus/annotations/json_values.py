"""Values of a JSON or JSONL file, with their lines, and checks of their parts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, TypeGuard

from tagpool.corpus.annotations.answers import has_fence, inside_fences
from tagpool.corpus.files import read_lines, source_name
from tagpool.corpus.jsonl import Fail, excerpt, parse_value
from tagpool.errors import InputError

_NO_END = "the array does not end; the file is cut off: export or copy it again"


def read_values(path: str | Path, *, encoding: str = "utf-8") -> Iterator[tuple[Any, Fail, int]]:
    """Yield the values of a file, each with a function that creates errors, and its line.

    A file has one value per line (JSONL), or one array of values, or values over several lines. Code fences, with which language
    models surround JSON, are left out.
    """
    source = source_name(path)
    lines = read_lines(path, encoding=encoding)
    if has_fence(lines):
        lines = inside_fences(lines)
    filled = [(number, line) for number, line in enumerate(lines, 1) if line.strip()]
    if not filled:
        raise InputError("expected records, got none: the file is empty", source=source)
    if len(filled) == 1 or not _is_value(filled[0][1]):
        yield from _read_whole("\n".join(lines), source)
        return
    for number, line in filled:
        fail = partial(InputError, source=source, line=number)
        yield parse_value(line, fail), fail, number


def _is_value(line: str) -> bool:
    try:
        json.loads(line)
    except RecursionError:
        return True  # reported when the line is read
    except ValueError:
        return line.strip()[0] not in "[{"
    return True


def _read_whole(text: str, source: str) -> Iterator[tuple[Any, Fail, int]]:
    """Yield the values of a text: the elements of an array, or values one after the other."""
    fail = partial(InputError, source=source, line=1)
    decoder = json.JSONDecoder()
    is_array = text.lstrip().startswith("[") and not _is_one_record(text)
    at = text.index("[") + 1 if is_array else 0
    line, counted_to = 1, 0
    while True:
        at = _skip(text, at, " \t\r\n," if is_array else " \t\r\n")
        line, counted_to = line + text.count("\n", counted_to, at), at
        fail = partial(InputError, source=source, line=line)
        if at == len(text) or (is_array and text[at] == "]"):
            break
        try:
            _, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            if is_array and _is_cut_off(error, text):
                raise fail(_NO_END) from None
            raise fail(f"expected a JSON object, got something else: {error}") from None
        yield parse_value(text[at:end], fail), fail, line
        at = end
    rest = _skip(text, at + 1, " \t\r\n")
    if is_array and at == len(text):
        raise fail(_NO_END)
    if is_array and rest < len(text):
        raise fail("expected one array of records, and more follows it; write the records into one array")


def _is_cut_off(error: Exception, text: str) -> bool:
    """Return whether a JSON text is wrong only where it ends: a value, or a string, has no end."""
    is_at_end = isinstance(error, json.JSONDecodeError) and error.pos >= len(text.rstrip())
    return is_at_end or str(error).startswith("Unterminated string")


def _skip(text: str, at: int, letters: str) -> int:
    while at < len(text) and text[at] in letters:
        at += 1
    return at


def _is_one_record(text: str) -> bool:
    """Return whether an array is one record: the output of a Hugging Face pipeline for one text, or a pair of spaCy 2."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, list) and bool(value) and (is_entity_list(value) or is_training_pair(value))


def is_entity_list(value: Any) -> bool:
    """Return whether a value is the output of a Hugging Face pipeline or of GLiNER for one text; an empty list is one."""
    return isinstance(value, list) and (all(map(is_pipeline_entity, value)) or all(map(_is_gliner_entity, value)))


def is_pipeline_entity(value: Any) -> bool:
    """Return whether a value is an entity of a Hugging Face pipeline; slow tokenizers know no offsets."""
    if not isinstance(value, dict) or "text" in value:
        return False
    has_place = "start" in value or "word" in value
    return has_place and ("entity_group" in value or ("entity" in value and ("start" in value or "index" in value)))


def _is_gliner_entity(value: Any) -> bool:
    return isinstance(value, dict) and {"start", "end", "text", "label"} <= value.keys() and is_offset(value["start"])


def is_training_pair(value: Any) -> bool:
    """Return whether a value is an example of spaCy 2: ``["Ann left.", {"entities": [[0, 3, "PER"]]}]``."""
    return isinstance(value, list) and len(value) == 2 and isinstance(value[0], str) and isinstance(value[1], dict)


# Checked parts ----------------------------------------------------------------------------------------------------------


def need_text(value: Any, key: str, fail: Fail) -> str:
    """Return a string; raise an error that names its key if it is something else."""
    if not isinstance(value, str):
        raise fail(f'"{key}": expected a string, got {type(value).__name__}')
    return value


def need_list(value: Any, key: str, fail: Fail) -> list[Any]:
    """Return a list; raise an error that names its key if it is something else."""
    if not isinstance(value, list):
        raise fail(f'"{key}": expected a list, got {excerpt(value)}')
    return value


def read_type(value: Any, fail: Fail) -> str:
    """Return the type of a span; blanks inside become ``_``, since labels in CoNLL files have none."""
    if not isinstance(value, str) or not value.strip():
        raise fail(f"expected the type of a span, such as PER, got {excerpt(value)}")
    return "_".join(value.split())


def read_score(value: Any) -> float | None:
    """Return a confidence, from 0 to 1; None for anything else.

    >>> read_score(0.5), read_score("0.25"), read_score("high"), read_score(True), read_score(7)
    (0.5, 0.25, None, None, None)
    """
    if isinstance(value, str):  # of numbers that JSON does not know, such as numpy's
        try:
            value = float(value)
        except ValueError:
            return None
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if is_number and 0 <= value <= 1 else None


def is_offset(value: Any) -> TypeGuard[int]:
    """Return whether a value is an integer, and not a Boolean."""
    return isinstance(value, int) and not isinstance(value, bool)
