"""Fragments are escaped: text of a corpus never becomes markup."""

from __future__ import annotations

import json
import math
import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagpool.views.explanation import Evidence, MemberVote, evidence_details, vote_table
from tagpool.views.html import element, inline_json, page, style
from tagpool.views.plots import Axis, heat_map, line_plot
from tagpool.views.sentence import show

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onload='x",
    "&lt;",
    "\u202eevil",
    "a\0b",
    "]]>",
    "--",
]
TEXTS = st.one_of(st.sampled_from(HOSTILE), st.text(max_size=8))


class Reader(HTMLParser):
    """The elements, attributes and text of a document."""

    def __init__(self, document: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[str] = []
        self.open: list[str] = []
        self.texts: list[str] = []
        self.feed(document)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs]
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open[-1] == "path" != tag:  # empty elements of SVG
            self.open.pop()
        assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def assert_harmless(document: str) -> None:
    reader = Reader(document)
    assert not reader.open
    assert not {"script", "img"} & set(reader.tags)
    assert not [name for name in reader.attributes if name.startswith("on")]


@given(TEXTS, TEXTS)
def test_text_and_attributes_survive_a_round_trip(content: str, value: str) -> None:
    reader = Reader(element("b", content, title=value))
    assert reader.tags == ["b"]
    assert reader.attributes == ["title"]


@given(st.lists(st.tuples(TEXTS, st.sampled_from(["O", "B-", "I-"]), TEXTS, st.sampled_from(["O", "B-", "I-"])), max_size=6))
def test_no_view_of_a_sentence_lets_markup_through(tokens: list[tuple[str, str, str, str]]) -> None:
    words = [word for word, *_ in tokens]
    labels = [letter if letter == "O" else letter + word for word, letter, *_ in tokens]
    gold = [letter if letter == "O" else letter + kind for _, _, kind, letter in tokens]
    assert_harmless(show(words, labels, gold=gold).html())


def test_no_other_view_lets_markup_through() -> None:
    for bad in HOSTILE:
        assert_harmless(evidence_details([Evidence(bad, 1.0)], label=bad, instead=bad))
        assert_harmless(vote_table([MemberVote(bad, bad, 0.5, 1.0)], label=bad, gold="x"))
        assert_harmless(heat_map(bad, [bad], [bad], [[1]]))
        assert_harmless(line_plot(bad, {bad: [(0, 0)], "x": [(1, 1)]}, Axis(bad), Axis(bad)))


def test_json_stays_inside_its_element() -> None:
    for bad in HOSTILE:
        written = inline_json([bad, "<!--", "\u2028"])
        assert json.loads(written) == [bad, "<!--", "\u2028"]
        assert not set("<>&\u2028") & set(written)


def test_a_page_asks_for_nothing() -> None:
    document = page("title", "text", script="1", data={"a": "</script>"})
    assert "default-src &#x27;none&#x27;" in document
    assert "http" not in document.replace("http-equiv", "")
    assert "url(" not in style()
    assert "@import" not in style()


@pytest.mark.parametrize("name", ["a", "PER", "a long name of a type"])
def test_names_of_columns_are_below_the_upper_edge(name: str) -> None:
    html = heat_map("Types", [name], [name], [[1]])
    [(place, angle)] = re.findall(r"translate\([\d.]+ ([\d.]+)\) rotate\((-\d+)\)", html)
    shown = re.findall(r"</title>([^<]+)</text>", html)[0]
    radians = math.radians(-int(angle))
    assert float(place) >= len(shown) * 7 * 0.75 * math.sin(radians) + 11 * math.cos(radians)
