"""CRF++ template files (``U01:%x[-1,0]/%x[0,1]`` and ``B``), parsed to templates.

Columns are numbered: their fields are ``column0``, ``column1``, ..., which a corpus resolves by position. The identifier of a
line becomes the template's name: lines with the same identifier share their features, as in CRF++. ``B`` lines depend on the
previous label.
"""

from __future__ import annotations

import re

from tagpool.errors import TemplateError
from tagpool.features.functions import FARTHEST_OFFSET, HISTORY_FIELD
from tagpool.features.template import Field, Range, Template, TemplateSet, Term

_MACRO = re.compile(r"%x\[\s*([+-]?\d{1,6})\s*,\s*(\d{1,6})\s*\]")


def looks_like_crfpp(text: str) -> bool:
    """Return whether a template file is of CRF++: its first line is a ``U`` line with macros, or a ``B`` line.

    >>> looks_like_crfpp("# Unigram\\nU00:%x[-2,0]\\nB\\n"), looks_like_crfpp("word[0]\\n")
    (True, False)
    """
    lines = map(str.strip, text.removeprefix("\ufeff").split("\n"))
    first = next((line for line in lines if line and not line.startswith("#")), "")
    return first in ("U", "B") or (first.startswith(("U", "B")) and "%" in first.split("#")[0])


def parse_crfpp(text: str, *, source: str | None = None) -> TemplateSet:
    """Parse a CRF++ template file.

    >>> print(parse_crfpp("U01:%x[-1,0]/%x[0,1]\\nB"), end="")
    U01: column0[-1] & column1[0]
    B: label[-1]
    """
    templates: list[Template] = []
    raw_names: dict[str, str] = {}
    for number, line in enumerate(re.split(r"\r?\n", text.removeprefix("\ufeff")), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        templates.append(_template(line.rstrip(), number, raw_names, source))
    if not templates:
        raise TemplateError("expected at least one line such as U00:%x[0,0]", source=source)
    return TemplateSet(tuple(templates), source=source)


def _template(line: str, number: int, raw_names: dict[str, str], source: str | None) -> Template:
    def fail(message: str, column: int = 0) -> TemplateError:
        return TemplateError(message, text=line, column=column, source=source, line=number)

    kind = line.lstrip()[0]
    if kind not in "UB":
        raise fail("expected a line that begins with U, B or #", len(line) - len(line.lstrip()))
    rest = _MACRO.sub("", line)
    if "%" in rest:
        # blanks in place of the macros keep the columns
        masked = _MACRO.sub(lambda match: " " * len(match[0]), line)
        raise fail("expected macros of the form %x[row,column]", masked.index("%"))
    terms = [Term(Field(HISTORY_FIELD), (Range(-1, -1),))] if kind == "B" else []
    for match in _MACRO.finditer(line):
        row, column = int(match[1]), int(match[2])
        if abs(row) > FARTHEST_OFFSET:
            message = f"offset out of range: expected {-FARTHEST_OFFSET} to {FARTHEST_OFFSET}, got {row}"
            raise fail(message, match.start())
        terms.append(Term(Field(f"column{column}"), (Range(row, row),), match.start()))
    if not terms:
        raise fail("expected at least one macro, such as U00:%x[0,0]")
    # Other text is part of the feature string in CRF++, and of the name here.
    raw = rest.strip().replace("/", "").rstrip(":")
    name = re.sub(r"\W", "_", raw, flags=re.ASCII)
    if raw_names.setdefault(name, raw) != raw:
        raise fail(f"the identifiers {raw_names[name]!r} and {raw!r} become the same name; use letters and digits only")
    return Template(tuple(terms), name, line=number, text=line)
