"""Reading: one way to label a sentence."""

from __future__ import annotations

from typing import NamedTuple


class Reading(NamedTuple):
    """Labels of a sentence.

    ``probabilities`` are those of each label at its token, ``log_probability`` that of the whole sequence, where they were
    asked for.
    """

    labels: list[str]
    probabilities: list[float] | None = None
    score: float | None = None
    log_probability: float | None = None

    @property
    def comment(self) -> str:
        """What stands above one of several readings, behind its rank."""
        return f"score {self.score:.6f} log-probability {self.log_probability:.6f}"
