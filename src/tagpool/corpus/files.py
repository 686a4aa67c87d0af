"""Files in and out: gzip, encodings and standard streams."""

from __future__ import annotations

import gzip
import sys
import zlib
from pathlib import Path
from typing import BinaryIO

from tagpool import _native
from tagpool.corpus.whole_file import WholeFile
from tagpool.errors import InputError, OutputError

STANDARD_STREAM = "-"
_GZIP_MAGIC = b"\x1f\x8b"
_standard_input_cache: tuple[BinaryIO, bytes] | None = None


def read_bytes(path: str | Path, *, encoding: str = "utf-8") -> bytes:
    """Return the bytes of a file, decompressed if gzip and converted from ``encoding`` to UTF-8. ``-`` is standard input.

    UTF-8 itself is not checked here: the readers do, and can name the line.
    """
    source = source_name(path)
    try:
        data = _standard_input() if str(path) == STANDARD_STREAM else Path(path).read_bytes()
    except FileNotFoundError:
        raise InputError("there is no such file", source=source) from None
    except IsADirectoryError:
        raise InputError("expected a file, got a folder", source=source) from None
    except (OSError, ValueError) as error:  # ValueError: a NUL or a lone surrogate in the name
        raise InputError(f"reading failed: {getattr(error, 'strerror', None) or error}", source=source) from None
    if data.startswith(_GZIP_MAGIC):
        try:
            data = gzip.decompress(data)
        except (EOFError, OSError, zlib.error) as error:
            raise InputError(f"the gzip data is damaged or cut off: {error}", source=source) from None
    return data if encoding.lower().replace("_", "-") in ("utf-8", "utf8") else _recode(data, encoding, source)


def _standard_input() -> bytes:
    """Return all of standard input. It is cached, since some callers count columns before they read."""
    global _standard_input_cache
    stream = sys.stdin.buffer
    if _standard_input_cache is None or _standard_input_cache[0] is not stream:
        _standard_input_cache = stream, stream.read()
    return _standard_input_cache[1]


def _recode(data: bytes, encoding: str, source: str) -> bytes:
    try:
        return data.decode(encoding).encode()
    except UnicodeEncodeError:
        raise InputError(f"expected {encoding}, got a lone surrogate, which is no text", source=source) from None
    except LookupError:
        raise InputError(f"unknown encoding {encoding!r}; try utf-8, latin-1, cp1252 or utf-16", source=source) from None
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"expected {encoding}, got an invalid byte: {error.reason}", source=source, line=line) from None
    except ValueError as error:  # a NUL in the encoding's name, or an error of a codec
        raise InputError(f"decoding as {encoding!r} failed: {error}", source=source) from None


def read_utf8(path: str | Path, *, encoding: str = "utf-8") -> bytes:
    """Return the text of a file as UTF-8; invalid UTF-8 and NUL bytes are errors that name the line."""
    source = source_name(path)
    data = read_bytes(path, encoding=encoding).removeprefix(b"\xef\xbb\xbf")
    if not _native.is_utf8(data) or b"\0" in data:
        for number, line in enumerate(data.split(b"\n"), 1):
            if b"\0" in line:
                raise InputError("expected text, got a NUL byte; is this a binary or UTF-16 file?", source=source, line=number)
            if not _native.is_utf8(line):
                raise InputError(
                    "expected UTF-8; convert the file, or name its encoding (--encoding latin-1)", source=source, line=number
                )
    return data


def read_lines(path: str | Path, *, encoding: str = "utf-8") -> list[str]:
    """Return the lines of a text file without line ends."""
    # Not str.splitlines: it also splits at characters inside words of real corpora (U+0085, U+2028).
    lines = [line.removesuffix("\r") for line in read_utf8(path, encoding=encoding).decode().split("\n")]
    if lines and not lines[-1]:
        lines.pop()
    return lines


def source_name(path: str | Path) -> str:
    """Return the name of a file for messages."""
    return "standard input" if str(path) == STANDARD_STREAM else str(path)


def write_text(path: str | Path, text: str) -> None:
    """Write a file through a temporary one, so that no partial file is left. ``.gz`` is compressed, ``-`` is standard output."""
    if str(path) == STANDARD_STREAM:
        _write_standard_output(text)
        return
    target = Path(path)
    data = text.encode()
    if target.suffix == ".gz":
        data = gzip.compress(data, mtime=0)  # no time stamp: equal text, equal bytes
    write_bytes(target, data)


def _write_standard_output(text: str) -> None:
    """Write UTF-8 whatever the locale; a stream without a buffer (in tests and notebooks) gets the text."""
    try:
        binary = getattr(sys.stdout, "buffer", None)
        if binary is None:
            sys.stdout.write(text)
        else:
            sys.stdout.flush()
            binary.write(text.encode())
        sys.stdout.flush()
    except BrokenPipeError:
        raise  # the reader has closed the pipe (| head): the command line exits silently
    except OSError as error:
        raise OutputError(f"standard output: writing failed: {error.strerror or error}") from None


def write_bytes(path: str | Path, data: bytes) -> None:
    """Write bytes through a temporary file, as :func:`write_text` does."""
    with WholeFile(path) as file:
        file.write(data)
