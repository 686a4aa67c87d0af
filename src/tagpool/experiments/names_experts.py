"""The experts of ``paths-ner``: taggers and pools of every kind on names, each trained, asked, and let go.

Most are second stages: one CRF labels the documents first, by jackknife those that are learned from, and all of them look at the
same labels. So two stages of another kind cost one training more, not seven.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tagpool.corpus.corpus import Corpus
from tagpool.corpus.schemes import convert_many
from tagpool.corpus.splits import fold_numbers
from tagpool.experiments.corpora import in_scheme
from tagpool.experiments.fits import Labels, legally
from tagpool.experiments.texts import templates
from tagpool.experts.crf import CRF
from tagpool.experts.inducing import InducingTagger
from tagpool.experts.maxent import MaxEnt
from tagpool.features.parser import parse
from tagpool.optim.sgd import SGD
from tagpool.pools.bagging import FeatureBagging
from tagpool.pools.elitist import ElitistPool
from tagpool.pools.stages import TEMPLATES

Probabilities: TypeAlias = list[NDArray[np.float32]]
Make: TypeAlias = Callable[..., Any]
SCHEME = "bioes"
_STAGE = "stage"
_QUICK_EPOCHS = 4


@dataclass(frozen=True)
class Said:
    """What an expert says of sentences: labels, and the probabilities of all labels in alphabetical order, if it has any."""

    labels: Labels
    probabilities: Probabilities | None = None


@dataclass(frozen=True)
class Member:
    """An expert to be: how it is made, and of which bags of templates (none: all).

    ``second`` says that it sees the labels of a first stage, ``scheme`` how the labels are written that it learns,
    ``without`` the resources whose templates are left out.
    """

    name: str
    make: Make
    bags: tuple[str, ...] = ()
    second: bool = True
    scheme: str = SCHEME
    text: str = "names-rich"
    without: tuple[str, ...] = ()

    def fit(self, train: Corpus, resources: Mapping[str, Any], threads: int, quick: bool) -> Any:
        """The expert, trained."""
        parsed = parse(templates(self.text) + (f"\n[{_STAGE}]\n{TEMPLATES}" if self.second else ""))
        if self.bags:
            parsed = parsed.restrict(*self.bags, *([_STAGE] if self.second else []))
        parsed = parsed.without(*self.without)
        own = {name: each for name, each in resources.items() if name in parsed.resources}
        made = self.make(str(parsed), quick, resources=own, threads=threads)
        return made.fit(train if self.scheme == SCHEME else in_scheme(train, self.scheme))

    def ask(self, tagger: Any, corpus: Corpus) -> Said:
        """What it says, in the common scheme."""
        labels: Labels = legally(tagger, corpus) if isinstance(tagger, MaxEnt) else tagger.predict(corpus)
        if self.scheme != SCHEME:
            return Said(convert_many(labels, self.scheme, SCHEME, repair=True)[0])
        if not hasattr(tagger, "predict_marginals"):
            return Said(labels)
        order = np.argsort(np.array(tagger.labels_))
        return Said(labels, [each[:, order].astype(np.float32) for each in tagger.predict_marginals(corpus)])


def jackknifed(member: Member, train: Corpus, folds: int, fit: Callable[[Member, Corpus], Any]) -> Labels:
    """What an expert says of documents that it was trained without."""
    found: Labels = [[] for _ in range(len(train))]
    for rest, without in fold_numbers(train, folds, seed=1, by_document=True):
        tagger = fit(member, train.select(rest))
        for sentence, labels in zip(without, tagger.predict(train.select(without)), strict=True):
            found[sentence] = labels
    return found


def _expert(
    kind: type[CRF] | type[MaxEnt], l2: float, epochs: int, dropout: float = 0.0, drop: str = "features", **more: Any
) -> Make:
    """One expert by stochastic descent, for so long."""

    def make(features: str, quick: bool, **common: Any) -> Any:
        trainer = SGD(epochs=_QUICK_EPOCHS if quick else epochs, dropout=dropout, drop=drop)
        return kind(features, l2=l2, trainer=trainer, patience=None, **more, **common)

    return make


def _bagged(l2: float, epochs: int, dropout: float, bags: Mapping[str, list[str]]) -> Make:
    """A CRF for each bag; equal shares."""
    one = _expert(CRF, l2, epochs, dropout)
    return lambda features, quick, **common: FeatureBagging(
        one(features, quick, **common), bags=dict(bags), threads=common["threads"]
    )


def _elitist(strength: float, epochs: int) -> Make:
    """Three CRFs that compete for features."""
    return lambda features, quick, **common: ElitistPool(
        features, expert="crf", strength=strength, epochs=_QUICK_EPOCHS if quick else epochs, patience=None, **common
    )


def _inducing(l1: float, epochs: int) -> Make:
    """The learner that joins features."""
    return lambda features, quick, **common: InducingTagger(
        features, l1=l1, epochs=_QUICK_EPOCHS if quick else epochs, patience=None, **common
    )


_LETTERS, _LISTS, _VECTORS = ("ngrams", "rich"), ("lexicons", "clusters"), ("vectors",)
_USUAL = (*_LETTERS, *_LISTS, *_VECTORS, "document")
FIRST = Member("CRF, one stage", _expert(CRF, 0.3, 8, 0.3), _USUAL, second=False)
MEMBERS = (
    Member("CRF", _expert(CRF, 0.3, 10, 0.3), _USUAL),
    Member("CRF, more lists and clusters", _expert(CRF, 0.1, 10, 0.5)),
    Member("CRF without vectors", _expert(CRF, 0.3, 8, 0.3), (*_LETTERS, *_LISTS, "document", "more")),
    Member("CRF without name lists", _expert(CRF, 0.3, 8, 0.3), (*_LETTERS, "clusters", *_VECTORS, "document")),
    Member("MaxEnt, bags dropped", _expert(MaxEnt, 0.3, 8, 0.2, "bags")),
    Member(
        "bagged CRFs",
        _bagged(0.3, 8, 0.3, {"letters": [*_LETTERS, "document", _STAGE], "knowledge": [*_LISTS, *_VECTORS, _STAGE]}),
        _USUAL,
    ),
    Member("elitist CRFs", _elitist(0.3, 5), (*_LISTS, "document")),
    Member("inducing tagger", _inducing(3e-7, 8), text="names-induced", without=("tweets",)),
)
