"""InducingTagger: an online learner that joins features to new ones while it learns (dynamic feature induction, Choi 2016).

Like tagger.py this module imports next to nothing.
"""

from __future__ import annotations

from tagpool import _native
from tagpool.errors import ModelError
from tagpool.experts.tagger import Tagger
from tagpool.lazy import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from typing import Any, ClassVar

    from tagpool.corpus.corpus import Corpus
    from tagpool.experts.inside.explanation import Explanation
    from tagpool.experts.tagger import WeightTables
    from tagpool.features.template import TemplateSet

_RECALLED = ("beam", "induce", "strongest", "slots")  # parameters that matter when a model tags or goes on


class InducingTagger(Tagger):
    """A tagger that labels from left to right, looks at the labels it has given, and joins features that help together to pairs.

    It learns from mistakes alone: a multiclass hinge with AdaGrad steps (``step``, ``rho``) and regularised dual averaging, by
    which weights that little speaks for stay zero. ``l1`` is its penalty for every token seen, from 1e-8 to 2e-7 for a million
    of them; with ``dual_averaging`` False there is none. Weights change after every ``batch`` of sentences, and are averaged
    over epochs, the first ``average_from`` left out (None: no average).

    After a mistake the ``strongest`` features that spoke for the right label are looked at, and the first is joined with each of
    the others; from then on such a pair is a feature itself. Pairs are hashed to ``slots`` of them. With ``induce`` False
    features stay as they are. Embeddings and other features with values are never joined.

    Templates may look at previous labels: ``label[-1]``, ``label[-2] & label[-1]``, ``label[-1] & word[0]``. In training these
    are the true ones with probability ``gold`` to the power of the number of epochs behind, else those that it would give.
    Tagging keeps the ``beam`` best sequences, 1 being greedy. ``epochs`` are at most so many; other parameters are those of
    :class:`CRF`.

    >>> from tagpool import builtin_corpus
    >>> tagger = InducingTagger("word[-1..1]\\nshape(word, short)[-1..1]\\nlabel[-1]").fit(builtin_corpus(300))
    >>> tagger.predict([["Dr.", "Okafor", "moved", "to", "Oslo", "."]])[0][1]
    'B-PER'
    """

    kind = "inducing"
    native: ClassVar[Any] = _native.OnlineModel

    _model: _native.OnlineModel | None = None

    def __init__(
        self,
        features: TemplateSet | str | Path = "pos",
        *,
        resources: Mapping[str, Any] | None = None,
        induce: bool = True,
        strongest: int = 3,
        slots: int = 5_000_000,
        l1: float = 1e-8,
        dual_averaging: bool = True,
        step: float = 0.02,
        rho: float = 1e-5,
        batch: int = 5,
        gold: float = 0.95,
        epochs: int = 8,
        average_from: int | None = 2,
        beam: int = 1,
        min_count: int = 1,
        hash_size: int | None = None,
        unknown_label: str | None = None,
        patience: int | None = 5,
        seed: int = 1,
        threads: int = 1,
        warm_start: bool = False,
    ) -> None:
        self.features = features
        self.resources = resources
        self.induce = induce
        self.strongest = strongest
        self.slots = slots
        self.l1 = l1
        self.dual_averaging = dual_averaging
        self.step = step
        self.rho = rho
        self.batch = batch
        self.gold = gold
        self.epochs = epochs
        self.average_from = average_from
        self.beam = beam
        self.min_count = min_count
        self.hash_size = hash_size
        self.unknown_label = unknown_label
        self.patience = patience
        self.seed = seed
        self.threads = threads
        self.warm_start = warm_start

    @property
    def conjunction_count(self) -> int:
        """The number of conjunctions among the features."""
        return self._fitted().pair_count

    def _train(self, sentences: Any, labels: Any, **how: Any) -> None:
        from tagpool.experts.inducing.training import fit

        fit(self, sentences, labels, **how)

    def _explain(self, corpus: Corpus, number: int) -> Explanation:
        from tagpool.experts.inducing.explanation import explain

        return explain(self, corpus, number)

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
            text = self._fitted().text(f"{self.kind}.{name}") or ""
            if not text.isdecimal():
                raise ModelError(f"the model's {name} is missing, or no whole number")
            self.set_params(**{name: type(self._defaults()[name])(int(text))})

    def _kept_besides(self, half: bool) -> tuple[dict[str, str], dict[str, bytes]]:
        # As plain numbers, which can be read without a parser: loading imports next to nothing.
        return {f"{self.kind}.{name}": str(int(getattr(self, name))) for name in _RECALLED}, {}

    def _kept_with_names(self) -> dict[str, bytes]:
        from tagpool.experts.inducing.names import pack

        return pack(self)
