"""Reading: one label sequence of a sentence."""

from __future__ import annotations

from typing import NamedTuple


class Reading(NamedTuple):
    """Labels of a sentence, with the probability of each label and the log-probability of the sequence if wanted."""

    labels: list[str]
    probabilities: list[float] | None = None
    score: float | None = None
    log_probability: float | None = None

    @property
    def comment(self) -> str:
        """Score and log-probability, for the comment before a reading."""
        return f"score {self.score:.6f} log-probability {self.log_probability:.6f}"
