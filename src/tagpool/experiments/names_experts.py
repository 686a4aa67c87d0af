"""Experts of ``paths-ner``: taggers and pools of every kind on names.

All but the first are second stages: one CRF labels the documents first (training documents by cross-validation), and the others
use its labels as features. So all second stages share one first stage. Half of them are linear models, half are inducing taggers:
on dev the errors of these two kinds overlap least. Two pools are reported beside them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tagpool.corpus.corpus import Corpus
from tagpool.corpus.schemes import convert_many
from tagpool.experiments.corpora import in_scheme
from tagpool.experiments.fits import Labels, legally
from tagpool.experiments.template_files import templates
from tagpool.experts.inducing.tagger import InducingTagger
from tagpool.experts.linear.crf import CRF
from tagpool.experts.linear.maxent import MaxEnt
from tagpool.features.parser import parse
from tagpool.optim.sgd import SGD
from tagpool.pools.bagging.pool import BaggingPool
from tagpool.pools.elitist.pool import ElitistPool
from tagpool.pools.two_stage.columns import TEMPLATES

Probabilities: TypeAlias = list[NDArray[np.float32]]
Make: TypeAlias = Callable[..., Any]
SCHEME = "bioes"
_STAGE = "stage"
_QUICK_EPOCHS = 4


@dataclass(frozen=True)
class Said:
    """Predictions of an expert: labels, and the probabilities of all labels in alphabetical order, if known."""

    labels: Labels
    probabilities: Probabilities | None = None


@dataclass(frozen=True)
class Member:
    """Definition of an expert: its constructor and its bags of templates (default: all).

    ``sees`` names the first stage whose labels are features (default: none), ``scheme`` is the tag scheme of training,
    ``text`` are its template files, ``without`` the resources whose templates are dropped.
    """

    name: str
    make: Make
    bags: tuple[str, ...] = ()
    sees: str = ""
    scheme: str = SCHEME
    text: tuple[str, ...] = ("names-rich",)
    without: tuple[str, ...] = ()
    seed: int = 1

    def fit(self, train: Corpus, resources: Mapping[str, Any], threads: int, quick: bool) -> Any:
        """Return the trained expert."""
        parsed = parse(templates(*self.text) + (f"\n[{_STAGE}]\n{TEMPLATES}" if self.sees else ""))
        if self.bags:
            parsed = parsed.restrict(*self.bags, *([_STAGE] if self.sees else []))
        parsed = parsed.without(*self.without)
        selected = {name: item for name, item in resources.items() if name in parsed.resources}
        tagger = self.make(str(parsed), quick, resources=selected, seed=self.seed, threads=threads)
        return tagger.fit(train if self.scheme == SCHEME else in_scheme(train, self.scheme))

    def ask(self, tagger: Any, corpus: Corpus) -> Said:
        """Return its predictions in the common scheme."""
        labels: Labels = legally(tagger, corpus) if isinstance(tagger, MaxEnt) else tagger.predict(corpus)
        if self.scheme != SCHEME:
            return Said(convert_many(labels, self.scheme, SCHEME, repair=True)[0])
        if not getattr(tagger, "has_probabilities", False):
            return Said(labels)
        order = np.argsort(np.array(tagger.labels_))
        return Said(labels, [item[:, order].astype(np.float32) for item in tagger.predict_marginals(corpus)])


def jackknifed(member: Member, train: Corpus, folds: int, fit: Callable[[Member, Corpus], Any]) -> Labels:
    """Return cross-validated predictions of an expert, with folds over documents."""
    results: Labels = [[] for _ in range(len(train))]
    for rest, without in train.fold_numbers(folds, seed=1, by_document=True):
        outputs = member.ask(fit(member, train.select(rest)), train.select(without))
        for sentence, labels in zip(without, outputs.labels, strict=True):
            results[sentence] = labels
    return results


def _expert(kind: type[CRF] | type[MaxEnt], l2: float, epochs: int, dropout: float, drop: str = "features") -> Make:
    """Return a constructor of an expert trained by SGD."""

    def make(features: str, quick: bool, **common: Any) -> Any:
        trainer = SGD(epochs=_QUICK_EPOCHS if quick else epochs, dropout=dropout, drop=drop)
        return kind(features, l2=l2, trainer=trainer, patience=None, **common)

    return make


def _bagged(l2: float, epochs: int, dropout: float, bags: Mapping[str, list[str]]) -> Make:
    """Return a pool of one CRF per bag with equal weights."""
    one = _expert(CRF, l2, epochs, dropout)
    return lambda features, quick, **common: BaggingPool(
        one(features, quick, **common), bags=dict(bags), threads=common["threads"]
    )


def _elitist(strength: float, epochs: int) -> Make:
    """Return a constructor of an elitist pool of three CRFs."""
    return lambda features, quick, **common: ElitistPool(
        features, expert="crf", strength=strength, epochs=_QUICK_EPOCHS if quick else epochs, patience=None, **common
    )


def _inducing(l1: float, epochs: int, beam: int) -> Make:
    """Return a constructor of an inducing tagger."""
    return lambda features, quick, **common: InducingTagger(
        features, l1=l1, epochs=_QUICK_EPOCHS if quick else epochs, beam=beam, patience=None, **common
    )


_LETTERS, _LISTS, _VECTORS = ("ngrams", "rich"), ("lexicons", "clusters"), ("vectors",)
_USUAL = (*_LETTERS, *_LISTS, *_VECTORS, "document")
_PAIRED = tuple(bag for bag in _USUAL if bag != "rich")  # induction finds the conjunctions of this bag
_OTHER = ("names", "clusters", "embeddings", "document", "more")
_ONE = "CRF, one stage"
FIRST = (Member(_ONE, _expert(CRF, 0.3, 8, 0.3), _USUAL),)
MEMBERS = (
    Member("CRF", _expert(CRF, 0.1, 10, 0.5), (*_USUAL, "more"), _ONE),
    Member("CRF, clusters of newswire", _expert(CRF, 0.1, 8, 0.5), (*_USUAL, "more", "newswire"), _ONE, seed=2),
    Member("MaxEnt, bags dropped", _expert(MaxEnt, 0.3, 8, 0.2, "bags"), (*_USUAL, "more"), _ONE),
    Member("inducing tagger", _inducing(3e-7, 8, 4), _OTHER, _ONE, text=("names-induced", "names-more"), seed=2),
    Member(
        "inducing tagger, clusters of newswire",
        _inducing(3e-7, 8, 4),
        (*_OTHER, "newswire"),
        _ONE,
        text=("names-induced", "names-more"),
    ),
    Member(
        "inducing tagger, features of the CRF",
        _inducing(3e-7, 6, 4),
        (*_PAIRED, "more", "labels"),
        _ONE,
        text=("names-rich", "names-labels"),
        seed=3,
    ),
)
BESIDE = (
    Member(
        "bagged CRFs",
        _bagged(0.3, 8, 0.3, {"letters": [*_LETTERS, "document", _STAGE], "knowledge": [*_LISTS, *_VECTORS, _STAGE]}),
        _USUAL,
        _ONE,
    ),
    Member("elitist CRFs", _elitist(0.3, 5), (*_LISTS, "document"), _ONE),
)
