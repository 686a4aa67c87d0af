"""The libraries of Hugging Face, which are imported only where they are used."""

from __future__ import annotations

import importlib
from typing import Any

from tagpool.errors import InputError


def require(module: str, purpose: str) -> Any:
    """Return a module; raise an error that names the extra if it is missing."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise InputError(f"{purpose} needs {module}; pip install 'tagpool[hf]'") from None
