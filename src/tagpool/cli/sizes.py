"""Sizes in words."""

from __future__ import annotations


def spelled_bytes(count: int) -> str:
    """A number of bytes in kB or MB.

    >>> spelled_bytes(1_250_000), spelled_bytes(12)
    ('1.2 MB', '12 bytes')
    """
    for unit, size in (("MB", 1_000_000), ("kB", 1_000)):
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return f"{count} bytes"
