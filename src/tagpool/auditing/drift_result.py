"""Rows of a measured drift, and its result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class DriftRow:
    """A measure of a text.

    ``usual`` is the value of the reference, ``limit`` the alarm level for a text of this size. ``strength`` is the difference
    to the usual value divided by that of the limit, so that there is an alarm above 1. If the measure does not apply, ``reason``
    says why, and the numbers are None. ``detail`` has the label whose share changed most.
    """

    text: str
    measure: str
    tokens: int
    value: float | None = None
    usual: float | None = None
    limit: float | None = None
    strength: float | None = None
    detail: str = ""
    reason: str = ""
    advice: str = ""

    @property
    def alarm(self) -> bool:
        """Whether the value is beyond the alarm level."""
        return self.strength is not None and self.strength > 1

    def to_dict(self) -> dict[str, Any]:
        """Return the row for JSON; shares are from 0 to 1."""
        return {
            "text": self.text,
            "measure": self.measure,
            "tokens": self.tokens,
            "value": self.value,
            "usual": self.usual,
            "limit": self.limit,
            "strength": self.strength,
            "alarm": self.alarm,
            "detail": self.detail,
            "reason": self.reason,
        }


@dataclass(frozen=True)
class Drift:
    """The result of :func:`tagpool.measure_drift`: rows with the strongest alarm first, and remarks.

    ``level`` is the probability that texts like the reference give no alarm at all. ``units`` says what was resampled.
    """

    rows: Sequence[DriftRow]
    level: float
    units: str
    known_from: str
    notes: Sequence[str]

    @property
    def alarms(self) -> list[DriftRow]:
        """The rows with an alarm, the strongest first."""
        return [row for row in self.rows if row.alarm]

    def to_dict(self) -> dict[str, Any]:
        """Return the result for JSON."""
        return {
            "alarms": len(self.alarms),
            "level": self.level,
            "resampled": self.units,
            "known_words": self.known_from,
            "notes": list(self.notes),
            "rows": [row.to_dict() for row in self.rows],
        }
