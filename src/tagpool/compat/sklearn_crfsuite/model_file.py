"""ModelFile: a model as a file, for those who want to copy it or open it elsewhere."""

from __future__ import annotations

import os
import tempfile
import weakref
from contextlib import suppress


class ModelFile:
    """The file of a model: where it was written to, or a temporary one that is written when its name is asked for.

    >>> file = ModelFile(b"lCRF", None)
    >>> os.path.getsize(file.name)
    4
    """

    def __init__(self, model: bytes | None, filename: str | None, *, keep: bool = False) -> None:
        self._model = model
        self._name = filename
        self._keep = keep

    @property
    def name(self) -> str | None:
        """Where the file is; None if there is no model yet. A temporary file goes with this object, unless it is to be kept."""
        if self._name is None and self._model is not None:
            number, self._name = tempfile.mkstemp(".crfsuite", "model")
            with os.fdopen(number, "wb") as file:
                file.write(self._model)
            if not self._keep:
                weakref.finalize(self, _remove, self._name)
        return self._name


def _remove(name: str) -> None:
    with suppress(OSError):
        os.unlink(name)  # noqa: PTH108 - at the end of the process little else is left
