"""Guarantees: bounds on the loss of a fitted vote pool on new sentences (Cortes, Kuznetsov and Mohri 2014)."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from tagpool.pools.votes.ballots import FloatArray
from tagpool.pools.votes.methods.method import Learned, Method
from tagpool.pools.votes.methods.online import suffix_bounds
from tagpool.wording import counted

MARGIN = 0.1  # ρ of Theorem 5


@dataclass(frozen=True)
class Guarantees:
    """Bounds that hold with probability ``1 - delta`` over the choice of training sentences from the same distribution.

    ``loss`` bounds the expected loss of a sentence; None if no bound is known. For ``rand`` it is the mean expected loss of a
    suffix of the rounds + M·√(ln(T/δ) / its length), the least over the T suffixes; T comes from the union bound. For votes it
    is twice that (Proposition 2, Hamming loss). ``excess`` bounds how much worse ``rand`` is than the best path expert
    (Theorem 1): 2M·√(ln |H| / T) + 2M·√(ln(2/δ) / T), with ln |H| = l·ln p for tables. ``margin_loss`` bounds the rate of
    training tokens with a margin of at most ``margin`` after ESPBoost (Theorem 5). ``needed`` is the number of gold sentences
    from which ``loss`` would be below the highest possible loss, at the same mean loss.
    """

    delta: float
    highest: float
    rounds: int
    loss: float | None = None
    excess: float | None = None
    margin: float | None = None
    margin_loss: float | None = None
    needed: int | None = None

    def __str__(self) -> str:
        probability = f"with probability {1 - self.delta:.0%}"
        lines = []
        if self.loss is not None:
            vacuous = ""
            if self.loss >= self.highest:
                takes = "more than any number of gold sentences"
                if self.needed is not None:
                    takes = f"about {counted(self.needed, 'gold sentence')}"
                vacuous = f" (not informative: a bound below {self.highest:g} takes {takes})"
            lines.append(f"{probability} the mean loss of a sentence is at most {self.loss:.4f}{vacuous}")
        if self.excess is not None:
            lines.append(f"{probability} a drawn path loses at most {self.excess:.4f} more than the best path")
        if self.margin_loss is not None:
            lines.append(f"at most {self.margin_loss:.2%} of the training tokens have a margin of {self.margin} or less")
        return "\n".join(lines) or "no guarantee is known for this method"

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON values."""
        return asdict(self)


def guarantees(learned: Learned, method: Method, delta: float, highest: float, log_paths: float) -> Guarantees:
    """Compute the guarantees of learned weights; ``log_paths`` is the logarithm of the number of path experts.

    >>> from tagpool.pools.votes.methods import METHODS
    >>> print(guarantees(Learned(np.ones(2), losses=np.full(1000, 0.1)), METHODS["rand"], 0.05, 1.0, math.log(4)))
    with probability 95% the mean loss of a sentence is at most 0.1995
    with probability 95% a drawn path loses at most 0.1959 more than the best path
    """
    if learned.errors is not None:
        return Guarantees(delta, highest, len(learned.errors), margin=MARGIN, margin_loss=margin_bound(learned.errors, MARGIN))
    if learned.losses is None or method.bound_factor is None:
        return Guarantees(delta, highest, 0 if learned.losses is None else len(learned.losses))
    count = len(learned.losses)
    least = float(suffix_bounds(learned.losses, math.log(count / delta), highest).min())
    excess = 2 * highest * (math.sqrt(log_paths / count) + math.sqrt(math.log(2 / delta) / count))
    needed = _sentences_needed(float(learned.losses.mean()), delta, highest, method.bound_factor)
    return Guarantees(delta, highest, count, loss=least * method.bound_factor, excess=excess, needed=needed)


def _sentences_needed(mean: float, delta: float, highest: float, factor: float) -> int | None:
    """Return the number of sentences, in steps of a tenth, from which the bound is below the highest loss.

    >>> _sentences_needed(0.1, 0.05, 1.0, 2.0), _sentences_needed(0.6, 0.05, 1.0, 2.0)
    (46, None)
    """
    if factor * mean >= highest:
        return None
    count = 2
    while factor * (mean + highest * math.sqrt(math.log(count / delta) / count)) >= highest:
        count += max(1, count // 10)
    return count


def margin_bound(errors: FloatArray, margin: float) -> float:
    """Return the bound of Theorem 5: 2^T · Π_t √(ε_t^(1-ρ) · (1-ε_t)^(1+ρ)), at most 1.

    >>> round(margin_bound(np.array([0.1, 0.2]), 0.0), 6)
    0.48
    """
    with np.errstate(divide="ignore"):
        logarithm = float((math.log(2) + ((1 - margin) * np.log(errors) + (1 + margin) * np.log1p(-errors)) / 2).sum())
    return math.exp(min(logarithm, 0.0))
