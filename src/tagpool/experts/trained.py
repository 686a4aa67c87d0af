"""Trained: the result of a training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tagpool import _native
from tagpool.features.encoder import Encoder
from tagpool.features.given import GivenEncoder
from tagpool.optim.watch import Epoch

if TYPE_CHECKING:
    from tagpool.experts.inducing.names import InducedFeatures


@dataclass(frozen=True)
class Trained:
    """A model with the encoder of its features, the summary and log of its training, and features that were added in it."""

    model: _native.Model | _native.OnlineModel
    encoder: Encoder | GivenEncoder
    summary: dict[str, Any]
    log: list[Epoch]
    induced: InducedFeatures | None = None
