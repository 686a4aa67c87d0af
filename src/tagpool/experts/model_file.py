"""ModelFile: a model file that is opened once, or the part of one that holds a member of a pool.

A start-up file: it imports only the native module.
"""

from __future__ import annotations

from tagpool import _native
from tagpool.errors import ModelError
from tagpool.lazy import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from typing import Any

    from tagpool.experts.references import Reference, SuppliedResources

_REFERENCES = "resources"


class ModelFile:
    """Texts and arrays of a model file; ``depth`` counts the pools around a member."""

    def __init__(
        self,
        container: _native.Container,
        source: str | Path,
        parent: ModelFile | None = None,
        resources: Mapping[str, Any] | None = None,
    ) -> None:
        self.container = container
        self.source = source
        self.depth: int = 0 if parent is None else parent.depth + 1
        self._parent = parent
        self._resources = resources
        self._supplied: SuppliedResources | None = None

    @classmethod
    def open(cls, path: str | Path, *, mmap: bool = False, resources: Mapping[str, Any] | None = None) -> ModelFile:
        """Opens a file; a ModelError if it is not a model. ``load`` explains the options."""
        try:
            return cls(_native.Container.open(str(path), mmap), path, resources=resources)
        except _native.InputFault as fault:
            raise ModelError(_advise(str(fault.args[0]), path), source=path) from None
        except TypeError:
            raise ModelError(f"reading failed: the name {str(path)!r} is not UTF-8; rename the file") from None

    def text(self, key: str) -> str | None:
        """A text; None if it is missing."""
        return self.container.text(key)

    def member(self, name: str) -> ModelFile:
        """The file of a member, which is an array of this file; it shares the memory of this file."""
        try:
            container = self.container.member(name)
        except _native.InputFault as fault:
            raise ModelError(f"damaged pool: {fault.args[0]}", source=self.source) from None
        if container is None:
            raise ModelError(f"damaged pool: the member {name!r} is missing", source=self.source)
        return ModelFile(container, self.source, self)

    def model(self, native: Any) -> tuple[Any, dict[str, Reference] | None]:
        """The native model, and the references to resources that are not in the model file."""
        references = self.text(_REFERENCES)
        try:
            if references is None:
                return native.of(self.container), None
            return self.supplied().model(native, self.container, references)
        except _native.InputFault as fault:
            raise ModelError(str(fault.args[0]), source=self.source) from None

    def supplied(self) -> SuppliedResources:
        """Resources of the user that this file and its members refer to."""
        if self._parent is not None:
            return self._parent.supplied()
        if self._supplied is None:
            from tagpool.experts.references import SuppliedResources

            self._supplied = SuppliedResources(self._resources or {}, self.source)
        return self._supplied

    def check_supplied(self) -> None:
        """Raises an InputError if a resource was supplied that no model in the file refers to."""
        if self._resources:
            self.supplied().check_used()


def _advise(problem: str, path: str | Path) -> str:
    """Add to the message about a file of another format what to do with it."""
    if "safetensors" not in problem:
        return problem
    from pathlib import Path

    with Path(path).open("rb") as file:
        if file.read(4) == b"lCRF":
            return "this is a model of CRFsuite; convert it first: tagpool convert FILE --output MODEL.tagpool"
    return f"{problem}; to label a text: tagpool tag MODEL FILE"
