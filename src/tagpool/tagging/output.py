"""Output of tagged text: standard output at once, or a file that is complete or absent."""

from __future__ import annotations

import contextlib
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

from tagpool.corpus.files import STANDARD_STREAM
from tagpool.corpus.whole_file import WholeFile
from tagpool.errors import OutputError

_GZIP = 16 + zlib.MAX_WBITS


@contextlib.contextmanager
def opened(path: Path) -> Iterator[Callable[[bytes], None]]:
    """Gives a function that writes; files with a name in ``.gz`` are compressed."""
    if str(path) == STANDARD_STREAM:
        yield _write_standard_output
        return
    with WholeFile(path) as file:
        if path.suffix != ".gz":
            yield file.write
            return
        compressor = zlib.compressobj(wbits=_GZIP)  # zlib writes a gzip header without a time stamp
        yield lambda data: file.write(compressor.compress(data))
        file.write(compressor.flush())


def _write_standard_output(data: bytes) -> None:
    """Writes and flushes, so that the next command in a pipe can begin."""
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise  # the reader closed the pipe (| head)
    except OSError as error:
        raise OutputError(f"standard output: writing failed: {error.strerror or error}") from None
