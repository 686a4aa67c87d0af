"""JSONL: one JSON object per line and sentence (or short text), in one of two forms.

Tokens: ``{"tokens": ["Ann", "left"], "labels": ["B-PER", "O"]}``; any other key with a list of one string per token is a column.

Spans: ``{"text": "Ann left.", "labels": [[0, 3, "PER"]]}`` with character offsets, as doccano and others write them
(``"label"``, ``"entities"``, ``"spans"`` and ``"ents"`` are read as well). :func:`tagpool.tokenize` tokenises the text; labels
are BIO2. Writing restores the text and the spans, except for blanks before the first token (offsets are then counted without
them).

Other keys are ignored. But a record without labels whose other keys have lists is an error, since its annotation would be lost.
A sentence without tokens is valid. A key ``"document"`` marks documents: a new one begins where its value changes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, get_args

from tagpool import _native
from tagpool.corpus.corpus import LABEL, WORD, Corpus
from tagpool.corpus.faults import NameFaults
from tagpool.corpus.files import BYTE_ORDER_MARK, decode_lines, read_bytes, source_name
from tagpool.corpus.schemes import Scheme, Span, spans, to_labels
from tagpool.corpus.text import SPACE, Token, blanks_of, spaces_after, texts, tokenize
from tagpool.corpus.unknown_labels import has_span_labels
from tagpool.errors import InputError
from tagpool.wording import counted

Misaligned = Literal["error", "expand", "drop"]
"""Policy for spans that begin or end inside a token: raise an error, expand to whole tokens, or drop the span."""

SPAN_KEYS = ("labels", "label", "entities", "spans", "ents")  # of the spans of a text
_KEYS = ("tokens", "text", "document", *SPAN_KEYS)
NOTE_KEYS = ("meta", "metadata", "info", "id", "relations")  # keys without labels of tokens, in files of annotation tools
Fail = Callable[[str], InputError]  # creates an error with the line of an object


def read_jsonl(
    path: str | Path,
    *,
    misaligned: Misaligned = "error",
    encoding: str = "utf-8",
    read_other: Callable[[], Corpus | None] = lambda: None,
) -> Corpus:
    """Read JSONL of either form; all objects of a file must have the same columns.

    ``read_other`` may return the corpus of another form, before the slower reader is used.
    """
    source = source_name(path)
    if misaligned not in get_args(Misaligned):
        raise InputError(f"misaligned={misaligned!r}: expected one of {', '.join(get_args(Misaligned))}")
    data = read_bytes(path, encoding=encoding)
    with NameFaults(source, purpose=f"read {source}"):
        native = _native.read_token_jsonl(data.removeprefix(BYTE_ORDER_MARK))
    if native is not None:
        return Corpus(native, source=source)
    return read_other() or read_any_form(data, source, misaligned)


def read_any_form(data: bytes, source: str, misaligned: Misaligned) -> Corpus:
    """Return the corpus of a text that the faster native reader leaves to this one."""
    rows: list[dict[str, list[str]]] = []
    names: dict[str, list[str]] | None = None  # columns of the first sentence that has tokens
    documents: list[int] = []
    last_document: Any = None
    for record, fail in parse_records(enumerate(decode_lines(data, source), 1), source):
        columns = record_columns(record, misaligned, fail)
        if LABEL not in columns:
            _check_keys(record, columns, fail)
        if columns[WORD]:
            names = columns if names is None else names
            if columns.keys() != names.keys():
                raise fail(f"expected the columns {', '.join(names)}, got {', '.join(columns)}")
        document = record.get("document")
        if document is not None and (not rows or document != last_document):
            documents.append(len(rows))
        last_document = document
        rows.append(columns)
    if not rows:
        raise InputError("expected sentences, got none: the file is empty", source=source)
    # A sentence without tokens has the columns of the others.
    lists = {name: [columns[name] if columns[WORD] else [] for columns in rows] for name in names or rows[0]}
    return Corpus.from_columns(lists, documents=documents, source=source)


def parse_records(lines: Iterable[tuple[int, str]], source: str) -> Iterator[tuple[dict[str, Any], Fail]]:
    """Yield the objects of numbered lines, each with a function that creates errors with its line; skip blank lines."""
    for number, line in lines:
        if line.strip():
            fail = partial(InputError, source=source, line=number)
            yield _parse(line, fail), fail


def _parse(line: str, fail: Fail) -> dict[str, Any]:
    record = parse_value(line, fail)
    if not isinstance(record, dict):
        raise fail(f'expected a JSON object such as {{"tokens": [...]}}, got {type(record).__name__}')
    return record


def parse_value(line: str, fail: Fail) -> Any:
    """Return the value of a JSON text; raise an error for invalid JSON and for lone surrogates."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:  # ValueError: also a number of thousands of digits
        raise fail(f"expected a JSON object, got something else: {error}") from None
    if "\\u" in line and not _is_text(value):  # in valid UTF-8 only an escape can encode a lone surrogate
        raise fail("expected text, got a lone surrogate (half of a character)")
    return value


def record_columns(record: dict[str, Any], misaligned: Misaligned, fail: Fail) -> dict[str, list[str]]:
    """Return the columns of an object of either form."""
    if "tokens" in record:
        return _token_columns(record, fail)
    if "text" in record:
        return _span_columns(record, misaligned, fail)
    raise fail(f"expected a key 'tokens' or 'text'; {list_keys(record, _KEYS)}")


def _check_keys(record: dict[str, Any], columns: dict[str, list[str]], fail: Fail) -> None:
    """Raise an error if a record without labels has other keys with lists: they may be its annotation."""
    for key, value in record.items():
        if key not in (*_KEYS, *NOTE_KEYS, *columns) and has_list(value):
            raise fail(f"the key {key!r} may have labels, but is not understood; {list_keys(record, _KEYS)}; rename or remove it")
    if "tokens" in record and any(isinstance(record.get(key), (list, dict)) and record[key] for key in SPAN_KEYS[1:]):
        raise fail(
            f"the tokens have no 'labels', one per token, and spans need a 'text' instead of tokens; {list_keys(record, _KEYS)}"
        )


def has_list(value: Any) -> bool:
    """Return whether a value has a list with elements, which may be labels."""
    return bool(value) if isinstance(value, list) else isinstance(value, dict) and any(map(has_list, value.values()))


def list_keys(record: dict[str, Any], understood: Iterable[str]) -> str:
    """Return the keys of a record, and those that are understood, for messages."""
    keys, known = (", ".join(map(repr, names)) or "none" for names in (record, understood))
    return f"the record has the keys {keys}; those understood are {known}"


def _is_text(value: Any) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    except RecursionError:
        pass  # nested too deeply to be a list of strings, which is checked later
    return True


def _token_columns(record: dict[str, Any], fail: Fail) -> dict[str, list[str]]:
    tokens = need_words(record["tokens"], "tokens", fail)
    columns = {WORD: tokens}
    for key, value in record.items():
        if key in ("tokens", "labels", "document") or not (isinstance(value, list) and len(value) == len(tokens) > 0):
            continue
        if all(isinstance(item, str) for item in value) and key.isidentifier():
            if key == WORD:
                raise fail('expected one list of words, got both "tokens" and "word"')
            columns[key] = value
    if "labels" in record:
        labels = need_words(record["labels"], "labels", fail)
        if len(labels) != len(tokens):
            raise fail(f"expected {counted(len(tokens), 'label')}, one per token, got {len(labels)}")
        columns[LABEL] = labels
    return columns


def need_words(value: Any, key: str, fail: Fail) -> list[str]:
    """Return a list of words; raise an error that names its key if it is something else."""
    if not isinstance(value, list) or not all(isinstance(item, str) and item for item in value):
        raise fail(f'"{key}": expected a list of non-empty strings')
    return value


def _span_columns(record: dict[str, Any], misaligned: Misaligned, fail: Fail) -> dict[str, list[str]]:
    text = record["text"]
    if not isinstance(text, str):
        raise fail(f'"text": expected a string, got {type(text).__name__}')
    tokens = tokenize(text)
    columns = {WORD: [token.text for token in tokens], SPACE: spaces_after(text, tokens)}
    if any(key in record for key in SPAN_KEYS):
        aligned = [_align(span, text, tokens, misaligned, fail) for span in character_ranges(record, fail)]
        token_spans = sorted(span for span in aligned if span is not None)
        for earlier, later in pairwise(token_spans):
            if later.start < earlier.end:
                raise fail(f"the spans {earlier.type} and {later.type} overlap; a token can have one label only")
        columns[LABEL] = to_labels(token_spans, len(tokens), Scheme.BIO2)
    return columns


def character_ranges(record: dict[str, Any], fail: Fail) -> list[tuple[int, int, str]]:
    """Return the character spans of an object: (begin, end, type)."""
    keys = [key for key in SPAN_KEYS if key in record]
    # A list with spans comes first: an annotation tool may also write an empty list, or the class of the text.
    keys.sort(key=lambda key: (not isinstance(record[key], list), not record[key]))
    key = keys[0] if keys else ""
    value = record.get(key, [])
    ranges: list[tuple[int, int, str]] = []
    for span in value if isinstance(value, list) else [value]:
        if isinstance(span, dict):  # {"start_offset": 0, "end_offset": 3, "label": "PER"}
            span = [span.get("start_offset", span.get("start")), span.get("end_offset", span.get("end")), span.get("label")]
        if not (isinstance(span, list) and list(map(type, span)) == [int, int, str]):
            raise fail(f'"{key}": expected spans such as [0, 3, "PER"], got {excerpt(span)}')
        if not span[2] or any(character.isspace() for character in span[2]):
            raise fail(f'"{key}": expected a type without blanks, got {span[2]!r}')
        ranges.append((span[0], span[1], span[2]))
    return ranges


def excerpt(value: Any) -> str:
    """Return the beginning of a value for messages."""
    try:
        return json.dumps(value)[:80]
    except RecursionError:
        return "a deeply nested value"


def _align(span: tuple[int, int, str], text: str, tokens: list[Token], misaligned: Misaligned, fail: Fail) -> Span | None:
    """Return the tokens of a character span; None if it is misaligned and dropped."""
    start, end, kind = span
    if not 0 <= start < end <= len(text):
        raise fail(f"span [{start}, {end}, {kind!r}] is outside the text of {counted(len(text), 'character')}")
    inside = [i for i, token in enumerate(tokens) if token.start < end and token.end > start]
    if not inside:
        raise fail(f"span [{start}, {end}, {kind!r}] holds only blanks")
    first, last = tokens[inside[0]], tokens[inside[-1]]
    # Blanks at the ends of a span are allowed.
    aligned = first.start >= start and last.end <= end
    if not aligned and misaligned == "error":
        whole = text[first.start : last.end]
        raise fail(
            f"span [{start}, {end}, {kind!r}] is {text[start:end]!r}, but the tokens there are {whole!r}; "
            "correct it, or read with misaligned expand or drop (--misaligned)"
        )
    return Span(inside[0], inside[-1] + 1, kind) if aligned or misaligned == "expand" else None


def format_jsonl(corpus: Corpus, *, as_spans: bool = False, type_name: Callable[[str], str] = str) -> str:
    """Return JSONL with tokens, or with text and character spans, whose types ``type_name`` may replace."""
    _check_writable(corpus, as_spans)
    starts = set(corpus.document_starts)
    document = -1
    whole = texts(corpus) if as_spans else []
    blanks = blanks_of(corpus) if as_spans else []
    lines: list[str] = []
    for number, sentence in enumerate(corpus):
        words, labels = sentence.words, sentence.labels
        record: dict[str, Any] = {"text": whole[number]} if as_spans else {"tokens": words}
        if not as_spans:
            others = {key: values for key, values in sentence.columns.items() if values is not words}
            record |= {key: values for key, values in others.items() if key not in (SPACE, corpus.label_column)}
        if labels is not None:
            record["labels"] = labels
            if as_spans:
                places = character_spans(words, blanks[number], labels)
                record["labels"] = [(start, end, type_name(kind)) for start, end, kind in places]
        if starts:
            document += number in starts
            record["document"] = document
        lines.append(json.dumps(record, ensure_ascii=False))
    return "\n".join(lines) + "\n"


def _check_writable(corpus: Corpus, as_spans: bool) -> None:
    if as_spans:
        if corpus.label_column is not None and not has_span_labels(corpus):
            message = f"column {corpus.label_column!r} has plain labels, expected spans (B-PER, I-PER, O); write it as jsonl"
            raise InputError(message, source=corpus.source)
        return
    reserved = {"tokens", "labels", "document", *([LABEL] if corpus.label_column else [])} - {corpus.label_column}
    for name in reserved.intersection(corpus.columns):
        raise InputError(f"column {name!r} has a name that JSONL reserves; rename it", source=corpus.source)


def character_spans(words: list[str], after: list[str], labels: list[str], offset: int = 0) -> list[tuple[int, int, str]]:
    """Return the spans of labels as character offsets: ``offset`` is that of the first word, ``after`` has the blanks after each.

    >>> character_spans(["Ann", "left"], [" ", ""], ["B-PER", "O"])
    [(0, 3, 'PER')]
    """
    starts, ends = [], []
    for word, space in zip(words, after, strict=True):
        starts.append(offset)
        ends.append(offset + len(word))
        offset += len(word) + len(space)
    return [(starts[span.start], ends[span.end - 1], span.type) for span in spans(labels)]
