"""Parameters of a fitted pool without gold labels."""

from __future__ import annotations

from dataclasses import dataclass

from tagpool.corpus.schemes import Scheme
from tagpool.pools.unsupervised.word_taggers import WordTaggers
from tagpool.pools.votes.ballots import FloatArray

AUTO, CRF_EM, DAWID_SKENE, MAJORITY = METHODS = ("auto", "crf-em", "dawid-skene", "majority")


@dataclass(frozen=True, eq=False)
class FittedBelief:
    """Parameters of a fitted pool; ``matrices`` are the confusions of the experts, ``prior`` is ln P of the labels."""

    method: str
    experts: tuple[str, ...]
    labels: tuple[str, ...]
    scheme: Scheme
    abstaining: tuple[str, ...]
    matrices: FloatArray
    prior: FloatArray
    taggers: WordTaggers | None
    accuracy: dict[str, float]
