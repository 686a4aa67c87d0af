"""Memory for the transitions of a chain, estimated before training."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

from tagpool.errors import InputError
from tagpool.wording import counted

_BYTES = 16  # of a transition: weight, average and gradient
_NOTABLE = 1 << 30


def check_label_count(count: int, chain: bool) -> None:
    """Warn if the transitions between the labels need much memory; raise an error if they need more than is free.

    >>> check_label_count(10, chain=True)
    """
    needed = _BYTES * count * count if chain else 0
    if needed < _NOTABLE:
        return
    free = free_memory()
    numbers = f"{counted(count, 'label')} have {counted(count * count, 'transition')}"
    text = f"{numbers}, which need at least {needed / 1e9:.1f} GB of memory"
    if needed > free:
        raise InputError(f"{text}; {free / 1e9:.1f} GB are free; use fewer labels, or a MaxEnt, which has no transitions")
    warnings.warn(text, UserWarning, stacklevel=2)


def free_memory() -> float:
    """Return the bytes that the process may allocate; infinite if unknown."""
    if sys.platform != "linux":
        return float("inf")
    import resource  # noqa: PLC0415 - not on every system

    facts = dict(line.split(":", 1) for line in Path("/proc/meminfo").read_text().splitlines())
    free = 1024 * int(facts["MemAvailable"].split()[0])
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit == resource.RLIM_INFINITY:
        return free
    used = resource.getpagesize() * int(Path("/proc/self/statm").read_text().split()[0])
    return min(free, max(0, limit - used))
