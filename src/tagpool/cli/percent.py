"""Percent: commands print rates in percent, also as JSON; objects of Python have them from 0 to 1."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any


def in_percent(value: Any, rates: Collection[str], *, scale: bool = False) -> Any:
    """Return a result with the numbers under some keys in percent, also those in lists and objects there.

    >>> in_percent({"f1": 0.5, "interval": [0.25, 1.0], "p": 0.25, "tokens": 3}, {"f1", "interval"})
    {'f1': 50.0, 'interval': [25.0, 100.0], 'p': 0.25, 'tokens': 3}
    """
    if isinstance(value, dict):
        return {key: in_percent(one, rates, scale=scale or key in rates) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [in_percent(one, rates, scale=scale) for one in value]
    return 100 * value if scale and isinstance(value, float) else value
