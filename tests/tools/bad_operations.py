"""Operations with planted mistakes, which fault injection must find."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from operation import FOLDERS, Call
from tagpool import _native

leaked: list[object] = []


def prepare(folder: Path) -> None:
    for name in FOLDERS:
        (folder / name).mkdir()


def write_in_place(folder: Path) -> Callable[[], None]:
    def run() -> None:
        with (folder / "out" / "file").open("wb") as file:
            file.write(b"new")

    return run


def leave_temporary(folder: Path) -> Callable[[], None]:
    def run() -> None:
        (folder / "out" / ".new").write_bytes(b"new")
        (folder / "out" / ".new").rename(folder / "out" / "file")

    return run


def ignore_failure(folder: Path) -> Callable[[], int]:
    def run() -> int:
        try:
            return len((folder / "out" / "file").read_bytes())
        except OSError:
            return -1
        finally:
            (folder / "out" / "file").write_bytes(b"new")

    return run


def crash(_: Path) -> Callable[[], None]:
    def run() -> None:
        try:
            _native.WordLexicon().add("a" * 100, "b" * 100)
        except MemoryError:
            os.abort()

    return run


def leak(_: Path) -> Callable[[], None]:
    def run() -> None:
        lexicon = _native.WordLexicon()
        try:
            lexicon.add("a" * 100, "b" * 100)
        except MemoryError:
            leaked.append(_native.WordFunction([_native.Step("lower")]))
            raise

    return run


def raise_another_error(_: Path) -> Callable[[], None]:
    def run() -> None:
        try:
            _native.WordLexicon().add("a" * 100, "b" * 100)
        except MemoryError:
            raise KeyError("a") from None

    return run


def keep_open(folder: Path) -> Callable[[], None]:
    def run() -> None:
        handle = os.open(folder / "out" / "file", os.O_WRONLY | os.O_TRUNC)
        os.write(handle, b"new")  # an error leaves the file open
        os.close(handle)

    return run


OPERATIONS = {
    "in place": Call(write_in_place, "file"),
    "temporary": Call(leave_temporary, "file"),
    "ignored": Call(ignore_failure, "file"),
    "crash": Call(crash),
    "leak": Call(leak),
    "error": Call(raise_another_error),
    "open": Call(keep_open, "file"),
}
