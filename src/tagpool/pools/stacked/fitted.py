"""Parameters of a fitted stack."""

from __future__ import annotations

from dataclasses import dataclass

from tagpool.corpus.schemes import Scheme
from tagpool.experts.linear.crf import CRF
from tagpool.pools.stacked.precision import HeldOutSpans
from tagpool.pools.stacked.training import StackSettings
from tagpool.pools.unsupervised.pool import UnsupervisedPool
from tagpool.pools.votes.calibration import Calibration


@dataclass(frozen=True, eq=False)
class FittedStack:
    """A fitted stack; ``confident`` are the experts with confidences, ``missing`` the F1 lost without each expert."""

    experts: tuple[str, ...]
    confident: tuple[str, ...]
    stack: CRF
    unsupervised: UnsupervisedPool | None
    settings: StackSettings
    scheme: Scheme
    f1: float
    missing: dict[str, float]
    spans: HeldOutSpans
    token_calibration: Calibration | None = None
    span_calibration: Calibration | None = None
    errors: dict[str, float] | None = None
