"""Guarantees: what theory says of a fitted pool's loss on sentences it has not seen (Cortes, Kuznetsov and Mohri 2014)."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from tagpool.pools.votes.ballots import FloatArray
from tagpool.pools.votes.methods import Learned, suffix_bounds

MARGIN = 0.1  # the ρ that Theorem 5 is computed for


@dataclass(frozen=True)
class Guarantees:
    """Bounds that hold with probability ``1 - delta`` over the choice of the training sentences, if those to come are like them.

    ``loss`` is an upper bound of the expected loss of a sentence, None where there is none: for ``rand`` the mean expected loss
    of a suffix of the rounds + M·√(ln(T/δ) / its length), least over the T suffixes (the union bound is why T is there, and not
    in Γ); for votes twice that (Proposition 2; of the Hamming loss). ``excess`` is how much Theorem 1 lets ``rand`` be worse than
    the best path expert: 2M·√(ln |H| / T) + 2M·√(ln(2/δ) / T), with ln |H| = l·ln p where paths choose freely. ``margin_loss`` is
    Theorem 5's bound of the share of training tokens whose margin ESPBoost leaves at ``margin`` or less.
    """

    delta: float
    highest: float
    rounds: int
    loss: float | None = None
    excess: float | None = None
    margin: float | None = None
    margin_loss: float | None = None

    def __str__(self) -> str:
        sure = f"with probability {1 - self.delta:.0%}"
        lines = []
        if self.loss is not None:
            vacuous = (
                " (more than any loss can be: more gold sentences would make it tighter)" if self.loss >= self.highest else ""
            )
            lines.append(f"{sure} the loss of a sentence is at most {self.loss:.4f} on average{vacuous}")
        if self.excess is not None:
            lines.append(f"{sure} a path that is drawn loses at most {self.excess:.4f} more than the best path (Theorem 1)")
        if self.margin_loss is not None:
            lines.append(
                f"at most {self.margin_loss:.2%} of the training tokens have a margin of {self.margin} or less (Theorem 5)"
            )
        return "\n".join(lines) or "no guarantee is known for this method"

    def to_dict(self) -> dict[str, Any]:
        """What a program reads."""
        return asdict(self)


def guarantees(learned: Learned, method: str, delta: float, highest: float, log_paths: float) -> Guarantees:
    """The guarantees of what a method has learned; ``log_paths`` is the logarithm of the number of path experts.

    >>> made = guarantees(Learned(np.ones(2), losses=np.full(1000, 0.1)), "rand", 0.05, 1.0, math.log(4))
    >>> print(made)
    with probability 95% the loss of a sentence is at most 0.1995 on average
    with probability 95% a path that is drawn loses at most 0.1959 more than the best path (Theorem 1)
    """
    if learned.errors is not None:
        return Guarantees(delta, highest, len(learned.errors), margin=MARGIN, margin_loss=margin_bound(learned.errors, MARGIN))
    if learned.losses is None or method not in ("mvote", "rand"):
        return Guarantees(delta, highest, 0 if learned.losses is None else len(learned.losses))
    count = len(learned.losses)
    least = float(suffix_bounds(learned.losses, math.log(count / delta), highest).min())
    excess = 2 * highest * (math.sqrt(log_paths / count) + math.sqrt(math.log(2 / delta) / count))
    return Guarantees(delta, highest, count, loss=least * (2 if method == "mvote" else 1), excess=excess)


def margin_bound(errors: FloatArray, margin: float) -> float:
    """Theorem 5: 2^T · Π_t √(ε_t^(1-ρ) · (1-ε_t)^(1+ρ)), at most 1.

    >>> round(margin_bound(np.array([0.1, 0.2]), 0.0), 6)
    0.48
    """
    with np.errstate(divide="ignore"):
        logarithm = float((math.log(2) + ((1 - margin) * np.log(errors) + (1 + margin) * np.log1p(-errors)) / 2).sum())
    return math.exp(min(logarithm, 0.0))
