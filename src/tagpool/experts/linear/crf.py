"""CRF: the linear-chain conditional random field (algorithms: Lafferty, McCallum and Pereira 2001)."""

from __future__ import annotations

from tagpool.experts.linear.expert import Expert
from tagpool.lazy import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from typing import Any

    from tagpool.features.template import TemplateSet
    from tagpool.optim.trainer import Trainer


class CRF(Expert):
    """A linear-chain CRF: p(y|x) ∝ exp Σ_t (Σ_k W[k, y_t] f_k(t) + A[y_{t-1}, y_t]), with scores for the first and last label.

    ``features`` are templates: a preset's name, a file, the text itself (not used for sentences given as features).
    ``l2`` and ``l1`` are the penalties l2/2·|w|² and l1·|w| of the summed loss. ``pairs`` is "all" or "observed": which
    (feature, label) pairs have weights. Features met fewer than ``min_count`` times are left out; with ``hash_size`` they
    are hashed. Templates such as ``label[-1] & pos[0]`` are features of
    transitions, with weights for the pairs of labels they were met with.
    ``trainer`` is sgd, lbfgs, owlqn, fobos or perceptron, or an object such as ``SGD(epochs=20)``.
    ``class_weight`` maps labels to weights (1 for others), or is "balanced"; a sentence counts as the mean of its labels'.
    Tokens labelled ``unknown_label`` count as not labelled. With ``warm_start``, ``fit`` goes on from the weights there are.

    >>> from tagpool import builtin_corpus
    >>> crf = CRF("ner").fit(builtin_corpus(300))
    >>> crf.predict([["Dr.", "Okafor", "moved", "to", "Oslo", "."]])[0][1]
    'B-PER'
    """

    kind = "crf"
    chain = True

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
