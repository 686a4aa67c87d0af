"""Zstandard, the compression of ``.zst`` files: in Python from 3.14 on, else the library zstandard (``tagpool[zstd]``)."""

from __future__ import annotations

import io
from typing import Any

from tagpool.errors import InputError

_SIZE = 1 << 14  # compressed bytes that are decompressed at once


def decompress(data: bytes, source: str) -> bytes:
    """Return the bytes of a compressed file."""
    reader = ZstdReader(io.BytesIO(data), source)
    return b"".join(iter(lambda: reader.read1(_SIZE), b""))


def create_compressor(source: str) -> Any:
    """Return an object with ``compress(data)`` and ``flush()``. Equal data gives equal bytes."""
    library = _import_library(source)
    compressor = library.ZstdCompressor()
    return compressor.compressobj() if hasattr(compressor, "compressobj") else compressor


class ZstdReader:
    """The decompressed bytes of a stream of any number of frames; damaged data raises an InputError."""

    def __init__(self, stream: Any, source: str) -> None:
        self._stream = stream
        self._source = source
        self._library = _import_library(source)
        self._frame: Any = None
        self._pending = b""

    def read1(self, size: int) -> bytes:
        """Return the next bytes, about as many as ``size`` compressed ones have; none at the end."""
        while data := self._pending or self._stream.read1(min(size, _SIZE)):
            try:
                self._frame = self._frame or self._new_frame()
                text: bytes = self._frame.decompress(data)
            except self._library.ZstdError as error:
                raise InputError(f"the Zstandard data is damaged: {error}", source=self._source) from None
            self._pending = self._frame.unused_data if self._frame.eof else b""
            if self._frame.eof:
                self._frame = None
            if text:
                return text
        if self._frame is not None:
            raise InputError("the Zstandard data is cut off", source=self._source)
        return b""

    def _new_frame(self) -> Any:
        decompressor = self._library.ZstdDecompressor()
        return decompressor.decompressobj() if hasattr(decompressor, "decompressobj") else decompressor


def _import_library(source: str) -> Any:
    """Return the module of Python or the library; raise an error that names the extra if both are missing."""
    try:
        from compression import zstd

        return zstd
    except ImportError:
        pass
    try:
        import zstandard
    except ImportError:
        raise InputError(".zst files need Zstandard; pip install 'tagpool[zstd]'", source=source) from None
    return zstandard
