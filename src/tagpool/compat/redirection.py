"""Redirection of imports from other libraries to the drop-ins."""

from __future__ import annotations

from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any


class Redirection(MetaPathFinder, Loader):
    """Finder and loader of the drop-ins under their original names: ``pycrfsuite`` for ``tagpool.compat.pycrfsuite``."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self._names = names

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Return a specification if the module has a counterpart."""
        if name.partition(".")[0] not in self._names or find_spec(f"tagpool.compat.{name}") is None:
            return None
        return ModuleSpec(name, self)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the counterpart."""
        module = import_module(f"tagpool.compat.{spec.name}")
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Restore the specification of the counterpart, which the import system has replaced."""
        if module.__spec__ is not None:
            module.__spec__ = module.__spec__.loader_state
