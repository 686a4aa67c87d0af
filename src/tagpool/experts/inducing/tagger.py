"""InducingTagger: an online learner that joins features to new ones while it learns (dynamic feature induction, Choi 2016).

A start-up file, like tagger.py.
"""

from __future__ import annotations

from tagpool import _native
from tagpool.errors import InputError, ModelError
from tagpool.experts.metadata import read_number
from tagpool.experts.tagger import Tagger
from tagpool.lazy import TYPE_CHECKING
from tagpool.parameters import Exclusive, declare_parameters, parameter

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, ClassVar

    from tagpool.corpus.corpus import Corpus
    from tagpool.experts.inducing.training import InducingTraining
    from tagpool.experts.inside.explanation import Explanation
    from tagpool.experts.sequence_tagger import Instead
    from tagpool.experts.tagger import WeightTables

_RECALLED = ("beam", "induce", "strongest", "slots")  # parameters for tagging and further training


@declare_parameters
class InducingTagger(Tagger):
    """A tagger that labels from left to right, with previous labels as features, and joins features to conjunctions.

    It learns from errors only: a multiclass hinge loss with AdaGrad steps and regularised dual averaging. After an error, the
    strongest features of the correct label are joined: the first with each of the others. Conjunctions are hashed.
    Features with values, such as embeddings, are not joined.

    Templates may use previous labels: ``label[-1]``, ``label[-2] & label[-1]``, ``label[-1] & word[0]``. Weights are averaged
    over epochs. With ``dropout``, tokens lack random features in each epoch, and the conjunctions of these.

    >>> from tagpool import builtin_corpus
    >>> tagger = InducingTagger("word[-1..1]\\nshape(word, short)[-1..1]\\nlabel[-1]").fit(builtin_corpus(300))
    >>> tagger.predict([["Ann", "Smith", "moved", "to", "Oslo", "."]])[0][0]
    'B-PER'
    """

    kind = "inducing"
    reads_labels = True
    native: ClassVar[Any] = _native.OnlineModel

    induce: bool = parameter(default=True, help="Whether features are joined to conjunctions.")
    strongest: int = parameter(default=3, minimum=2, tune=(2, 5), help="Features considered for conjunctions after an error.")
    slots: int = parameter(default=5_000_000, minimum=1, maximum=2**32 - 1, help="Hash table size for conjunctions.")
    l1: float = parameter(default=1e-8, minimum=0, tune=(1e-9, 2e-7), help="Penalty of dual averaging per token.")
    dual_averaging: bool = parameter(default=True, help="Whether weights with little evidence stay zero.")
    step: float = parameter(default=0.02, minimum=Exclusive(0), tune=(0.005, 0.1), help="Step size of AdaGrad.")
    rho: float = parameter(default=1e-5, minimum=0, help="Constant added to the squared gradients of AdaGrad.")
    batch: int = parameter(default=5, minimum=1, tune=(1, 20), help="Sentences per update.")
    gold: float = parameter(
        default=0.95, minimum=0, maximum=1, help="Probability of true previous labels in training, to the power of past epochs."
    )
    dropout: float = parameter(
        default=0.0, minimum=0, maximum=Exclusive(1), tune=(0.0, 0.3), help="Share of features that a token lacks in an epoch."
    )
    epochs: int = parameter(default=8, minimum=1, tune=(5, 20), help="Maximum number of passes over the sentences.")
    average_from: int | None = parameter(default=2, minimum=0, help="Epochs before averaging begins; None: no average.")
    beam: int = parameter(default=1, minimum=1, maximum=1024, tune=(1, 8), help="Sequences kept while tagging; 1 is greedy.")
    warm_start: bool = parameter(default=False, help="Whether fit continues from the weights of the last fit.")

    def idle_parameters(self) -> frozenset[str]:
        """The parameters of what is switched off: of conjunctions and of dual averaging."""
        return frozenset([*(() if self.induce else ("strongest",)), *(() if self.dual_averaging else ("l1",))])

    @property
    def conjunction_count(self) -> int:
        """The number of conjunctions among the features."""
        return self._fitted().conjunction_count

    def _training(self, sentences: Any, labels: Any, **options: Any) -> InducingTraining:
        from tagpool.experts.inducing.training import InducingTraining

        return InducingTraining(self, sentences, labels, **options)

    def _explain(self, corpus: Corpus, number: int, instead: Instead = None) -> Explanation:
        from tagpool.experts.inducing.explanation import explain

        return explain(self, corpus, number, instead)

    def _weight_tables(self, top: int, labels: Sequence[str] | None, template: str | None) -> WeightTables:
        from tagpool.experts.inducing.inspection import top_conjunctions, top_label_features
        from tagpool.experts.saving import has_names

        if not has_names(self):
            return {}
        return {
            "label_features": (["with previous labels", "label"], list(top_label_features(self, top=top, labels=labels))),
            "conjunctions": (["conjunction", "label"], list(top_conjunctions(self, top=top, labels=labels))),
        }

    def _fitted(self) -> _native.OnlineModel:
        model: _native.OnlineModel = super()._fitted()
        return model

    def _search(self) -> tuple[int, ...]:
        return (self.beam,)

    def _recall(self) -> None:
        for name in _RECALLED:
            key = f"{self.kind}.{name}"
            number = read_number(self._fitted().text(key), key)
            try:
                self.set_params(**{name: type(self.parameters()[name].default)(number)})
            except InputError as error:
                raise ModelError(f"damaged metadata {key!r}: {error.message}") from None

    def _further_texts(self) -> dict[str, str]:
        # Plain numbers can be read without a JSON parser.
        return {f"{self.kind}.{name}": str(int(getattr(self, name))) for name in _RECALLED}

    def _name_arrays(self) -> dict[str, bytes]:
        from tagpool.experts.inducing.names import pack

        return pack(self)
