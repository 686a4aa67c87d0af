"""ModelFile: a model as a file, to copy it or open it elsewhere."""

from __future__ import annotations

import os
import tempfile
import weakref
from contextlib import suppress
from typing import Any


class ModelFile:
    """File of a model: the one that was written, or a temporary one that is written when ``name`` is read.

    >>> file = ModelFile(b"lCRF", None)
    >>> os.path.getsize(file.name)
    4
    """

    def __init__(self, model: bytes | None, filename: str | None, *, keep: bool = False) -> None:
        self._model = model
        self._name = filename
        self._keep = keep

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore the FileResource of a pickle of sklearn-crfsuite."""
        self.__init__(state.get("__FILE_RESOURCE_DATA__"), state.get("name"), keep=bool(state.get("keep_tempfiles")))  # type: ignore[misc]

    @property
    def content(self) -> bytes | None:
        """Bytes of the model; None if it is in a file with a name."""
        return self._model

    @property
    def name(self) -> str | None:
        """Path of the file; None without a model. A temporary file is deleted with this object unless ``keep``."""
        if self._name is None and self._model is not None:
            number, self._name = tempfile.mkstemp(".crfsuite", "model")
            with os.fdopen(number, "wb") as file:
                file.write(self._model)
            if not self._keep:
                weakref.finalize(self, _remove, self._name)
        return self._name


def _remove(name: str) -> None:
    with suppress(OSError):
        os.unlink(name)  # noqa: PTH108 - pathlib may be gone at the end of the process
