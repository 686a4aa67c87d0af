"""Files in and out: gzip, encodings and standard streams on the way in, whole files or nothing on the way out."""

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
_read_before: tuple[BinaryIO, bytes] | None = None  # standard input and what it held


def read_bytes(path: str | Path, *, encoding: str = "utf-8") -> bytes:
    """The bytes of a file, decompressed if gzip, as UTF-8 whatever ``encoding`` they were in. ``-`` is standard input.

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
        raise InputError(f"cannot be read: {getattr(error, 'strerror', None) or error}", source=source) from None
    if data.startswith(_GZIP_MAGIC):
        try:
            data = gzip.decompress(data)
        except (EOFError, OSError, zlib.error) as error:
            raise InputError(f"the gzip data is damaged or cut off: {error}", source=source) from None
    return data if encoding.lower().replace("_", "-") in ("utf-8", "utf8") else _recode(data, encoding, source)


def _standard_input() -> bytes:
    """All of it, also when it is asked for again: some look at a file's columns before they read it."""
    global _read_before
    stream = sys.stdin.buffer
    if _read_before is None or _read_before[0] is not stream:
        _read_before = stream, stream.read()
    return _read_before[1]


def _recode(data: bytes, encoding: str, source: str) -> bytes:
    try:
        return data.decode(encoding).encode()
    except UnicodeEncodeError:
        raise InputError(f"expected {encoding}, got a lone surrogate, which is no text", source=source) from None
    except LookupError:
        raise InputError(f"unknown encoding {encoding!r}; try utf-8, latin-1, cp1252 or utf-16", source=source) from None
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"expected {encoding}, got a byte that is none: {error.reason}", source=source, line=line) from None
    except ValueError as error:  # a NUL in the encoding's name, or a codec that fails in its own way
        raise InputError(f"cannot be read as {encoding!r}: {error}", source=source) from None


def read_utf8(path: str | Path, *, encoding: str = "utf-8") -> bytes:
    """The text of a file as UTF-8; bad UTF-8 and NUL bytes are errors that name the line."""
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
    """The lines of a text file without their ends."""
    # Not str.splitlines: it also splits at characters that stand inside words of real corpora (U+0085, U+2028).
    lines = [line.removesuffix("\r") for line in read_utf8(path, encoding=encoding).decode().split("\n")]
    if lines and not lines[-1]:
        lines.pop()
    return lines


def source_name(path: str | Path) -> str:
    """How a file is called in messages."""
    return "standard input" if str(path) == STANDARD_STREAM else str(path)


def write_text(path: str | Path, text: str) -> None:
    """Writes a whole file or nothing: to a temporary file beside it, then renamed.

    ``.gz`` is compressed, ``-`` is standard output.
    """
    if str(path) == STANDARD_STREAM:
        _write_standard_output(text)
        return
    target = Path(path)
    data = text.encode()
    if target.suffix == ".gz":
        data = gzip.compress(data, mtime=0)  # no time stamp: equal text, equal bytes
    write_bytes(target, data)


def _write_standard_output(text: str) -> None:
    """UTF-8 whatever the locale, as files are; a stream that takes only text (a test's, a notebook's) gets text."""
    try:
        binary = getattr(sys.stdout, "buffer", None)
        if binary is None:
            sys.stdout.write(text)
        else:
            sys.stdout.flush()
            binary.write(text.encode())
        sys.stdout.flush()
    except BrokenPipeError:
        raise  # the reader has had enough (| head): the command line ends quietly
    except OSError as error:
        raise OutputError(f"standard output: cannot be written: {error.strerror or error}") from None


def write_bytes(path: str | Path, data: bytes) -> None:
    """Like :func:`write_text`, for bytes as they are."""
    with WholeFile(path) as file:
        file.write(data)
