"""Experts of ``paths-ner``: taggers and pools of every kind on names.

All but the first are second stages: one CRF labels the documents first (training documents by cross-validation), and the others
use its labels as features. So all second stages share one first stage. The members use its labels of the other documents, too.
Half of them are linear models, half are inducing taggers: on dev the errors of these two kinds overlap least. A CRF without the
other documents and two pools are reported beside them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tagpool.corpus.corpus import Corpus
from tagpool.experiments import names_collection
from tagpool.experiments.corpora import templates
from tagpool.experiments.fits import Labels, legally
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
class Predictions:
    """Predictions of an expert: labels, and the probabilities of all labels in alphabetical order, if known."""

    labels: Labels
    probabilities: Probabilities | None = None


@dataclass(frozen=True)
class Member:
    """Definition of an expert: its constructor from templates and epochs, and its bags of templates (default: all).

    ``sees`` names the first stage whose labels are features (default: none), ``text`` are its template files. ``beyond``: also
    its labels of the other documents are features.
    """

    name: str
    make: Make
    epochs: int
    bags: tuple[str, ...] = ()
    sees: str = ""
    text: tuple[str, ...] = ("names-rich",)
    seed: int = 1
    beyond: bool = False

    def fit(self, train: Corpus, resources: Mapping[str, Any], threads: int, quick: bool) -> Any:
        """Return the trained expert."""
        stage = TEMPLATES + (names_collection.TEMPLATES if self.beyond else "")
        parsed = parse(templates(*self.text) + (f"\n[{_STAGE}]\n{stage}" if self.sees else ""))
        if self.bags:
            parsed = parsed.restrict(*self.bags, *([_STAGE] if self.sees else []))
        selected = {name: item for name, item in resources.items() if name in parsed.resources}
        epochs = _QUICK_EPOCHS if quick else self.epochs
        return self.make(str(parsed), epochs, resources=selected, seed=self.seed, threads=threads).fit(train)


def predict(tagger: Any, corpus: Corpus) -> Predictions:
    """Return the predictions of an expert."""
    labels: Labels = legally(tagger, corpus) if isinstance(tagger, MaxEnt) else tagger.predict(corpus)
    if not getattr(tagger, "has_probabilities", False):
        return Predictions(labels)
    order = np.argsort(np.array(tagger.labels_))
    return Predictions(labels, [item[:, order].astype(np.float32) for item in tagger.predict_marginals(corpus)])


def cross_validate(member: Member, train: Corpus, folds: int, fit: Callable[[Member, Corpus], Any]) -> Labels:
    """Return cross-validated predictions of an expert, with folds over documents."""
    results: Labels = [[] for _ in range(len(train))]
    for rest, without in train.fold_numbers(folds, seed=1, by_document=True):
        outputs = predict(fit(member, train.select(rest)), train.select(without))
        for sentence, labels in zip(without, outputs.labels, strict=True):
            results[sentence] = labels
    return results


def _expert(kind: type[CRF] | type[MaxEnt], l2: float, dropout: float, drop: str = "features") -> Make:
    return lambda features, epochs, **common: kind(
        features, l2=l2, trainer=SGD(epochs=epochs, dropout=dropout, drop=drop), patience=None, **common
    )


def _thorough(kind: type[CRF] | type[MaxEnt], l2: float, dropout: float, drop: str = "features") -> Make:
    """All epochs, and weights of all pairs of features and labels: slower than :func:`_expert`, and better on dev."""
    return lambda features, epochs, **common: kind(
        features,
        l2=l2,
        trainer=SGD(epochs=epochs, dropout=dropout, drop=drop, tolerance=0),
        pairs="all",
        patience=None,
        **common,
    )


def _bagged(l2: float, dropout: float, bags: dict[str, list[str]]) -> Make:
    one = _expert(CRF, l2, dropout)
    return lambda features, epochs, **common: BaggingPool(one(features, epochs, **common), bags=bags, threads=common["threads"])


def _elitist(strength: float) -> Make:
    return lambda features, epochs, **common: ElitistPool(
        features, expert="crf", strength=strength, epochs=epochs, patience=None, **common
    )


def _inducing(l1: float, beam: int, dropout: float) -> Make:
    return lambda features, epochs, **common: InducingTagger(
        features, l1=l1, epochs=epochs, beam=beam, dropout=dropout, patience=None, **common
    )


_LETTERS, _LISTS, _VECTORS = ("ngrams", "rich"), ("lexicons", "clusters"), ("vectors",)
_USUAL = (*_LETTERS, *_LISTS, *_VECTORS, "document")
_PAIRED = tuple(bag for bag in _USUAL if bag != "rich")  # induction finds the conjunctions of this bag
_OTHER = ("names", "clusters", "embeddings", "document", "more")
_ONE = "CRF, one stage"
FIRST = (Member(_ONE, _expert(CRF, 0.3, 0.3), 8, _USUAL),)
MEMBERS = (
    Member("CRF", _thorough(CRF, 0.5, 0.5), 10, (*_USUAL, "more"), _ONE, beyond=True),
    Member("CRF, clusters of newswire", _thorough(CRF, 0.5, 0.5), 8, (*_USUAL, "more", "newswire"), _ONE, seed=2, beyond=True),
    Member("MaxEnt, bags dropped", _thorough(MaxEnt, 0.3, 0.2, "bags"), 8, (*_USUAL, "more"), _ONE, beyond=True),
    Member(
        "inducing tagger", _inducing(3e-7, 4, 0.2), 14, _OTHER, _ONE, text=("names-induced", "names-more"), seed=2, beyond=True
    ),
    Member(
        "inducing tagger, clusters of newswire",
        _inducing(3e-7, 4, 0.2),
        14,
        (*_OTHER, "newswire"),
        _ONE,
        text=("names-induced", "names-more"),
        beyond=True,
    ),
    Member(
        "inducing tagger, features of the CRF",
        _inducing(3e-7, 4, 0.2),
        12,
        (*_PAIRED, "more", "labels"),
        _ONE,
        text=("names-rich", "names-labels"),
        seed=3,
        beyond=True,
    ),
)
BESIDE = (
    Member("CRF, without the other documents", _thorough(CRF, 0.5, 0.5), 10, (*_USUAL, "more"), _ONE),
    Member(
        "bagged CRFs",
        _bagged(0.3, 0.3, {"letters": [*_LETTERS, "document", _STAGE], "knowledge": [*_LISTS, *_VECTORS, _STAGE]}),
        8,
        _USUAL,
        _ONE,
    ),
    Member("elitist CRFs", _elitist(0.3), 5, (*_LISTS, "document"), _ONE),
)
