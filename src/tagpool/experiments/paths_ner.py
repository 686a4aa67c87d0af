"""Path experts on names of CoNLL-2003: all taggers and pools of this project as experts, pooled by their labels.

Every choice is made on dev: what the experts are, and by cross-validation how they are pooled. The pool learns its weights on dev
from experts that were trained on train alone; then the same weights are tried on experts that were trained on both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from tagpool.chain.lattice import Lattice
from tagpool.chain.rules import scheme_rules
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.splits import fold_numbers
from tagpool.evaluation.scores import score
from tagpool.experiments.corpora import (
    Split,
    clusters,
    conll2003,
    gazetteers,
    possible_tags,
    small_phrases,
    together,
    tweet_clusters,
    vectors,
)
from tagpool.experiments.fits import Labels, compared, measured
from tagpool.experiments.names_experts import FIRST, MEMBERS, SCHEME, Member, Said, jackknifed
from tagpool.experiments.study import Setting, Study, Table
from tagpool.pools.paths.pool import PathPool
from tagpool.pools.stages import staged

_FOLDS = 3  # parts of the documents, for the first stage
_TRIALS = 5  # parts of dev, for the choice of the pool
_SCALE = 0.4  # of vectors, against features that are 0 or 1
Heard: TypeAlias = dict[str, Labels]
_LEAST = 1e-12  # so that every probability has a logarithm
_AVERAGED = "mean of the probabilities"
_DEV, _TEST, _BOTH = "dev F1", "test F1", "test F1, trained on train and dev"


@dataclass(frozen=True)
class Pooling:
    """A way to pool: the parameters of a PathPool."""

    method: str
    key: str = "shared"
    beta: float = 0.95

    def __str__(self) -> str:
        beta = f", β {self.beta:g}" if self.method == "mvote" else ""
        key = "" if self.method in ("majority", "sle", "best") else f", key {self.key}"
        return f"{self.method}{key}{beta}"

    def out_of_fold(self, said: Heard, gold: Corpus) -> Labels:
        """What such a pool says of sentences whose documents it has not learned from."""
        found: Labels = [[] for _ in range(len(gold))]
        for rest, tried in fold_numbers(gold, _TRIALS, seed=1, by_document=True):
            known = {name: [labels[number] for number in rest] for name, labels in said.items()}
            asked = {name: [labels[number] for number in tried] for name, labels in said.items()}
            pooled = self.pool().fit(known, gold.select(rest)).predict(asked)
            for number, labels in zip(tried, pooled, strict=True):
                found[number] = labels
        return found

    def pool(self) -> PathPool:
        """The pool, not fitted."""
        return PathPool(self.method, key=self.key, beta=self.beta, scheme=SCHEME, unknown="allow")


_NOTES = [
    "Experts are trained once, with the seed 1; CRFs and MaxEnt with a part of the features left out at random. All but the "
    "first see what that one says of the document (two stages; it labels the documents that are learned from by jackknife). "
    "Labels are BIOES inside; scores are of whole names.",
    "Pools learn their weights on dev, from experts that were trained on train; their dev F1 is cross-validated by documents. "
    "The last column has the same experts trained on train and dev, which is usual on this corpus, with the same weights of the "
    "pools. Ways to pool, and the settings of the first CRFs, were chosen on dev; the others have usual ones. Test was looked at "
    "once.",
    f"The {_AVERAGED} of the experts that have any is a pool itself, with legal labels, and an expert of the others.",
]
POOLINGS = tuple(
    Pooling(method, key, beta)
    for method, keys, betas in (
        ("majority", ("shared",), (0.95,)),
        ("mvote", ("shared", "label"), (0.5, 0.7, 0.8, 0.9, 0.95, 0.98)),
        ("espboost", ("shared", "label"), (0.95,)),
        ("sle", ("shared",), (0.95,)),
    )
    for key in keys
    for beta in betas
)


def run(setting: Setting) -> Study:
    """The table: every expert and every way to pool them, on dev and on test."""
    study = Study("paths-ner", "Path experts on names of CoNLL-2003: taggers and pools of this project, pooled by their labels")
    split = conll2003(setting)
    resources = {
        "names": gazetteers(setting),
        "phrases": small_phrases(setting),
        "classes": possible_tags(setting),
        "brown": clusters(setting),
        "tweets": tweet_clusters(setting),
        "glove": vectors(setting, _SCALE),
    }
    on_dev, on_test, on_test_both = _heard_all(split, resources, setting)
    gold = split.test.labels
    for name in on_dev:
        study.rows.append(measured(name, _DEV, split.dev.labels, [on_dev[name]]))
        study.rows.append(measured(name, _TEST, gold, [on_test[name]]))
        study.rows.append(measured(name, _BOTH, gold, [on_test_both[name]]))
    tried = {pooling: pooling.out_of_fold(on_dev, split.dev) for pooling in POOLINGS}
    reached = {pooling: score(split.dev.labels, labels).f1 for pooling, labels in tried.items()}
    setting.say(f"{len(tried)} ways to pool tried on dev")
    pooled, pooled_both = {}, {}
    chosen = best_of_each(reached)
    for pooling in chosen:
        pool = pooling.pool().fit(on_dev, split.dev)
        name = f"PathPool: {pooling}"
        pooled[name], pooled_both[name] = pool.predict(on_test), pool.predict(on_test_both)
        study.rows.append(measured(name, _DEV, split.dev.labels, [tried[pooling]]))
        study.rows.append(measured(name, _TEST, gold, [pooled[name]]))
        study.rows.append(measured(name, _BOTH, gold, [pooled_both[name]]))
    best = f"PathPool: {chosen[0]}"
    study.notes.append(f"Chosen on dev: {best}.")
    study.notes += _significance(gold, best, pooled, on_test, "Trained on train")
    study.notes += _significance(gold, best, pooled_both, on_test_both, "Trained on train and dev")
    study.notes += _NOTES
    lines = [[str(pooling), f"{f1:.2f}"] for pooling, f1 in sorted(reached.items(), key=lambda each: -each[1])]
    study.tables.append(Table("Ways to pool, cross-validated on dev", ["", _DEV], lines))
    return study


def best_of_each(reached: Mapping[Pooling, float]) -> list[Pooling]:
    """The best way of every method, the very best first; of equals the first.

    >>> reached = {Pooling("sle"): 90.0, Pooling("mvote"): 91.0, Pooling("mvote", "label"): 92.0}
    >>> [str(pooling) for pooling in best_of_each(reached)]
    ['mvote, key label, β 0.95', 'sle']
    """
    ordered = sorted(reached, key=lambda pooling: -reached[pooling])
    return [pooling for number, pooling in enumerate(ordered) if pooling.method not in {each.method for each in ordered[:number]}]


def averaged(said: Mapping[str, Said], labels: Sequence[str]) -> Labels:
    """The best legal labels by the mean of the probabilities of those who have any."""
    rules = scheme_rules(labels, SCHEME)
    given = [each.probabilities for each in said.values() if each.probabilities is not None]
    no_edges = np.zeros((len(labels), len(labels)))
    found: Labels = []
    for sentence in zip(*given, strict=True):
        lattice = Lattice(np.log(np.mean(sentence, axis=0, dtype=np.float64) + _LEAST), no_edges)
        found.append([labels[number] for number in rules.constrain(lattice).best().labels.tolist()])
    return found


def _heard_all(split: Split, resources: Mapping[str, Any], setting: Setting) -> tuple[Heard, Heard, Heard]:
    """What all experts say of dev and of test, and of test again when dev was learned from too."""
    labels = sorted({label for sentence in split.train.labels for label in sentence})

    def fit(member: Member, train: Corpus) -> Any:
        setting.say(f"{member.name}: {len(train):,} sentences")
        return member.fit(train, resources, setting.threads, setting.quick)

    def hear(train: Corpus, stage: Labels, *asked: Corpus) -> list[Heard]:
        tagger = fit(FIRST, train)
        said: list[dict[str, Said]] = [{FIRST.name: FIRST.ask(tagger, part)} for part in asked]
        learned = staged(train, stage)
        seen = [staged(part, each[FIRST.name].labels) for part, each in zip(asked, said, strict=True)]
        for member in MEMBERS:
            tagger = fit(member, learned if member.second else train)
            for part, view, each in zip(asked, seen, said, strict=True):
                each[member.name] = member.ask(tagger, view if member.second else part)
            del tagger  # with its lexicons it is large
        return [{name: each.labels for name, each in some.items()} | {_AVERAGED: averaged(some, labels)} for some in said]

    stage = jackknifed(FIRST, split.train, _FOLDS, fit)
    on_dev, on_test = hear(split.train, stage, split.dev, split.test)
    (on_test_both,) = hear(together(split.train, split.dev), [*stage, *on_dev[FIRST.name]], split.test)
    return on_dev, on_test, on_test_both


def _significance(gold: Labels, name: str, pooled: Mapping[str, Labels], experts: Heard, when: str) -> list[str]:
    """Whether a pool is better than the expert that is best on the very same sentences."""
    rival = max(experts, key=lambda each: score(gold, experts[each]).f1)
    found = {name: [pooled[name]], rival: [experts[rival]]}
    return [f"{when}, on the test set: {note}" for note in compared(gold, found, {name: rival})]
