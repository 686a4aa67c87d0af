"""Texts of HTML, with the offsets of Label Studio: those of the text nodes of a page, in UTF-16 units; ``<br>`` is one unit."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html.parser import HTMLParser

from tagpool.corpus.annotations.annotation import Place

_BLOCK = re.compile(
    "address|article|aside|blockquote|body|caption|dd|details|div|dl|dt|fieldset|figcaption|figure|footer|form|h[1-6]|header|hr|"
    "html|li|main|nav|ol|p|pre|section|summary|table|tbody|td|tfoot|th|thead|title|tr|ul"
)
_HIDDEN = ("head", "script", "style")
_HTML = re.compile(r"\s*(<!doctype\b|<([a-z][a-z0-9]*)\b[^<>]*>.*</\2\s*>\s*\Z)", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True)
class HtmlText:
    """The text of a page, where a block is a line, and the place of each unit of its text nodes."""

    text: str
    places: list[int]

    def span(self, start: int, end: int) -> Place | None:
        """Return the characters at offsets; None if the text is shorter."""
        return (self.places[start], self.places[end - 1] + 1) if 0 <= start < end <= len(self.places) else None


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.letters: list[str] = []
        self.places: list[int] = []
        self._open = {"pre": 0, **dict.fromkeys(_HIDDEN, 0)}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        if tag == "br":
            self._add("\n")
        self._end_line(tag)
        if tag in self._open:
            self._open[tag] += 1

    def handle_endtag(self, tag: str) -> None:
        self._end_line(tag)
        if self._open.get(tag):
            self._open[tag] -= 1

    def handle_data(self, data: str) -> None:
        if any(self._open[tag] for tag in _HIDDEN):
            return
        for letter in data:
            self._add(" " if letter in "\t\r\n" and not self._open["pre"] else letter)

    def _add(self, letter: str) -> None:
        self.places += [len(self.letters)] * (2 if ord(letter) > 0xFFFF else 1)
        self.letters.append(letter)

    def _end_line(self, tag: str) -> None:
        """Separate blocks by a line end, which has no offset."""
        if _BLOCK.fullmatch(tag) and self.letters and self.letters[-1] != "\n":
            self.letters.append("\n")


def is_html(text: str) -> bool:
    """Return whether a text is inside a tag, or declares its type.

    >>> is_html("<p>Ann left</p>"), is_html("a < b")
    (True, False)
    """
    return _HTML.match(text) is not None


def read_html(text: str) -> HtmlText:
    r"""Return the text of HTML without tags.

    >>> html = read_html("<p>Ann &amp; <b>Bob</b></p><p>left</p>")
    >>> html.text, html.text[slice(*html.span(9, 13))]
    ('Ann & Bob\nleft\n', 'left')
    """
    reader = _Reader()
    reader.feed(text)
    reader.close()
    return HtmlText("".join(reader.letters), reader.places)
