"""TwoStageTagger: a second tagger that sees what a first one says of the rest of the document (after Krishnan and Manning 2006).

A name is told more easily by one mention than by another. The first stage labels a whole document; the second labels it again,
and looks at how the other mentions were labelled. It learns from labels that the first stage gave to documents it had not seen:
on those it has learned from, it is right far too often.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from tagpool.chain.checks import FloatArray
from tagpool.chain.lattice import Lattice
from tagpool.corpus.corpus import Corpus
from tagpool.errors import InputError, NotFittedError
from tagpool.experts.inputs import are_given_features, as_corpus
from tagpool.experts.linear.expert import Expert
from tagpool.experts.tagger import Tagger
from tagpool.experts.training_data import UNKNOWN, check_whole
from tagpool.features.parser import parse
from tagpool.features.presets import load_templates
from tagpool.optim.watch import Epoch
from tagpool.pools.bagging.pool import BaggingPool
from tagpool.pools.members import Member, as_sentences
from tagpool.pools.parallel_fits import OnEpoch
from tagpool.pools.pool import Pool
from tagpool.pools.two_stage.columns import COLUMNS, TEMPLATES, staged

Self = TypeVar("Self", bound="TwoStageTagger")
Stage = Tagger | BaggingPool
_NAMES = ("first stage", "second stage")


class TwoStageTagger(Pool):
    """Two taggers, the second of which looks at the labels that the first has given to the document.

    ``first`` is any tagger that can be fitted: a CRF, MaxEnt, InducingTagger, ElitistPool or BaggingPool. ``second`` is None,
    for one like the first whose templates are followed by ``templates``, or a tagger with templates of its own. Two columns are
    made for it: ``stage``, the type of each token's label, for ``elsewhere(stage, most)`` to look at, and ``mention``, the
    longest phrase around a token that was labelled elsewhere in the document. In training the labels come from first stages that
    were trained without the document, ``folds`` of them. The corpus must have documents; without any, ``predict`` sees each
    sentence alone.

    >>> from tagpool import CRF, Corpus, builtin_corpus
    >>> corpus = builtin_corpus(200)
    >>> columns = {"word": corpus.words, "label": corpus.labels}
    >>> documents = Corpus.from_columns(columns, documents=range(0, 200, 10))
    >>> pool = TwoStageTagger(CRF("word[-1..1]\\nshape(word, short)[-1..1]"), folds=2).fit(documents)
    >>> pool.names_, pool.predict([["Ann", "Smith", "moved", "to", "Oslo", "."]])[0][0]
    (('first stage', 'second stage'), 'B-PER')
    """

    kind = "two-stage"
    weights = "second decides"
    names_ = _NAMES
    made_columns = COLUMNS
    _stages: tuple[Any, Any] | None = None

    def __init__(
        self,
        first: Stage,
        second: Stage | None = None,
        *,
        templates: str = TEMPLATES,
        folds: int = 5,
        seed: int = 1,
        threads: int = 1,
    ) -> None:
        self.first = first
        self.second = second
        self.templates = templates
        self.folds = folds
        self.seed = seed
        self.threads = threads

    # Training -----------------------------------------------------------------------------------------------------------

    def fit(
        self: Self,
        sentences: Corpus | Sequence[Any],
        labels: Sequence[Sequence[str | None]] | None = None,
        *,
        dev: Corpus | tuple[Any, Any] | None = None,
        sample_weight: Sequence[float] | FloatArray | None = None,
        on_epoch: OnEpoch | None = None,
    ) -> Self:
        """Trains the first stage without each part of the documents, the second on what they say, and the first on everything.

        ``dev`` decides when each training stops, as for experts. ``on_epoch`` is called with what is being trained ("fold 1",
        "first stage", "second stage") and the :class:`Epoch`, and may return False to stop that training.
        """
        self._check()
        if not isinstance(sentences, Corpus) and are_given_features(sentences):
            raise InputError("given features have no documents: give TwoStageTagger a Corpus with documents, and templates")
        train = as_corpus(sentences, labels, unknown=UNKNOWN)
        held_out = None if dev is None else as_corpus(*dev) if isinstance(dev, tuple) else as_corpus(dev)
        weights = None if sample_weight is None else np.asarray(sample_weight, np.float64)
        if weights is not None and weights.shape != (len(train),):
            raise InputError(f"sample_weight: expected one weight a sentence, {len(train)}, got {weights.shape}")
        second = self._second_stage()
        self._stages = None  # a fit that fails leaves nothing half fitted
        said = self._jackknifed(train, held_out, weights, on_epoch)
        first = _fitted(_fresh(self.first, self.threads), train, held_out, weights, _named(on_epoch, _NAMES[0]))
        held_out = None if held_out is None else staged(held_out, first.predict(held_out))
        _fitted(second, staged(train, said), held_out, weights, _named(on_epoch, _NAMES[1]))
        self._stages = first, second
        return self

    def _check(self) -> None:
        for name, stage in (("first", self.first), ("second", self.second)):
            if not isinstance(stage, (Tagger, BaggingPool)) and not (name == "second" and stage is None):
                raise InputError(f"{name}={stage!r}: expected a tagger to be trained, such as CRF('ner')")
        for name, least in (("folds", 2), ("seed", 0), ("threads", 1)):
            check_whole(name, getattr(self, name), least)

    def _second_stage(self) -> Any:
        if self.second is not None:
            return _fresh(self.second, self.threads)
        made = _fresh(self.first, self.threads)
        owner: Any = made
        if isinstance(made, BaggingPool):
            owner = made.expert = _fresh(made.expert, self.threads)
        own, added = load_templates(owner.templates), parse(self.templates)
        owner.templates = replace(own, templates=(*own.templates, *added.templates), uses=(*own.uses, *added.uses))
        return made

    def _jackknifed(
        self, train: Corpus, dev: Corpus | None, weights: FloatArray | None, on_epoch: OnEpoch | None
    ) -> list[list[str]]:
        """What first stages say of documents that they were trained without."""
        found: list[list[str]] = [[]] * len(train)
        parts = train.fold_numbers(self.folds, seed=self.seed, by_document=True)
        for number, (rest, without) in enumerate(parts, 1):
            own = None if weights is None else weights[rest]
            stage = _fresh(self.first, self.threads)
            _fitted(stage, train.select(rest), dev, own, _named(on_epoch, f"fold {number}"))
            for sentence, labels in zip(without, stage.predict(train.select(without)), strict=True):
                found[sentence] = labels
        return found

    # Tagging ------------------------------------------------------------------------------------------------------------

    def staged(self, sentences: Corpus | Sequence[Any]) -> Corpus:
        """What the second stage sees: a corpus with two more columns, made of what the first says."""
        (first, _), _ = self._members_and_weights()
        whole = as_sentences(sentences)
        if not isinstance(whole, Corpus):
            raise InputError("TwoStageTagger was trained on words: it needs words, not features")
        return staged(whole, first.predict(whole))

    def member_inputs(self, corpus: Corpus) -> list[Corpus]:
        """The corpus as each stage is to see it."""
        return [corpus, self.staged(corpus)]

    def predict(self, sentences: Corpus | Sequence[Any]) -> list[list[str]]:
        """The best label sequence of every sentence."""
        (_, second), _ = self._members_and_weights()
        return second.predict(self.staged(sentences)) if len(sentences) else []

    def predict_marginals(self, sentences: Corpus | Sequence[Any]) -> list[FloatArray]:
        """The probability of every label at every token: for each sentence an array of tokens by labels."""
        found: list[FloatArray] = self._with_lattices().predict_marginals(self.staged(sentences)) if len(sentences) else []
        return found

    def lattices(self, sentences: Corpus | Sequence[Any]) -> list[Lattice]:
        """The scores of every sentence, those of the second stage."""
        found: list[Lattice] = self._with_lattices().lattices(self.staged(sentences)) if len(sentences) else []
        return found

    def _with_lattices(self) -> Any:
        (_, second), _ = self._members_and_weights()
        if not getattr(second, "has_probabilities", True):
            raise InputError(f"the second stage is a {type(second).__name__}, which has no probabilities and no lattices")
        return second

    def scored(self, sentences: Any) -> None:
        """Nothing: sentences are looked at one by one."""

    def merge(self) -> Expert:
        """An error: what the second stage sees is not known before the first is done."""
        raise InputError("two stages cannot be made one model: the second looks at the labels of the first")

    # What was learned ---------------------------------------------------------------------------------------------------

    @property
    def is_fitted(self) -> bool:
        """Whether there is anything to tag with."""
        return self._stages is not None

    @property
    def first_(self) -> Any:
        """The first stage, fitted."""
        return self._members_and_weights()[0][0]

    @property
    def second_(self) -> Any:
        """The second stage, fitted; it looks at what :meth:`staged` makes."""
        return self._members_and_weights()[0][1]

    @property
    def labels_(self) -> tuple[str, ...]:
        """The labels, in the order of their numbers."""
        found: tuple[str, ...] = self._members_and_weights()[0][1].labels_
        return found

    classes_ = labels_

    @property
    def summary_(self) -> dict[str, Any]:
        """What is remembered of the training, by stage."""
        return {_NAMES[0]: self.first_.summary_, _NAMES[1]: self.second_.summary_}

    def _members_and_weights(self) -> tuple[tuple[Member, ...], FloatArray]:
        if self._stages is None:
            raise NotFittedError("the TwoStageTagger was not fitted: call fit(corpus) first, or load a model")
        return self._stages, np.array([0.0, 1.0])

    def _combination(self) -> str:
        return "the second stage's labels"

    def record(self) -> dict[str, Any]:
        """What a file keeps beside the stages."""
        return {"folds": int(self.folds), "seed": int(self.seed), "templates": self.templates}

    @classmethod
    def restored(cls, stages: Sequence[Any], record: Mapping[str, Any]) -> TwoStageTagger:
        """The pool that a file tells of."""
        first, second = stages
        pool = cls(first, second, templates=str(record["templates"]), folds=int(record["folds"]), seed=int(record["seed"]))
        pool._stages = first, second
        return pool


def _fresh(stage: Any, threads: int) -> Any:
    """A tagger like this one, not fitted."""
    parameters = {**stage.get_params(deep=False), "threads": threads}
    made = type(stage)(**parameters)
    if isinstance(stage, Expert):
        made._dev_scheme = stage._dev_scheme
    return made


def _fitted(
    stage: Any, train: Corpus, dev: Corpus | None, weights: FloatArray | None, on_epoch: Callable[..., object] | None
) -> Any:
    return stage.fit(train, dev=dev, sample_weight=weights, on_epoch=on_epoch)


def _named(on_epoch: OnEpoch | None, name: str) -> Callable[..., object] | None:
    """Tells which stage an epoch is of; the members of a pool come with names of their own."""
    if on_epoch is None:
        return None

    def told(*said: Any) -> object:
        *member, epoch = said
        assert isinstance(epoch, Epoch)
        return on_epoch(", ".join([name, *member]), epoch)

    return told
