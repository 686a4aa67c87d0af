"""ModelFile: a model file that is opened once, or the part of one that holds a member of a pool.

A start-up file: it imports only the native module.
"""

from __future__ import annotations

from tagpool import _native
from tagpool.errors import ModelError
from tagpool.lazy import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from tagpool.experts.references import Referred
    from tagpool.features.resources import Origin

_REFERENCES = "resources"


class ModelFile:
    """Texts and arrays of a model file; ``depth`` counts the pools around a member."""

    def __init__(
        self, container: _native.Container, source: str | Path, block: bytes | None = None, parent: ModelFile | None = None
    ) -> None:
        self.container = container
        self.source = source
        self.depth: int = 0 if parent is None else parent.depth + 1
        self._block = block
        self._parent = parent
        self._resources: Referred | None = None

    @classmethod
    def open(cls, path: str | Path) -> ModelFile:
        """Opens a file; a ModelError if it is not a model."""
        try:
            return cls(_native.Container.open(str(path)), path)
        except _native.InputFault as fault:
            raise ModelError(_advise(str(fault.args[0]), path), source=path) from None
        except TypeError:
            raise ModelError(f"reading failed: the name {str(path)!r} is not UTF-8; rename the file") from None

    def text(self, key: str) -> str | None:
        """A text; None if it is missing."""
        return self.container.text(key)

    def member(self, name: str) -> ModelFile:
        """The file of a member, which is an array of this file."""
        block = self.container.array(name)
        if block is None:
            raise ModelError(f"damaged pool: the member {name!r} is missing", source=self.source)
        try:
            return ModelFile(_native.Container.read(block), self.source, block, self)
        except _native.InputFault as fault:
            raise ModelError(f"damaged pool: {fault.args[0]}", source=self.source) from None

    def model(self, native: Any) -> tuple[Any, dict[str, Origin] | None]:
        """The native model, and the files of resources that are not in the model file."""
        references = self.text(_REFERENCES)
        try:
            if references is None:
                return native.of(self.container), None
            from tagpool.corpus.files import read_bytes

            block = read_bytes(self.source) if self._block is None else self._block
            return self.resources().model(native, block, references)
        except _native.InputFault as fault:
            raise ModelError(str(fault.args[0]), source=self.source) from None

    def resources(self) -> Referred:
        """Reader of the resources that this file and its members refer to."""
        if self._parent is not None:
            return self._parent.resources()
        if self._resources is None:
            from tagpool.experts.references import Referred

            self._resources = Referred(self.source)
        return self._resources


def _advise(problem: str, path: str | Path) -> str:
    """Add to the message about a file of another format what to do with it."""
    if "safetensors" not in problem:
        return problem
    from pathlib import Path

    with Path(path).open("rb") as file:
        if file.read(4) == b"lCRF":
            return "this is a model of CRFsuite; convert it first: tagpool convert FILE --output MODEL.tagpool"
    return f"{problem}; to label a text: tagpool tag MODEL FILE"
