"""Blocks of a stream: complete sentences, in order, with the number of lines before them."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagpool import InputError
from tagpool.corpus.files import open_output
from tagpool.tagging import blocks as blocks_module
from tagpool.tagging.blocks import Block, Blocks


def read_blocks(path: Path, size: int, **options: bool) -> list[Block]:
    before, blocks_module._SIZE = blocks_module._SIZE, size
    try:
        return list(Blocks(path, **options))
    finally:
        blocks_module._SIZE = before


@given(
    st.lists(st.sampled_from([b"a\n", b"b c\n", b"\n", b"\r\n", b" \n", b"x\r\n", b"-DOCSTART-\n", b"# newdoc\n"]), max_size=30),
    st.sampled_from([1, 5, 17, 1 << 20]),
    st.sampled_from([{}, {"by_line": True}, {"by_document": True}]),
    st.booleans(),
)
def test_blocks_are_the_whole_file(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], size: int, options: dict[str, bool], compressed: bool
) -> None:
    content = b"".join(lines)
    path = tmp_path_factory.getbasetemp() / "blocks"
    path.write_bytes(gzip.compress(content) if compressed else content)
    blocks = read_blocks(path, size, **options)
    assert b"".join(block.text for block in blocks) == content
    assert all(block.text for block in blocks)
    for number, block in enumerate(blocks):
        assert block.lines_before == b"".join(item.text for item in blocks[:number]).count(b"\n")
        if number + 1 < len(blocks) and not options.get("by_document"):
            assert block.text.endswith(b"\n")
            assert options.get("by_line") or block.text.split(b"\n")[-2].strip() == b"", "a sentence is not cut"


def test_a_document_is_not_cut(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"a\n\nb\n\n-DOCSTART-\n\nc\n\nd\n\n-DOCSTART-\n\ne\n\n")
    assert [block.text for block in read_blocks(tmp_path / "x", 4, by_document=True)] == [
        b"a\n\n",
        b"b\n\n",
        b"-DOCSTART-\n\nc\n\nd\n\n",
        b"-DOCSTART-\n\ne\n\n",
    ]


def test_a_sentence_that_is_too_long_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks_module, "_LONGEST", 20)
    (tmp_path / "x").write_bytes(b"a\n\n" + b"b\n" * 20)
    with pytest.raises(InputError, match=r"x:3: no blank line between sentences in 2[0-9] bytes"):
        read_blocks(tmp_path / "x", 4)
    (tmp_path / "x").write_bytes(b"b" * 40)
    with pytest.raises(InputError, match=r"x:1: no line end in 2[0-9] bytes"):
        read_blocks(tmp_path / "x", 4, by_line=True)


def test_other_encodings_become_utf8(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes("Zoë\n\nÅse\n".encode("utf-16"))
    assert b"".join(block.text for block in Blocks(tmp_path / "x", encoding="utf-16")).decode() == "Zoë\n\nÅse\n"
    (tmp_path / "x").write_bytes(b"\xff")
    with pytest.raises(InputError, match="expected ascii"):
        list(Blocks(tmp_path / "x", encoding="ascii"))
    with pytest.raises(InputError, match="unknown encoding 'klingon'"):
        Blocks(tmp_path / "x", encoding="klingon")


def test_lines_have_the_numbers_of_the_file() -> None:
    assert list(Block(b"a\r\n\nb", 7).lines("x")) == [(8, "a"), (9, ""), (10, "b")]
    assert list(Block("\ufeffa\n\ufeffb".encode(), 0).lines("x")) == [(1, "a"), (2, "\ufeffb")]
    with pytest.raises(InputError, match="x:9: expected UTF-8"):
        list(Block(b"a\n\xff", 7).lines("x"))
    with pytest.raises(InputError, match="x:8: expected text, got a NUL byte"):
        list(Block(b"\0", 7).lines("x"))


def test_a_file_is_complete_or_absent(tmp_path: Path) -> None:
    for name in ("x", "x.gz"):
        with open_output(tmp_path / name) as write:
            write(b"one ")
            write(b"two")
        content = (tmp_path / name).read_bytes()
        assert (gzip.decompress(content) if name.endswith("gz") else content) == b"one two"

    def interrupt() -> None:
        with open_output(tmp_path / "y") as write:
            write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupt()
    assert sorted(item.name for item in tmp_path.iterdir()) == ["x", "x.gz"]
