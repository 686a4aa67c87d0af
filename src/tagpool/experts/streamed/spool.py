"""Spool: chunks of encoded sentences in a temporary file.

The file has no name from the beginning, so that the system removes it when the process ends in any way.
"""

from __future__ import annotations

import itertools
import os
import tempfile
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from tagpool import _native
from tagpool.errors import OutputError

Sentences = tuple[_native.Encoding, NDArray[np.int32], "_native.Encoding | None"]
"""Encoding, labels and transition features."""


class Spool:
    """Encoded sentences, cut into the chunks that stochastic trainers shuffle."""

    def __init__(self) -> None:
        self.chunks: list[tuple[int, int]] = []  # sentences, tokens
        self._places: list[tuple[int, int]] = []  # offset, length
        self._end = 0
        self._tokens = 0
        self._pending: list[bytes] = []  # pieces of the chunk that is not complete
        self._pending_number = self._pending_sentences = self._pending_tokens = 0
        self.folder = tempfile.gettempdir()
        try:
            self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - closed with the spool
        except OSError as error:
            raise self._failure(error) from None

    @property
    def size(self) -> int:
        """Bytes in the file."""
        return self._end

    def add(self, encoding: _native.Encoding, gold: NDArray[np.int32], history: _native.Encoding | None) -> None:
        """Append sentences. A chunk ends before the sentence that begins in the next multiple of its size."""
        bounds = encoding.sentences().astype(np.int64)
        numbers = (self._tokens + bounds[:-1]) // _native.CHUNK_TOKENS
        cuts = [0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist(), len(numbers)]
        for first, last in itertools.pairwise(cuts):
            begin = self._tokens + int(bounds[first])
            if self._pending and begin // _native.CHUNK_TOKENS != self._pending_number:
                self._flush()
            if not self._pending:
                self._pending_number = begin // _native.CHUNK_TOKENS
            self._pending.append(_native.pack_chunk(encoding, gold, history, first, last))
            self._pending_sentences += last - first
            self._pending_tokens += int(bounds[last] - bounds[first])
        self._tokens += int(bounds[-1])

    def finish(self) -> None:
        """Complete the last chunk."""
        if self._pending:
            self._flush()

    def _flush(self) -> None:
        data = self._pending[0]
        if len(self._pending) > 1:
            encoding, gold, history = _native.unpack_chunks(self._pending)
            data = _native.pack_chunk(encoding, gold, history, 0, self._pending_sentences)
        self._places.append((self._end, len(data)))
        self.chunks.append((self._pending_sentences, self._pending_tokens))
        self._write(data, self._end)
        self._end += len(data)
        self._pending.clear()
        self._pending_sentences = self._pending_tokens = 0

    def replace(self, number: int, sentences: Sentences) -> None:
        """Replace a chunk by one that is not longer."""
        encoding, gold, history = sentences
        data = _native.pack_chunk(encoding, gold, history, 0, len(encoding.sentences()) - 1)
        offset, length = self._places[number]
        assert len(data) <= length
        self._places[number] = (offset, len(data))
        self._write(data, offset)

    def read(self, numbers: Iterable[int]) -> Sentences:
        """Return the sentences of chunks, one after the other."""
        packs: list[bytes] = []
        for number in numbers:
            offset, length = self._places[number]
            try:
                data = os.pread(self._file.fileno(), length, offset)
            except OSError as error:
                raise self._failure(error) from None
            if len(data) != length:
                raise OutputError(f"{self.folder}: a temporary file was damaged while it was used")
            packs.append(data)
        encoding, gold, history = _native.unpack_chunks(packs)
        return encoding, gold, history

    def close(self) -> None:
        """Remove the file."""
        self._file.close()

    def _write(self, data: bytes, offset: int) -> None:
        view = memoryview(data)
        try:
            while view:
                count = os.pwrite(self._file.fileno(), view, offset)
                view, offset = view[count:], offset + count
        except OSError as error:
            raise self._failure(error) from None

    def _failure(self, error: OSError) -> OutputError:
        advice = "free some space, or set the environment variable TMPDIR to a folder with more"
        return OutputError(f"{self.folder}: a temporary file could not be used: {error.strerror}; {advice}")
