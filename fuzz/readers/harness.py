"""Support of the Python targets: fuzzing with atheris, with TagpoolError as the only error that a target may raise."""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
REPLAY = "TAGPOOL_REPLAY" in os.environ  # run stored inputs once, to measure line coverage
if not REPLAY:
    import atheris

_folder = tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None)


def instrument() -> AbstractContextManager[None]:
    """Instrument the modules of the package that are imported inside."""
    return contextlib.nullcontext() if REPLAY else atheris.instrument_imports(include=["tagpool"])


with instrument():
    from tagpool.compat.conversion import ChainWeights
    from tagpool.errors import InputError, TagpoolError


def file_of(data: bytes, name: str = "input") -> Path:
    """Write a file, since readers accept paths, and return its path."""
    path = Path(_folder.name, name)
    path.write_bytes(data)
    return path


def text_of(data: bytes) -> str:
    """Return bytes as text; invalid bytes become lone surrogates, as in file names."""
    return data.decode("utf-8", "surrogateescape")


def fuzz(check: Callable[[bytes], None], *, model_files: bool = False) -> None:
    """Call ``check`` with mutated inputs; ``model_files`` selects the mutator of model files."""

    def run(data: bytes) -> None:
        try:
            check(data)
        except TagpoolError as error:
            str(error)

    if REPLAY:
        for path in (path for folder in sys.argv[1:] for path in Path(folder).iterdir()):
            with contextlib.suppress(Exception):
                run(path.read_bytes())
        return
    options = {"custom_mutator": _model_mutator()} if model_files else {}
    atheris.Setup(sys.argv, run, **options)
    atheris.Fuzz()


def read_again(read: Callable[[], Any]) -> Any:
    """Return the result of reading what was written, which may not be refused."""
    try:
        return read()
    except TagpoolError as error:
        raise AssertionError(f"written, but refused: {error}") from error


def check_conversions(weights: ChainWeights, origin: str) -> None:
    """Convert the weights of a model of another tool to all formats, which are valid or refused."""
    for convert in (weights.to_crfsuite, weights.to_wapiti, lambda: weights.to_expert(origin)):
        with contextlib.suppress(InputError):
            convert()


def _model_mutator() -> Callable[[bytes, int, int], bytes]:
    library = ctypes.CDLL(os.environ["TAGPOOL_MUTATOR"])

    def mutate(data: bytes, max_size: int, seed: int) -> bytes:
        buffer = ctypes.create_string_buffer(data, max(max_size, len(data)))
        size = library.LLVMFuzzerCustomMutator(buffer, ctypes.c_size_t(len(data)), ctypes.c_size_t(max_size), ctypes.c_uint(seed))
        return buffer.raw[:size]

    return mutate


def choose(data: bytes, count: int) -> tuple[int, bytes]:
    """Return a number below ``count`` from the first byte, and the other bytes."""
    return (data[0] % count if data else 0), data[1:]
