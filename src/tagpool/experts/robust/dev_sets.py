"""Dev sets of a robust training: the clean one, and changed ones, which show how much F1 each change costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
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
class DevTexts:
    """A dev set, sentences of it, and these sentences with each change by its name; ``groups`` are removed later."""

    clean: Corpus
    same: Corpus
    changed: dict[str, Corpus]
    groups: list[str]

    @classmethod
    def of(cls, dev: Any, changes: Sequence[str], *, train: Corpus) -> DevTexts:
        """Perturb sentences of a dev set; a change that does not apply is left out."""
        clean = as_corpus(*dev, unknown=UNKNOWN) if isinstance(dev, tuple) else as_corpus(dev)
        same = _sample(clean)
        changed: dict[str, Corpus] = {}
        for name in changes:
            if name not in PERTURBATIONS:
                continue
            options: dict[str, Any] = {"known": train} if name == "names" else {}
            try:
                changed[name] = perturb(same, name, share=PERTURBATIONS[name].usual_share, seed=_SEED, **options)
            except NotApplicable:
                continue
        return cls(clean, same, changed, [name for name in changes if name not in PERTURBATIONS])

    def only(self, changes: Sequence[str]) -> DevTexts:
        """Return the texts of some of the changes."""
        changed = {name: text for name, text in self.changed.items() if name in changes}
        return replace(self, changed=changed, groups=[group for group in self.groups if group in changes])


@dataclass(frozen=True)
class DevSets:
    """A dev set, and changed sentences of it by the name of the change; ``same`` has these sentences without a change."""

    clean: EncodedCorpus
    same: EncodedCorpus
    changed: dict[str, EncodedCorpus]

    @classmethod
    def of(cls, training: LinearTraining, texts: DevTexts) -> DevSets:
        """Encode texts for a training."""
        encoder = training.data.encoder
        assert isinstance(encoder, Encoder)
        clean = training.data.encode_dev(texts.clean)
        same = clean if texts.same is texts.clean else training.data.encode_dev(texts.same)
        changed = {name: training.data.encode_dev(text) for name, text in texts.changed.items()}
        return cls(clean, same, changed | {group: without_group(encoder, same, group) for group in texts.groups})

    def audit(self, training: LinearTraining, weights: Weights) -> Scores:
        """Return the scores of weights on the sentences with and without each change, with their numbers of spans."""
        sizes = {name: training.size_of(one) for name, one in self.changed.items()}
        scorer = Scorer(training, weights, self)
        return Scores(scorer.score(self.same), scorer.changed(), sizes, training.size_of(self.same))


class Scorer:
    """A model of weights, which labels several sets. Making it takes time."""

    def __init__(self, training: LinearTraining, weights: Weights, sets: DevSets) -> None:
        self.training = training
        self.sets = sets
        self.model = training.dev_model(weights)

    def clean(self) -> float:
        """Return the F1 on the dev set, from 0 to 1."""
        return self.score(self.sets.clean)

    def changed(self) -> dict[str, float]:
        """Return the F1 on each changed dev set, from 0 to 1."""
        return {name: self.score(one) for name, one in self.sets.changed.items()}

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
