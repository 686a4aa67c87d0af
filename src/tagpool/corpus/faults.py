"""Faults of the native core as errors of the package."""

from __future__ import annotations

from tagpool import _native
from tagpool.errors import InputError, OutOfMemoryError


class NameFaults:
    """Context manager that raises a fault of the native core as InputError with the name of the input.

    ``lines_before`` is the number of lines before the text that the core reads. ``purpose`` names the work in the message of an
    OutOfMemoryError.
    """

    def __init__(self, source: str | None = None, lines_before: int = 0, purpose: str = "process the sentences") -> None:
        self.purpose = purpose
        self.source = source
        self.lines_before = lines_before

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, fault: BaseException | None, trace: object) -> None:
        if isinstance(fault, _native.InputFault):
            message, line = (*fault.args, 0)[:2]
            raise InputError(str(message), source=self.source, line=self.lines_before + line if line else None) from None
        if isinstance(fault, MemoryError):
            raise OutOfMemoryError(f"not enough memory to {self.purpose}") from None
