"""Budget: a limit on the memory of the process."""

from __future__ import annotations

import os
import re
from pathlib import Path

from tagpool.errors import InputError

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_STATM = Path("/proc/self/statm")


class Budget:
    """A limit in bytes: a number, or a text such as ``2G``, with the units K, M, G and T of 1,024 each.

    >>> Budget("1.5G").limit
    1610612736
    """

    def __init__(self, limit: str | int) -> None:
        match = re.fullmatch(r"([0-9]{1,12}(?:\.[0-9]{1,6})?) ?([KMGT]?)(?:i?B)?", str(limit).strip(), re.IGNORECASE)
        if isinstance(limit, bool) or match is None:
            raise InputError(f"memory={limit!r}: expected a size such as 2G or 500M")
        self.limit = int(float(match[1]) * _UNITS[match[2].upper()])

    def demand(self, more: int, later: int = 0) -> None:
        """Raise an error unless the process may take this number of bytes more; the message adds what it needs ``later``."""
        if used() + more <= self.limit:
            return
        needed = used() + more + later
        size = f"{-(-needed * 105 // (100 << 20))}M"
        raise InputError(
            f"memory: the training needs up to {_show(needed)}, more than the budget of {_show(self.limit)}; "
            f"use memory={size!r} (--memory {size}), or fewer features (a larger min_count)"
        )


def used() -> int:
    """Return the memory of the process in bytes; 0 where the system does not tell."""
    try:
        return int(_STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0


def _show(size: int) -> str:
    return f"{size / (1 << 20):,.0f} MB"
