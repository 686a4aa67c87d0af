"""The documentation site: all pages are listed, and the generated ones have every public name, option and message."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from documentation import sources
from documentation.api_pages import grouped, undocumented
from documentation.command_pages import command_pages
from documentation.messages import anchor_of, area_of, messages, native_messages, placeholder, texts

import tagpool

PAGES = {path.relative_to(sources.DOCS).as_posix(): path.read_text() for path in sources.DOCS.rglob("*.md")}


def pages_of(text: str) -> set[str]:
    return {page.strip("<>") for page in re.findall(r"<[^>\n]+>$", text, re.MULTILINE)}


def test_an_index_lists_the_links_of_its_lists() -> None:
    text = "# Part\n\nSee [other](other.md).\n\n- [One](one.md): see [two](two.md)\n\n## Group\n\n- [`Three`](a/three.md)\n"
    whole = sources.with_contents("part/index.md", text)
    assert pages_of(whole) == {"one", "a/three"}
    assert ":caption: Group\n\nThree <a/three>\n" in whole
    assert sources.with_contents("part/page.md", text) == text


def test_every_page_is_listed() -> None:
    listed = {"index.md"}
    for name in [name for name in PAGES if Path(name).name == "index.md"]:
        contents = pages_of(sources.with_contents(name, PAGES[name].replace(sources.GENERATED, "")))
        listed |= {sources.joined(name, f"{page}.md") for page in contents}
    assert sorted(PAGES.keys() - listed) == []


def test_links_to_the_root_of_the_repository_lead_into_the_site() -> None:
    text = "[x](../../SECURITY.md#a) [y](kernels.md) [z](https://x.org/SECURITY.md)"
    assert (
        sources.relocated(text, "docs/project/policy.md") == "[x](security.md#a) [y](kernels.md) [z](https://x.org/SECURITY.md)"
    )
    assert sources.relocated("[x](docs/reference/pools.md)", "CHANGELOG.md") == "[x](../reference/pools.md)"


def test_every_public_name_is_documented_in_the_reference() -> None:
    names = [name for page in grouped().values() for name in page]
    assert sorted(names) == sorted(set(tagpool.__all__) - {"__version__"})
    assert undocumented() == []


def test_every_option_is_in_the_reference() -> None:
    pages = command_pages()
    assert ".. option:: --robust KINDS\n" in pages["train"]
    assert ".. program:: tagpool pool fit\n" in pages["pool"]
    assert ".. option:: --tune auto|off\n\n    auto: choose the l2 penalty on ``--dev``" in pages["train"]


def test_messages_have_their_texts_and_an_anchor_each() -> None:
    everything = messages()
    by_text = {message.text: message for message in everything}
    missing = [message for message in everything if message.text == "there is no such file"]
    assert ("InputError", 2) in {(message.error, message.exit_code) for message in missing}
    assert {message.exit_code for message in everything if message.error in {"OutputError", "TrainingError"}} == {1}
    assert by_text["the gzip data is damaged or cut off: {error}"].module == "corpus/files.py"
    assert by_text["damaged model: more than 65,535 labels"].module.startswith("native/")
    taken: set[str] = set()
    anchors = [anchor_of(message.text, taken) for message in everything]
    assert len(set(anchors)) == len(anchors)
    with pytest.raises(LookupError, match="belongs to no page"):
        area_of("elsewhere/new.py")


def test_texts_of_expressions() -> None:
    def expression(code: str) -> ast.expr:
        return ast.parse(code, mode="eval").body

    counts = """f"{path}: expected {counted(len(rows), 'row')}, got {len(other)}\""""
    assert texts(expression(counts), {}) == ["{path}: expected {number} rows, got {number}"]
    assert texts(expression("'a ' + ('b' if x else 'c')"), {}) == ["a b", "a c"]
    assert texts(expression("message"), {"message": [expression("'wrong'")]}) == ["wrong"]
    assert placeholder(expression("', '.join(map(repr, self._names))")) == "names"
    code = 'throw InputFault(concat("row ", row, " has ", cells.size(), " cells, expected 4"), line);'
    assert native_messages(code) == ["row {row} has {number} cells, expected 4"]
