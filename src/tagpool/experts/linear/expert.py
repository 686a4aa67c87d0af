"""Expert: a tagger with a lattice of scores for every sentence. What CRF and MaxEnt share.

Like tagger.py it imports next to nothing.
"""

from __future__ import annotations

from tagpool.experts.tagger import Tagger
from tagpool.lazy import TYPE_CHECKING, attach

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    import numpy as np
    from numpy.typing import NDArray

    from tagpool import _native
    from tagpool.chain.lattice import Lattice
    from tagpool.experts.tagger import Sentences
    from tagpool.features.template import TemplateSet
    from tagpool.optim.trainer import Trainer

_lazy = attach(
    __name__,
    {
        "fit": "tagpool.experts.linear.training",
        "lattices": "tagpool.experts.linear.lattices",
        "marginals": "tagpool.experts.linear.lattices",
        "feature_names": "tagpool.experts.saving",
        "history_names": "tagpool.experts.saving",
        "transition_templates": "tagpool.features.transitions",
    },
)


class Expert(Tagger):
    """A tagger whose weights a trainer finds, with probabilities of labels and sequences."""

    _model: _native.Model | None = None
    _dev_scheme: str | None = None  # tokens that stand alone: dev is scored with the best labels that this scheme allows

    l2: float
    l1: float
    pairs: str
    order: int = 1  # labels a transition looks back
    trainer: Trainer | str
    class_weight: Mapping[str, float] | str | None

    def predict_marginals(self, sentences: Sentences) -> list[NDArray[np.float64]]:
        """The probability of every label at every token: for each sentence an array of tokens by labels."""
        found: list[NDArray[np.float64]] = _lazy("marginals")(self, sentences)
        return found

    def lattices(self, sentences: Sentences) -> list[Lattice]:
        """The scores of every sentence, for all that a :class:`Lattice` can do: n best, constraints, samples, pools.

        Those of a chain of order 2 are over pairs of labels; ``tagpool.experts.linear.lattices.state_labels`` has the last one of each.
        """
        found: list[Lattice] = _lazy("lattices")(self, sentences)
        return found

    def _train(self, sentences: Any, labels: Any, **how: Any) -> None:
        _lazy("fit")(self, sentences, labels, **how)

    def _templates(self) -> TemplateSet:
        found = super()._templates()
        if self.chain:
            found = _lazy("transition_templates")(found, self.order)
        return found

    def _fitted(self) -> _native.Model:
        model: _native.Model = super()._fitted()
        return model

    def _recall(self) -> None:
        if self._fitted().order != self.order:
            self.order = self._fitted().order

    def _pruned(self, least: float) -> _native.Model:
        model = self._fitted()
        history = _lazy("history_names")(self) if model.has_history else []
        return model.pruned(least, [] if model.hash_size else _lazy("feature_names")(self), history)
