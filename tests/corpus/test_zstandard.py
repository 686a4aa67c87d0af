"""Files compressed with Zstandard: read and written as others, in any number of frames."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import zstandard

from tagpool import InputError, builtin_corpus, read_corpus, write_corpus
from tagpool.corpus.blocks import Blocks
from tagpool.corpus.formats import format_of
from tagpool.corpus.zstandard import decompress

TEXT = b"Ann B-PER\nleft O\n\n" * 5000


def test_formats_come_back(tmp_path: Path) -> None:
    corpus = builtin_corpus(30)
    for name in ("x.conll.zst", "x.jsonl.zst"):
        write_corpus(corpus, tmp_path / name)
        data = (tmp_path / name).read_bytes()
        assert zstandard.ZstdDecompressor().decompressobj().decompress(data)
        assert read_corpus(tmp_path / name) == corpus
        write_corpus(corpus, tmp_path / name)
        assert (tmp_path / name).read_bytes() == data
    assert format_of("a.jsonl.zst").value == "jsonl"


def test_frames_follow_each_other(tmp_path: Path) -> None:
    compress = zstandard.ZstdCompressor().compress
    data = compress(TEXT[:40000]) + compress(b"") + compress(TEXT[40000:])
    assert decompress(data, "x") == TEXT
    path = tmp_path / "x.conll.zst"
    path.write_bytes(data)
    assert b"".join(block.text for block in Blocks(path)) == TEXT


@pytest.mark.parametrize("cut", [1, 5, 20])
def test_damaged_files(tmp_path: Path, cut: int) -> None:
    data = zstandard.ZstdCompressor().compress(TEXT)
    path = tmp_path / "x.conll.zst"
    path.write_bytes(data[:-cut])
    with pytest.raises(InputError, match=r"x.conll.zst: the Zstandard data is cut off"):
        read_corpus(path)
    with pytest.raises(InputError, match=r"x.conll.zst: the Zstandard data is cut off"):
        list(Blocks(path))
    path.write_bytes(data[:4] + b"\xff\xff" + data[6:])
    with pytest.raises(InputError, match=r"x.conll.zst: the Zstandard data is damaged"):
        read_corpus(path)


def test_without_the_library_the_error_names_the_extra(tmp_path: Path) -> None:
    write_corpus(builtin_corpus(2), tmp_path / "x.conll.zst")
    code = (
        "import sys; sys.modules['zstandard'] = None; sys.modules['compression'] = None; import tagpool\n"
        "try: tagpool.read_corpus(sys.argv[1])\nexcept tagpool.InputError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code, tmp_path / "x.conll.zst"], capture_output=True, text=True, check=True)
    assert ".zst files need Zstandard; pip install 'tagpool[zstd]'" in done.stdout
