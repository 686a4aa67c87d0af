"""HTML: text is escaped unless it is :class:`Html` already, so a forgotten call of a function cannot open a hole."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable
from html import escape
from importlib import resources
from typing import Any

from tagpool.visible import one_line

_VOID = frozenset({"br", "hr", "img", "input", "link", "meta", "col", "wbr"})  # elements without an end tag
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"


class Html(str):
    """A fragment of HTML; every other string is text."""

    __slots__ = ()


def text(value: object) -> Html:
    r"""Return a value as escaped text. Control characters and those that change the direction of text are visible.

    >>> text("<b> & \u202e"), text(Html("<b>"))
    ('&lt;b&gt; &amp; \\u202e', '<b>')
    """
    if isinstance(value, Html):
        return value
    return Html(escape(one_line(str(value))))


def join(parts: Iterable[object], separator: str = "") -> Html:
    """Return fragments and texts, one after the other; the separator is HTML.

    >>> join([element("b", "a"), "<"], " ")
    '<b>a</b> &lt;'
    """
    return Html(separator.join(map(text, parts)))


def element(tag: str, *content: object, **attributes: object) -> Html:
    """Return an element with its content and attributes.

    In names of attributes, ``_`` at the end is removed and others become ``-``. An attribute that is None or False is left out,
    True has no value.

    >>> element("a", "R&D", Html("<br>"), href="#x", class_="wide", data_kind="a\\"b", hidden=True, title=None)
    '<a href="#x" class="wide" data-kind="a&quot;b" hidden>R&amp;D<br></a>'
    """
    written = "".join(
        f" {name.rstrip('_').replace('_', '-')}" + ("" if value is True else f'="{text(value)}"')
        for name, value in attributes.items()
        if value is not None and value is not False
    )
    end = "" if tag in _VOID else f"</{tag}>"
    return Html(f"<{tag}{written}>{join(content)}{end}")


def inline_json(value: Any) -> Html:
    r"""Return JSON for a ``<script>`` element: no text in it can end the element or begin a comment.

    >>> inline_json({"word": "</script>"})
    '{"word":"\\u003c/script\\u003e"}'
    """
    written = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    codes = {ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}
    return Html(written.translate(codes))


def read_asset(name: str, package: str = "tagpool.views") -> str:
    """Return the text of a file of a package, such as the style sheet."""
    return (resources.files(package) / name).read_text(encoding="utf-8")


@functools.cache
def style() -> Html:
    """Return the style sheet of all views as an element."""
    lines = (line.strip() for line in read_asset("style.css").splitlines())
    return Html(f"<style>{''.join(lines)}</style>")


def fragment(*content: object) -> Html:
    """Return content with the style sheet, for the output of a notebook.

    >>> fragment("<").endswith('<div class="tp">&lt;</div>')
    True
    """
    return Html(style() + element("div", *content, class_="tp"))


def page(title: str, *content: object, script: str = "", data: Any = None) -> Html:
    """Return a document of one file. It forbids requests to other hosts by its own policy.

    ``script`` is JavaScript of the package, ``data`` is JSON for it, in the element ``#tp-data``.

    >>> page("a < b").splitlines()[0]
    '<!doctype html>'
    """
    head = [
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", title),
        style(),
    ]
    scripts = [] if data is None else [Html(f'<script type="application/json" id="tp-data">{inline_json(data)}</script>')]
    if script:
        scripts.append(Html(f"<script>{script}</script>"))
    body = element("body", *content, *scripts, class_="tp tp-page")
    return Html(f'<!doctype html>\n<html lang="en">\n<head>\n{join(head, chr(10))}\n</head>\n{body}\n</html>\n')


def table(
    headers: Iterable[object], rows: Iterable[Iterable[object]], *, left: int = 1, caption: object = None, hidden: bool = False
) -> Html:
    """Return a table whose first ``left`` columns are text and whose others are numbers.

    ``hidden`` shows it to screen readers only.

    >>> table(["type", "F1"], [["PER", "0.9"]]).count("<td")
    1
    """

    def cell(number: int, value: object, tag: str) -> Html:
        # The first cell of a row is its header, so that a screen reader can name the row.
        kind = "th" if tag == "td" and number == 0 and left else tag
        scope = None if kind == "td" else ("row" if tag == "td" else "col")
        return element(kind, value, class_=None if number < left else "tp-n", scope=scope)

    head = element("tr", *(cell(number, value, "th") for number, value in enumerate(headers)))
    body = [element("tr", *(cell(number, value, "td") for number, value in enumerate(row))) for row in rows]
    parts = [element("caption", caption)] if caption is not None else []
    whole = element("table", *parts, element("thead", head), element("tbody", *body))
    return element("div", whole, class_="tp-hidden" if hidden else "tp-wide", tabindex=None if hidden else "0")
