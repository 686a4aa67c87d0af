"""MaxEnt: multinomial logistic regression over tokens."""

from __future__ import annotations

from tagpool.experts.linear.expert import Expert
from tagpool.lazy import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from typing import Any

    from tagpool.features.template import TemplateSet
    from tagpool.optim.trainer import Trainer


class MaxEnt(Expert):
    """A maximum entropy classifier of tokens: p(y_t = v|x) = softmax_v(Σ_k W[k, v] f_k(t)); each token stands alone.

    The parameters are those of :class:`CRF`, except that ``class_weight`` weighs each token by its label.

    >>> from tagpool import builtin_corpus
    >>> maxent = MaxEnt("ner").fit(builtin_corpus(300))
    >>> maxent.predict([["She", "moved", "to", "Oslo", "."]])[0][0]
    'O'
    """

    kind = "maxent"
    chain = False

    def __init__(
        self,
        features: TemplateSet | str | Path = "ner",
        *,
        resources: Mapping[str, Any] | None = None,
        l2: float = 1.0,
        l1: float = 0.0,
        pairs: str = "all",
        min_count: int = 1,
        hash_size: int | None = None,
        trainer: Trainer | str = "sgd",
        class_weight: Mapping[str, float] | str | None = None,
        unknown_label: str | None = None,
        patience: int | None = 5,
        seed: int = 1,
        threads: int = 1,
        warm_start: bool = False,
    ) -> None:
        self.features = features
        self.resources = resources
        self.l2 = l2
        self.l1 = l1
        self.pairs = pairs
        self.min_count = min_count
        self.hash_size = hash_size
        self.trainer = trainer
        self.class_weight = class_weight
        self.unknown_label = unknown_label
        self.patience = patience
        self.seed = seed
        self.threads = threads
        self.warm_start = warm_start
