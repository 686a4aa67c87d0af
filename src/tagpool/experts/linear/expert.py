"""Expert: the base class of CRF and MaxEnt, which have a lattice of scores for every sentence.

A start-up file, like tagger.py.
"""

from __future__ import annotations

from tagpool.errors import InputError
from tagpool.experts.tagger import Tagger, TaggerParameters
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
    from tagpool.experts.linear.lattices import Scored
    from tagpool.experts.linear.training import LinearTraining
    from tagpool.experts.sequence_tagger import Instead, Sentences
    from tagpool.experts.tagger import WeightTables
    from tagpool.experts.tasks import Engine
    from tagpool.features.template import TemplateSet
    from tagpool.optim.trainer import Trainer


def trainers() -> Mapping[str, type[Trainer]]:
    """The trainers by kind."""
    from tagpool.optim.trainers import TRAINERS

    return TRAINERS


@declare_parameters
class LinearParameters(TaggerParameters):
    """The parameters that experts and elitist pools have."""

    pairs: str = parameter(
        default="auto",
        choices=("auto", "all", "frequent", "observed"),
        help="Pairs (feature, label) with weights: all, those observed, or frequent (all of features that occur 8 times, those "
        "observed of others). auto: all up to 16 labels, else frequent.",
    )
    class_weight: Mapping[str, float] | str | None = parameter(
        default=None, choices=("balanced",), help="Weight of each label (1 if not listed), or 'balanced' for inverse frequencies."
    )


@declare_parameters
class Expert(Tagger, LinearParameters):
    """A tagger whose weights a trainer finds, with probabilities of labels and sequences."""

    has_probabilities = True

    l2: float = parameter(default=1.0, minimum=0, tune=(0.01, 10.0), help="Penalty l2/2·|w|² added to the summed loss.")
    l1: float = parameter(default=0.0, minimum=0, tune=(0.01, 10.0), help="Penalty l1·|w| (trainers owlqn and fobos).")
    trainer: Trainer | str = parameter(default="sgd", kinds=trainers, help="Trainer that finds the weights.")
    warm_start: bool = parameter(default=False, help="Whether fit continues from the weights of the last fit.")
    robust: str | None = parameter(
        default=None,
        help="Changes of text that the model learns to stand, with commas between them: case, typos, ocr, spaces, punctuation, "
        "diacritics, digits, tokens, names; lists or groups (features that are missing); or auto, all that cost it F1 on dev.",
    )
    robust_cost: float = parameter(
        default=0.2, minimum=0, maximum=100, help="Points of dev F1 on clean text that robust may cost."
    )

    truecase: bool = parameter(
        default=False, help="Whether the model stores the usual capitals of words, for tagpool tag --truecase and truecaser_."
    )

    def _fit(self, sentences: Any, labels: Any, *, on_epoch: Any, **options: Any) -> None:
        truecaser = None
        if self.truecase:
            from tagpool.corpus.truecasing import Truecaser
            from tagpool.experts.inputs import are_given_features, as_corpus

            if are_given_features(sentences):
                raise InputError("truecase: given features have no words; train on words with templates, or without truecase")
            truecaser = Truecaser.of(as_corpus(sentences))
        self._fit_weights(sentences, labels, on_epoch=on_epoch, **options)
        self._truecaser = truecaser

    def check_engine(self) -> None:
        """Raise an error for trainings that stay in one process."""
        from tagpool.optim.trainers import trainer_of

        drop = "drop the engine (--engine ray)"
        if self.robust is not None:
            raise InputError(f"robust = {self.robust!r}: robust trainings stay in one process; {drop}")
        if self.warm_start and self.is_fitted:
            raise InputError(f"a model is continued in one process; {drop}")
        trainer_of(self.trainer).check_workers()

    def _fit_on(self, engine: Engine, sentences: Any, labels: Any, **options: Any) -> None:
        self._fit(sentences, labels, engine=engine, **options)

    def _fit_weights(self, sentences: Any, labels: Any, *, on_epoch: Any, engine: Engine | None = None, **options: Any) -> None:
        if engine is not None:
            from tagpool.experts.linear.sharded_training import fit_on_workers

            fit_on_workers(self, engine, sentences, labels, on_epoch=on_epoch, **options)
            return
        if self.robust is None:
            super()._fit(sentences, labels, on_epoch=on_epoch, **options)
            return
        from tagpool.experts.robust.fitting import RobustFit

        checkpoint = options.pop("checkpoint")
        RobustFit(self, sentences, labels, **options).run(on_epoch, checkpoint)

    def _recall(self) -> None:
        """Checks that only B and I labels of a file have two states, which further training relies on."""
        names = self._fitted().labels
        if len(set(names)) < len(names):
            from tagpool.corpus.transitions import label_parts
            from tagpool.errors import ModelError

            for number, name in enumerate(names):
                if name in names[:number] and label_parts(name).letter not in ("B", "I"):
                    raise ModelError(f"damaged metadata 'labels': {name[:40]!r} occurs twice")

    def idle_parameters(self) -> frozenset[str]:
        """The penalties that the trainer does not use."""
        from tagpool.optim.trainers import trainer_of

        return trainer_of(self.trainer).unused_penalties

    def scored(self, sentences: Sentences) -> Scored:
        """The scores of many sentences at once."""
        from tagpool.experts.linear.lattices import scored

        return scored(self, sentences)

    def lattices(self, sentences: Sentences) -> list[Lattice]:
        """The scores of every sentence; the lattices of a MaxEnt have edges of zero."""
        return list(self.scored(sentences).lattices())

    def predict_proba(self, sentences: Sentences) -> list[NDArray[np.float64]]:
        """The probability of every label at every token: for each sentence a [T][L] array, in the order of ``labels_``."""
        from tagpool.experts.linear.lattices import label_probabilities

        return label_probabilities(self, sentences)

    def _training(self, sentences: Any, labels: Any, **options: Any) -> LinearTraining:
        from tagpool.experts.linear.training import LinearTraining

        return LinearTraining(self, sentences, labels, **options)

    def _templates(self, corpus: Corpus | None = None) -> TemplateSet:
        from tagpool.features.transitions import transition_templates

        templates = super()._templates(corpus)
        return transition_templates(templates) if self.chain else templates

    def _explain(self, corpus: Corpus, number: int, instead: Instead = None) -> Explanation:
        from tagpool.experts.inside.linear import explain

        return explain(self, corpus, number, instead)

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
        from tagpool.corpus.faults import NameFaults
        from tagpool.experts.saving import feature_names, history_names

        with NameFaults():
            return self._fitted().pruned(least, feature_names(self), history_names(self))
