"""Blocks of a stream: complete sentences, in order, with the number of lines before them."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagpool import InputError
from tagpool.corpus import blocks as blocks_module
from tagpool.corpus.blocks import Block, Blocks
from tagpool.corpus.files import open_output


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
    with pytest.raises(InputError, match=r"x:3: no blank line between sentences in 2[0-9] bytes; divide the sentence"):
        read_blocks(tmp_path / "x", 4)
    (tmp_path / "x").write_bytes(b"b" * 40)
    with pytest.raises(InputError, match=r"x:1: no line end in 2[0-9] bytes; divide the line"):
        read_blocks(tmp_path / "x", 4, by_line=True)


def test_a_sentence_that_is_too_long_is_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks_module, "_LONGEST", 20)
    for content, options in (
        (b"a\n\n" + b"b\n" * 30 + b" \r\nc\n\nd\n", {}),
        (b"a\n" + b"b" * 60 + b"\nc\nd\n", {"by_line": True}),
    ):
        (tmp_path / "x").write_bytes(content)
        for size in (1, 3, 7, 30):
            blocks = read_blocks(tmp_path / "x", size, keep_going=True, **options)
            good = [block for block in blocks if block.text]
            (error,) = (block.error for block in blocks if block.error is not None)
            assert error.line == content.count(b"\n", 0, content.index(b"b")) + 1
            after = content[content.index(b"c") :]
            assert b"".join(block.text for block in good) == content[: content.index(b"b")] + after
            for block in good:
                place = content.index(block.text)
                assert block.lines_before == content.count(b"\n", 0, place)


def test_pending_text_is_searched_once(tmp_path: Path) -> None:
    """Count the bytes that searches of the pending text read: linear, however many pieces a pipe has."""

    class Counted(bytearray):
        searched = 0

        def rfind(self, what: bytes, begin: int = 0) -> int:  # type: ignore[override]
            Counted.searched += len(self) - begin
            return super().rfind(what, begin)

    for by_line, unit in ((True, b"x"), (False, b"x\n"), (False, b"xxxxxxx")):
        Counted.searched = 0
        blocks = Blocks(tmp_path / "x", by_line=by_line)
        pending = Counted()
        for _ in range(1000):
            pending += unit
            assert blocks._last_end(pending) == 0
        assert Counted.searched <= 10 * len(pending)


def test_other_encodings_become_utf8(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes("Zoë\n\nÅse\n".encode("utf-16"))
    assert b"".join(block.text for block in Blocks(tmp_path / "x", encoding="utf-16")).decode() == "Zoë\n\nÅse\n"
    (tmp_path / "x").write_bytes(b"\xff")
    (block,) = Blocks(tmp_path / "x", encoding="ascii")
    with pytest.raises(InputError, match=r"^x:1: expected UTF-8"):
        list(block.lines("x"))
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
