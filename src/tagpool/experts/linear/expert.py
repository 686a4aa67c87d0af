"""Expert: a tagger with a lattice of scores for every sentence. What CRF and MaxEnt share.

Like tagger.py it imports next to nothing.
"""

from __future__ import annotations

from tagpool.experts.tagger import Tagger
from tagpool.lazy import TYPE_CHECKING
from tagpool.parameters import declare_parameters, parameter

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    import numpy as np
    from numpy.typing import NDArray

    from tagpool import _native
    from tagpool.chain.lattice import Lattice
    from tagpool.corpus.corpus import Corpus
    from tagpool.experts.inside.explanation import Explanation
    from tagpool.experts.tagger import Sentences, WeightTables
    from tagpool.features.template import TemplateSet


@declare_parameters
class Expert(Tagger):
    """A tagger whose weights a trainer finds, with probabilities of labels and sequences."""

    order = 1

    pairs: str = parameter(
        default="all", choices=("all", "observed"), help="Which (feature, label) cells have weights: all, or those observed."
    )
    class_weight: Mapping[str, float] | str | None = parameter(
        default=None, choices=("balanced",), help="Weight of each label (1 if not listed), or 'balanced' for inverse frequencies."
    )

    has_probabilities = True

    def predict_proba(self, sentences: Sentences) -> list[NDArray[np.float64]]:
        """The probability of every label at every token: for each sentence a [T][L] array, in the order of ``labels_``."""
        from tagpool.experts.linear.lattices import marginals

        return marginals(self, sentences)

    predict_marginals = predict_proba

    def lattices(self, sentences: Sentences) -> list[Lattice]:
        """The scores of every sentence, for all that a :class:`Lattice` can do: n best, constraints, samples, pools."""
        from tagpool.experts.linear.lattices import lattices

        return lattices(self, sentences)

    def _train(self, sentences: Any, labels: Any, **how: Any) -> None:
        from tagpool.experts.linear.training import fit

        fit(self, sentences, labels, **how)

    def _templates(self) -> TemplateSet:
        from tagpool.features.transitions import transition_templates

        templates = super()._templates()
        return transition_templates(templates) if self.chain else templates

    def _explain(self, corpus: Corpus, number: int) -> Explanation:
        from tagpool.experts.inside.linear import explain

        return explain(self, corpus, number)

    def _weight_tables(self, top: int, labels: Sequence[str] | None, template: str | None) -> WeightTables:
        from tagpool.experts.inside.inspection import top_transition_features, top_transitions
        from tagpool.experts.saving import has_history_names

        transitions = top_transitions(self, top=top, labels=labels)
        features = top_transition_features(self, top=top, labels=labels, template=template) if has_history_names(self) else []
        return {
            "transitions": (["from", "to"], [(one.before or "(start)", one.after or "(end)", one.weight) for one in transitions]),
            "transition_features": (["transition feature", "from", "to"], features),
        }

    def _fitted(self) -> _native.Model:
        model: _native.Model = super()._fitted()
        return model

    def _pruned(self, least: float) -> _native.Model:
        from tagpool.experts.saving import feature_names, history_names

        model = self._fitted()
        history = history_names(self) if model.has_history else []
        return model.pruned(least, feature_names(self), history)
