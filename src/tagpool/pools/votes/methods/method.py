"""Method: the interface of a pooling method, its settings and its result."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from tagpool import _native
from tagpool.pools.votes.ballots import Ballots, FloatArray


@dataclass(frozen=True)
class Settings:
    """Checked parameters of all methods; each method reads the ones it needs."""

    beta: float
    delta: float
    epsilon: float
    rounds: int
    stop_early: bool
    seed: int


@dataclass(frozen=True, eq=False)
class Problem:
    """Votes with gold labels: ``native`` holds them with a state per token, ``ballots`` as arrays.

    ``costs`` is [gold label][label]; ``highest`` is the highest loss of a sentence (M in the paper).
    """

    native: _native.PathBallots
    ballots: Ballots
    costs: FloatArray
    highest: float
    settings: Settings


@dataclass(frozen=True, eq=False)
class Learned:
    """Result of a method: ``weights`` of the edges, [edges] (or [experts] if the method is ``per_expert``).

    ``losses`` are the expected losses of the online rounds, of which those from ``first`` on count. ``errors`` are those of
    boosting rounds.
    """

    weights: FloatArray
    losses: FloatArray | None = None
    first: int = 0
    errors: FloatArray | None = None


class Method(ABC):
    """A way to learn the weights of edges; an edge is one expert in one state."""

    name: ClassVar[str]
    # Learns from sentences one by one; VotePool(online_rounds=...) limits how many.
    online: ClassVar[bool] = False
    # Learns one weight per expert; keys and automata have no effect.
    per_expert: ClassVar[bool] = False
    # Reads Settings.beta; VotePool(beta="cv") then chooses it by cross-validation.
    uses_beta: ClassVar[bool] = False
    # Factor from the loss bound of a drawn path to that of the method's labels; None: no bound is known.
    bound_factor: ClassVar[int | None] = None
    # Draws whole paths instead of voting on tokens; tag schemes are not supported.
    draws_paths: ClassVar[bool] = False

    @abstractmethod
    def learn(self, problem: Problem) -> Learned:
        """Learn the weights."""

    def distributions(self, problem: Problem, learned: Learned) -> FloatArray | None:
        """Return the distributions that paths are drawn from, one after another; None if labels are voted on."""
        return None
