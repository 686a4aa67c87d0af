"""Declaration of an option as a field of a dataclass, without typer. A start-up file."""

from __future__ import annotations

from dataclasses import Field, field
from typing import Any


def option(*names: str, default: Any = None, **options: Any) -> Any:
    """Return a field that :func:`tagpool.cli.options.expand_options` turns into an option.

    ``names`` are its names, such as ``--set`` (default: from the name of the field), ``options`` those of ``typer.Option``.
    """
    return field(default=default, metadata={"names": names, "options": options})


def is_declared(one: Field[Any]) -> bool:
    """Whether a field was declared with :func:`option`."""
    return "options" in one.metadata
