"""WebAnno TSV 3 of INCEpTION and WebAnno: sentences with their text, tokens with offsets, and columns of annotations.

``#T_SP=LAYER|FEATURE`` declares the columns of a layer of spans. A text with line ends has several lines ``#Text=``. ``PER[1]``
belongs to annotation 1, which may have several tokens; a value without a number is an annotation of its token. ``|`` separates
annotations of one token, ``*`` is an annotation without a value. Offsets count UTF-16 units. Relations and chains are counted,
but not read.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from tagpool.corpus.annotations.annotation import DEFAULT_LAYER, Annotation, CharSpan, Layer, Place
from tagpool.corpus.annotations.detection import FORMAT_LINE
from tagpool.corpus.annotations.json_values import read_type
from tagpool.corpus.annotations.losses import ATTRIBUTES, OTHER_LAYERS, RELATIONS, Losses
from tagpool.corpus.annotations.span_layers import choose_feature, choose_layer, layer_title
from tagpool.corpus.files import read_lines, source_name
from tagpool.errors import InputError
from tagpool.wording import counted

_TEXT = "#Text="
_ROW = re.compile(r"(\d+)-(\d+)(\.\d+)?\t(\d{1,9})-(\d{1,9})\t(.*)")
_ESCAPED = re.compile(r"\\(->|.)", re.DOTALL)
_ITEM = re.compile(r"(?:\\.|[^|\\])+", re.DOTALL)  # between bars that are not escaped
_NUMBERED = re.compile(r"((?:\\.|[^\[\\])*)\[(\d+)\]", re.DOTALL)
_CONTROLS = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "b": "\b"}
_NONE, _NO_VALUE = "_", "*"
_ROLE = "ROLE_"


class _Column(NamedTuple):
    """A column: its kind (SP, RL, CH), layer, and feature."""

    kind: str
    layer: str
    feature: str


@dataclass
class _Span:
    """An annotation: its offsets in UTF-16 units, its values by feature, and its first line."""

    start: int
    end: int
    line: int
    values: dict[str, str] = field(default_factory=dict)


@dataclass
class _File:
    """Parts of a file: the text in UTF-16 units, places in it, annotations by layer, and numbers of relations."""

    source: str
    columns: list[_Column] = field(default_factory=list)
    text: bytearray = field(default_factory=bytearray)
    sentences: list[Place] = field(default_factory=list)
    tokens: list[Place] = field(default_factory=list)
    spans: dict[str, dict[tuple[object, ...], _Span]] = field(default_factory=dict)
    losses: Losses = field(default_factory=Losses)

    def fail(self, message: str, line: int) -> InputError:
        return InputError(message, source=self.source, line=line)


def read_webanno(path: str | Path, *, encoding: str = "utf-8") -> list[Annotation]:
    """Read a file as one text with its sentences and tokens."""
    lines = read_lines(path, encoding=encoding)
    file = _File(source_name(path))
    if not lines or not lines[0].startswith(FORMAT_LINE):
        raise file.fail(f"expected a line such as {FORMAT_LINE}.3, got {(lines or [''])[0][:60]!r}", 1)
    pending: list[str] = []  # lines of the text of the next sentence
    for number, line in enumerate(lines[1:], 2):
        if line.startswith("#T_"):
            file.columns += _columns(line, file, number)
        elif line.startswith(_TEXT):
            pending.append(unescape(line.removeprefix(_TEXT)))
        elif not line.strip():
            pending.clear()  # a sentence without tokens
        elif not line.startswith("#"):
            _read_row(line, file, pending, number)
    if not file.tokens:
        raise InputError("expected sentences, got none", source=file.source)
    return [_annotation(file)]


def unescape(text: str) -> str:
    r"""Return a text without escapes.

    >>> unescape(r"a\\b \_ \-> \n") == "a\\b _ -> \n"
    True
    """
    return _ESCAPED.sub(lambda match: _CONTROLS.get(match[1], match[1]), text)


def _columns(line: str, file: _File, number: int) -> Iterator[_Column]:
    """Yield the columns of a layer. After the role of a slot comes the type of its targets, which has a column, too."""
    match = re.fullmatch(r"#T_(SP|RL|CH)=([^|]+)(\|.*)?", line)
    if match is None:
        raise file.fail(f"expected a layer such as #T_SP=webanno.custom.Term|value, got {line[:60]!r}", number)
    features = [name for name in (match[3] or "").split("|") if name]
    for previous, name in pairwise(["", *(features or [""])]):
        yield _Column(match[1], match[2], f"{_ROLE}{name}" if previous.startswith(_ROLE) else name)


def _read_row(line: str, file: _File, pending: list[str], number: int) -> None:
    match = _ROW.fullmatch(line)
    if match is None:
        raise file.fail(f"expected a row such as 1-1<tab>0-3<tab>Ann, got {line[:60]!r}", number)
    word, *cells = match[6].split("\t")
    start, end = int(match[4]), int(match[5])
    word_units = unescape(word).encode("utf-16-le")
    if pending:
        _add_sentence("\n".join(pending), unescape(word), file, start, number)
        pending.clear()
    if not file.sentences or file.text[2 * start : 2 * end] != word_units or start + (match[3] is None) > end:
        got = file.text[2 * start : 2 * end].decode("utf-16-le", "replace")
        advice = "check that the lines #Text= are those of the tokens"
        raise file.fail(f"the text at {start}-{end} is {got!r}, not {unescape(word)!r}; {advice}", number)
    if match[3] is None:
        if file.tokens and start < file.tokens[-1][1]:
            raise file.fail("expected tokens in the order of the text", number)
        file.tokens.append((start, end))
    if len(cells) > len(file.columns) and not any(cells[len(file.columns) :]):
        cells = cells[: len(file.columns)]  # a row ends with a tab
    if len(cells) != len(file.columns):
        raise file.fail(f"expected {counted(len(file.columns), 'column')} of annotations, got {len(cells)}", number)
    for column, cell in zip(file.columns, cells, strict=True):
        if cell != _NONE:
            _read_cell(cell, column, (start, end), file, number)


def _add_sentence(text: str, word: str, file: _File, start: int, number: int) -> None:
    """Add the text of a sentence, whose first token is known, after blanks: the file does not have those between sentences."""
    at = text.find(word)
    begin = start - len(text[: max(at, 0)].encode("utf-16-le")) // 2
    gap = begin - len(file.text) // 2
    if at < 0 or gap < 0:
        raise file.fail(f"the first token is not at {start} in the text of its sentence, {text[:60]!r}", number)
    file.text += ("\n" + " " * (gap - 1) if gap else "").encode("utf-16-le") + text.encode("utf-16-le")
    file.sentences.append((begin, len(file.text) // 2))


def _read_cell(cell: str, column: _Column, place: Place, file: _File, line: int) -> None:
    items = _ITEM.findall(cell)
    if column.kind != "SP":
        is_first = column is next(other for other in file.columns if other.layer == column.layer)
        file.losses[RELATIONS] += is_first * len(items)
        return
    spans = file.spans.setdefault(column.layer, {})
    for number, item in enumerate(items):
        match = _NUMBERED.fullmatch(item)
        value, identity = (item, None) if match is None else match.groups()
        span = spans.setdefault((identity,) if identity else (place, number), _Span(*place, line))
        span.end = max(span.end, place[1])
        if value not in (_NO_VALUE, _NONE):
            span.values[column.feature] = unescape(value)


def _annotation(file: _File) -> Annotation:
    text = file.text.decode("utf-16-le")
    offsets = _character_offsets(text)
    chosen = choose_layer({column.layer: len(file.spans.get(column.layer, ())) for column in file.columns if column.kind == "SP"})
    spans: list[CharSpan] = []
    for layer, items in file.spans.items():
        if layer == chosen:
            spans = _char_spans(list(items.values()), layer, file, offsets)
        else:
            file.losses[OTHER_LAYERS] += len(items)
    return Annotation(
        file.source,
        1,
        {} if chosen is None else {DEFAULT_LAYER: Layer(spans=sorted(spans, key=lambda span: span[:3]))},
        text=text,
        places=[(offsets[start], offsets[end]) for start, end in file.tokens],
        sentences=[(offsets[start], offsets[end]) for start, end in file.sentences],
        losses=file.losses,
    )


def _char_spans(items: Sequence[_Span], layer: str, file: _File, offsets: Sequence[int]) -> list[CharSpan]:
    sizes = Counter({column.feature: 0 for column in file.columns if column.layer == layer})
    sizes.update(name for span in items for name in span.values)
    feature = choose_feature({name: size for name, size in sizes.items() if not name.startswith(_ROLE)})
    spans = []
    for span in items:
        file.losses[ATTRIBUTES] += len(span.values.keys() - {feature})
        kind = read_type(span.values.get(feature or "", layer_title(layer)), partial(file.fail, line=span.line))
        spans.append(CharSpan(offsets[span.start], offsets[span.end], kind, None, span.line))
    return spans


def _character_offsets(text: str) -> list[int]:
    """Return the character at every offset in UTF-16 units; the second half of a pair has that of the pair."""
    offsets: list[int] = []
    for index, character in enumerate(text):
        offsets += [index] * (2 if ord(character) > 0xFFFF else 1)
    return [*offsets, len(text)]
