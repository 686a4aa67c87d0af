"""Parquet files, read and written with pyarrow (``tagpool[arrow]``). Their columns are those of :mod:`tagpool.corpus.arrow`."""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tagpool import _native
from tagpool.corpus.arrow import Columns, read_table
from tagpool.corpus.class_labels import class_names, with_names
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.files import STANDARD_STREAM, open_output, read_bytes, source_name
from tagpool.errors import InputError, OutputError


def read_parquet(path: str | Path, *, columns: Columns | None = None) -> Corpus:
    """Read a corpus; ``columns`` names the columns of the file to read, as in :meth:`Corpus.from_arrow`."""
    source = source_name(path)
    with open_parquet(path) as file:
        table = _named(file, source, rename=columns is None)
        corpus = Corpus(read_table(table, columns, source), source=source)
    if not len(corpus):
        raise InputError("expected sentences, got none: the file has no rows", source=source)
    return corpus


@contextlib.contextmanager
def open_parquet(path: str | Path) -> Iterator[Any]:
    """Open a file as a ``pyarrow.parquet.ParquetFile``; errors of reading it name the file."""
    pyarrow = import_pyarrow("Parquet")
    source = source_name(path)
    is_plain = str(path) != STANDARD_STREAM and Path(path).suffix == ".parquet" and _native.is_utf8(os.fsencode(path))
    with name_parquet_errors(source):
        if is_plain and not Path(path).exists():
            raise FileNotFoundError
        # Other files are read into memory: those that are compressed as a whole, streams, and names that pyarrow refuses.
        data = str(path) if is_plain else pyarrow.BufferReader(read_bytes(path))
        file = pyarrow.parquet.ParquetFile(data)
    try:
        with name_parquet_errors(source):
            yield file
    finally:
        file.close()


@contextlib.contextmanager
def name_parquet_errors(source: str) -> Iterator[None]:
    """Raise errors of reading a Parquet file as InputError with its name."""
    try:
        yield
    except (InputError, OutputError):
        raise
    except FileNotFoundError:
        raise InputError("there is no such file", source=source) from None
    except MemoryError:
        raise
    except (OSError, ValueError, NotImplementedError) as error:  # ArrowInvalid is a ValueError
        reason = str(error).split("\n")[0].rstrip(".")
        raise InputError(f"expected a Parquet file, got something else or a damaged file: {reason}", source=source) from None


def batches(file: Any, *, rows: int = 1 << 14) -> Any:
    """Return a reader of the batches of an open file, which is an object with ``__arrow_c_stream__``."""
    pyarrow = import_pyarrow("Parquet")
    return pyarrow.RecordBatchReader.from_batches(file.schema_arrow, file.iter_batches(batch_size=rows))


def _named(file: Any, source: str, *, rename: bool) -> Any:
    """Return the batches of a file; if its schema has names for numbers of labels, as on the hub of Hugging Face, a table.

    With ``rename``, the column of labels is called ``labels``.
    """
    names = class_names(file.schema_arrow.metadata)
    return with_names(file.read(), names, source, rename=rename) if names else batches(file)


def write_parquet(corpus: Corpus, path: str | Path) -> None:
    """Write a corpus; the columns are lists of strings."""
    pyarrow = import_pyarrow("Parquet")
    table = pyarrow.RecordBatchReader.from_stream(corpus.to_arrow(dictionary=False))
    with open_output(path) as write:
        output = ParquetBytes(table.schema)
        for batch in table:
            write(output.append(batch))
        write(output.end())


class ParquetBytes:
    """The bytes of a Parquet file, table by table."""

    def __init__(self, schema: Any) -> None:
        pyarrow = import_pyarrow("Parquet")
        self._sink = _Sink()
        self._writer = pyarrow.parquet.ParquetWriter(pyarrow.PythonFile(self._sink, mode="w"), schema, compression="zstd")

    def append(self, table: Any) -> bytes:
        """Return the bytes of a table or a record batch, after those so far."""
        self._writer.write(table)
        return self._sink.take()

    def end(self) -> bytes:
        """Return the bytes of the end of the file."""
        self._writer.close()
        return self._sink.take()


class _Sink(io.RawIOBase):
    """A file in memory whose bytes are taken out piece by piece."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._position = 0

    def writable(self) -> bool:
        """True: the file is open for writing."""
        return True

    def tell(self) -> int:
        """Return the number of bytes so far."""
        return self._position

    def write(self, data: Any) -> int:
        """Append bytes."""
        self._pieces.append(bytes(data))
        self._position += len(self._pieces[-1])
        return len(self._pieces[-1])

    def take(self) -> bytes:
        """Return the bytes since the last call."""
        pieces, self._pieces = self._pieces, []
        return b"".join(pieces)


def import_pyarrow(purpose: str) -> Any:
    """Return the module pyarrow with its Parquet files; raise an error that names the extra if it is missing."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise InputError(f"{purpose} needs pyarrow; pip install 'tagpool[arrow]'") from None
    return pyarrow
