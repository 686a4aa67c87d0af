"""Reading and writing of files: gzip, encodings and standard streams."""

from __future__ import annotations

import contextlib
import gzip
import sys
import zlib
from codecs import CodecInfo, lookup
from collections.abc import Callable, Iterator
from os import PathLike
from pathlib import Path
from typing import BinaryIO

from tagpool import _native
from tagpool.corpus.whole_file import WholeFile
from tagpool.errors import InputError, OutOfMemoryError, OutputError, check_type
from tagpool.visible import make_visible

STANDARD_STREAM = "-"
_MARK = "\ufeff"
BYTE_ORDER_MARK = _MARK.encode()
ENCODING_OPTION = "--encoding latin-1"  # in messages about invalid UTF-8, also in those of native/text/conll.cpp
GZIP_MAGIC = b"\x1f\x8b"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
COMPRESSED_SUFFIXES = (".gz", ".zst")
_GZIP_WINDOW = 16 + zlib.MAX_WBITS  # zlib writes a gzip header without a time stamp: equal text, equal bytes
_standard_input_cache: tuple[BinaryIO, bytes] | None = None


def check_path(path: object) -> None:
    """Raise an InputError for a value that is no path."""
    check_type(path, (str, PathLike), "the path of a file")


def read_bytes(path: str | Path, *, encoding: str = "utf-8") -> bytes:
    """Return the bytes of a file, decompressed if gzip or Zstandard and converted from ``encoding`` to UTF-8.

    ``-`` is standard input. The readers check UTF-8: they can name the line.
    """
    check_path(path)
    source = source_name(path)
    with name_read_errors(source):
        data = _standard_input() if str(path) == STANDARD_STREAM else Path(path).read_bytes()
        if data.startswith(GZIP_MAGIC):
            data = gzip.decompress(data)
        elif data.startswith(ZSTD_MAGIC):
            from tagpool.corpus.zstandard import decompress

            data = decompress(data, source)
    return data if encoding.lower().replace("_", "-") in ("utf-8", "utf8") else _recode(data, encoding, source)


def plain_suffix(path: str | Path) -> str:
    """Return the suffix of a name, without that of its compression.

    >>> plain_suffix("a.tsv.gz")
    '.tsv'
    """
    name = Path(path)
    return Path(name.stem).suffix if name.suffix in COMPRESSED_SUFFIXES else name.suffix


def protect_mark(text: str) -> str:
    """Return the text of a file: a word at its beginning keeps its byte order mark, since readers remove the first one."""
    return f"{_MARK}{text}" if text.startswith(_MARK) else text


@contextlib.contextmanager
def name_read_errors(source: str) -> Iterator[None]:
    """Raise errors of reading a file as InputError with its name."""
    try:
        yield
    except InputError:
        raise
    except FileNotFoundError:
        raise InputError("there is no such file", source=source) from None
    except IsADirectoryError:
        raise InputError("expected a file, got a folder", source=source) from None
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise InputError(f"the gzip data is damaged or cut off: {error}", source=source) from None
    except MemoryError:
        raise OutOfMemoryError(f"not enough memory to read {source}") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL or a lone surrogate in the name
        raise InputError(f"reading failed: {getattr(error, 'strerror', None) or error}", source=source) from None


def _standard_input() -> bytes:
    """Return all of standard input. It is cached, since some callers count columns before they read."""
    global _standard_input_cache
    stream = sys.stdin.buffer
    if _standard_input_cache is None or _standard_input_cache[0] is not stream:
        _standard_input_cache = stream, stream.read()
    return _standard_input_cache[1]


def _recode(data: bytes, encoding: str, source: str) -> bytes:
    find_codec(encoding, source)
    try:
        return data.decode(encoding).encode()
    except UnicodeEncodeError:
        raise InputError(f"expected {encoding}, got a lone surrogate, which is no text", source=source) from None
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"expected {encoding}, got an invalid byte: {error.reason}", source=source, line=line) from None
    except ValueError as error:  # of a codec
        raise InputError(f"decoding as {encoding!r} failed: {error}", source=source) from None


def find_codec(encoding: str, source: str) -> CodecInfo:
    """Return the codec of a text encoding; raise an InputError for another name, also for codecs of bytes such as rot13."""
    try:
        codec = lookup(encoding)
        "".encode(encoding)  # raises LookupError for codecs that do not convert text to bytes
    except LookupError:
        raise InputError(f"unknown encoding {encoding!r}; try utf-8, latin-1, cp1252 or utf-16", source=source) from None
    except ValueError as error:  # a NUL in the name, or an error of the codec
        raise InputError(f"decoding as {encoding!r} failed: {error}", source=source) from None
    return codec


def read_utf8(path: str | Path, *, encoding: str = "utf-8") -> bytes:
    """Return the text of a file as UTF-8; invalid UTF-8 and NUL bytes are errors that name the line."""
    data = read_bytes(path, encoding=encoding).removeprefix(BYTE_ORDER_MARK)
    check_utf8(data, source_name(path))
    return data


def check_utf8(data: bytes, source: str, lines_before: int = 0) -> None:
    """Raise an error that names the first line with invalid UTF-8 or a NUL byte."""
    if _native.is_utf8(data) and b"\0" not in data:
        return
    for number, line in enumerate(data.split(b"\n"), lines_before + 1):
        if b"\0" in line:
            raise InputError("expected text, got a NUL byte; is this a binary or UTF-16 file?", source=source, line=number)
        if not _native.is_utf8(line):
            advice = f"convert the file, or name its encoding ({ENCODING_OPTION})"
            raise InputError(f"expected UTF-8; {advice}", source=source, line=number)


def decode_lines(data: bytes, source: str, lines_before: int = 0) -> list[str]:
    """Return the lines of UTF-8 text without their ends; invalid UTF-8 and NUL bytes are errors that name the line."""
    check_utf8(data, source, lines_before)
    # Not str.splitlines: it also splits at characters inside words of real corpora (U+0085, U+2028).
    text = (data if lines_before else data.removeprefix(BYTE_ORDER_MARK)).decode()
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    return lines if lines[-1] else lines[:-1]


def read_lines(path: str | Path, *, encoding: str = "utf-8") -> list[str]:
    """Return the lines of a text file without line ends."""
    return decode_lines(read_bytes(path, encoding=encoding), source_name(path))


def source_name(path: str | Path) -> str:
    """Return the name of a file for messages."""
    return "standard input" if str(path) == STANDARD_STREAM else str(path)


@contextlib.contextmanager
def open_output(path: str | Path) -> Iterator[Callable[[bytes], None]]:
    """Open a file and give a function that writes to it. ``.gz`` and ``.zst`` are compressed, ``-`` is standard output.

    The file is complete or absent: it is written through a temporary one.
    """
    if str(path) == STANDARD_STREAM:
        yield _write_standard_output
        return
    suffix = Path(path).suffix
    if suffix == ".zst":
        from tagpool.corpus.zstandard import create_compressor

        zstd = create_compressor(str(path))
    with WholeFile(path) as file:
        if suffix not in COMPRESSED_SUFFIXES:
            yield file.write
            return
        compressor = zstd if suffix == ".zst" else zlib.compressobj(wbits=_GZIP_WINDOW)
        yield lambda data: file.write(compressor.compress(data))
        file.write(compressor.flush())


def write_text(path: str | Path, text: str) -> None:
    """Write a text to a file, as :func:`open_output` does."""
    data = text.encode()  # an error leaves a file unchanged
    with open_output(path) as write:
        write(data)


def _write_standard_output(data: bytes) -> None:
    """Write UTF-8 in every locale, and flush; a stream without a buffer (in tests and notebooks) gets text.

    A terminal displays control characters, and does not execute them.
    """
    try:
        if sys.stdout.isatty():
            data = make_visible(data.decode("utf-8", "backslashreplace")).encode()
        binary = getattr(sys.stdout, "buffer", None)
        if binary is None:
            sys.stdout.write(data.decode())
        else:
            sys.stdout.flush()
            _write_all(binary, data)
        sys.stdout.flush()
    except BrokenPipeError:
        raise  # the reader has closed the pipe (| head): the command line exits silently
    except OSError as error:
        raise OutputError(f"standard output: writing failed: {error.strerror or error}") from None


def _write_all(stream: BinaryIO, data: bytes) -> None:
    """Write all of the data: without a buffer (``python -u``) one call may write a part, such as up to the end of a disk."""
    rest = memoryview(data)
    while rest:
        rest = rest[stream.write(rest) :]


def write_bytes(path: str | Path, data: bytes) -> None:
    """Write bytes through a temporary file; they are not compressed."""
    with WholeFile(path) as file:
        file.write(data)
