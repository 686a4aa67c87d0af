"""Dev sets of a robust training: the clean one, and changed ones, which show how much F1 each change costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from tagpool.corpus.corpus import Corpus
from tagpool.experts.inputs import as_corpus
from tagpool.experts.linear.training import LinearTraining
from tagpool.experts.robust.missing import without_group
from tagpool.experts.training_data import UNKNOWN
from tagpool.features.encoded import EncodedCorpus
from tagpool.features.encoder import Encoder
from tagpool.optim.watch import Weights
from tagpool.perturbations.perturb import perturb
from tagpool.perturbations.perturbation import NotApplicable
from tagpool.perturbations.registry import PERTURBATIONS

_MOST = 300  # sentences of a changed dev set
_SEED = 0


@dataclass(frozen=True)
class Scores:
    """F1 on a dev set and on changed ones, from 0 to 1; ``size`` and ``sizes`` have their numbers of spans."""

    clean: float
    changed: dict[str, float]
    sizes: dict[str, int]
    size: int


@dataclass(frozen=True)
class DevSets:
    """A dev set, and changed sentences of it by the name of the change; ``same`` has these sentences without a change."""

    clean: EncodedCorpus
    same: EncodedCorpus
    changed: dict[str, EncodedCorpus]

    @classmethod
    def of(cls, training: LinearTraining, dev: Any, changes: Sequence[str], *, train: Corpus) -> DevSets:
        """Encode a dev set for a training; a change that does not apply is left out."""
        encoder = training.data.encoder
        assert isinstance(encoder, Encoder)
        corpus = as_corpus(*dev, unknown=UNKNOWN) if isinstance(dev, tuple) else as_corpus(dev)
        clean = training.data.encode_dev(corpus)
        part = _sample(corpus)
        same = clean if part is corpus else training.data.encode_dev(part)
        changed: dict[str, EncodedCorpus] = {}
        for name in changes:
            if name not in PERTURBATIONS:
                changed[name] = without_group(encoder, same, name)
                continue
            options: dict[str, Any] = {"known": train} if name == "names" else {}
            try:
                other = perturb(part, name, share=PERTURBATIONS[name].usual_share, seed=_SEED, **options)
            except NotApplicable:
                continue
            changed[name] = training.data.encode_dev(other)
        return cls(clean, same, changed)

    def clean_score(self, training: LinearTraining, weights: Weights) -> float:
        """Return the F1 of weights on the dev set, from 0 to 1."""
        return _Scorer(training, weights).score(self.clean)

    def scores(self, training: LinearTraining, weights: Weights) -> dict[str, float]:
        """Return the F1 of weights on each changed dev set, from 0 to 1."""
        with_model = _Scorer(training, weights)
        return {name: with_model.score(one) for name, one in self.changed.items()}

    def audit(self, training: LinearTraining, weights: Weights) -> Scores:
        """Return the scores of weights on all sets, with their numbers of spans."""
        sizes = {name: training.size_of(one) for name, one in self.changed.items()}
        clean = _Scorer(training, weights).score(self.same)
        return Scores(clean, self.scores(training, weights), sizes, training.size_of(self.same))


class _Scorer:
    """A model of weights, which labels several sets."""

    def __init__(self, training: LinearTraining, weights: Weights) -> None:
        self.training = training
        self.model = training.dev_model(weights)

    def score(self, dev: EncodedCorpus) -> float:
        """Return the F1 on encoded sentences, from 0 to 1."""
        tagger = self.training.tagger
        labels = self.model.tag_encoding(dev.native, tagger.threads, dev.history)
        return self.training.score_of(labels, dev)


def kind_of(name: str, changes: Mapping[str, Sequence[str]]) -> str:
    """Return the kind of a change."""
    return next(kind for kind, names in changes.items() if name in names)


def _sample(corpus: Corpus) -> Corpus:
    """Return the corpus, or a part of it that is large enough to compare models."""
    if len(corpus) <= _MOST:
        return corpus
    return corpus.select(sorted(Random(_SEED).sample(range(len(corpus)), _MOST)))
