"""Path experts on names of CoNLL-2003: the taggers and pools of this project, pooled by their labels and by their probabilities.

Every choice is made on dev: the experts, and by cross-validation the pooling method. The pool learns its weights on dev from
experts that were trained on train alone; then the same weights are tested with experts that were trained on both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from tagpool.chain.lattice import Lattice
from tagpool.corpus.concatenation import concatenate
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.schemes import Scheme
from tagpool.evaluation.scores import score
from tagpool.experiments.corpora import Split, conll2003, newswire_clusters, read_resources
from tagpool.experiments.fits import Labels, compared, measured
from tagpool.experiments.names_experts import BESIDE, FIRST, MEMBERS, SCHEME, Member, Predictions, cross_validate, predict
from tagpool.experiments.study import Setting, Study, Table
from tagpool.features.embeddings import Embeddings
from tagpool.pools.two_stage.columns import add_columns
from tagpool.pools.votes.pool import VotePool

_FOLDS = 3  # parts of the documents, for the first stage
_TRIALS = 5  # parts of dev, for the choice of the pool
_SCALE = 0.4  # of vectors, against features that are 0 or 1
LabelsByName: TypeAlias = dict[str, Labels]
_LEAST = 1e-12  # so that every probability has a logarithm
_AVERAGED = "mean of the probabilities"
_MARGIN = 0.1  # so much better on dev a pool must be that learns weights: less is chance
_DEV, _TEST, _BOTH = "dev F1", "test F1", "test F1, trained on train and dev"


@dataclass(frozen=True)
class Pooling:
    """A way to pool: the parameters of a VotePool."""

    method: str
    key: str = "shared"
    beta: float = 0.95

    def __str__(self) -> str:
        beta = f", β {self.beta:g}" if self.method == "mvote" else ""
        key = "" if self.method in ("majority", "sle", "best") else f", key {self.key}"
        return f"{self.method}{key}{beta}"

    def out_of_fold(self, outputs: LabelsByName, gold: Corpus) -> Labels:
        """Return the labels of the pool for documents that it was not trained on."""
        results: Labels = [[] for _ in range(len(gold))]
        for rest, tried in gold.fold_numbers(_TRIALS, seed=1, by_document=True):
            known = {name: [labels[number] for number in rest] for name, labels in outputs.items()}
            tested = {name: [labels[number] for number in tried] for name, labels in outputs.items()}
            pooled = self.pool().fit(known, gold.select(rest)).predict(tested)
            for number, labels in zip(tried, pooled, strict=True):
                results[number] = labels
        return results

    def pool(self) -> VotePool:
        """The pool, not fitted."""
        return VotePool(self.method, key=self.key, beta=self.beta, scheme=SCHEME, unknown="allow")


_NOTES = [
    "Experts are trained once, with the seeds 1 to 3; CRFs and MaxEnt with feature dropout. All but the first are second stages: "
    "they use the labels of the first for the document, cross-validated on training documents. The first, the bagged and the "
    "elitist CRFs are in no pool; the last two were excluded for their dev F1 in an earlier table (95.02 and 93.17), and not "
    "tried with these members. Clusters of newswire are computed in the run, from Reuters-21578. Labels are BIOES.",
    f"The {_AVERAGED} has no weights; the labels of inducing taggers, which have no probabilities, have the probability 1. "
    "VotePools learn their weights on dev, from experts trained on train; their dev F1 is cross-validated by documents. The last "
    "column has the same experts trained on train and dev, which is usual on this corpus, with the same weights.",
    f"The pool is chosen on dev: the {_AVERAGED}, unless a VotePool is more than {_MARGIN:g} F1 better there. Members were "
    "chosen on dev, too: about fifteen were tried; those with a high F1 and few common errors are used.",
    "The test set was used before, in an earlier table with other members: the pool chosen there had 91.82 trained on train "
    "(best member 92.00) and 92.06 trained on train and dev (best member 92.05). The first stage and two members come from "
    "that table; its figures were a reason to look for more different members, and did not choose any. With these members the "
    "test set was used in one run, and its first 800 sentences in quick runs; this is the same run with the bagged and the "
    "elitist CRFs.",
]
POOLINGS = tuple(
    Pooling(method, key, beta)
    for method, keys, betas in (
        ("majority", ("shared",), (0.95,)),
        ("mvote", ("shared", "label"), (0.5, 0.7, 0.9, 0.95)),
        ("espboost", ("shared", "label"), (0.95,)),
        ("sle", ("shared",), (0.95,)),
    )
    for key in keys
    for beta in betas
)


def run(setting: Setting) -> Study:
    """Run the table: every expert and every pool, on dev and on test."""
    study = Study("paths-ner", "Path experts on names of CoNLL-2003: the taggers and pools of this project, pooled")
    split = conll2003(setting)
    resources = read_resources(setting, "names", "phrases", "possible", "brown", "tweets", "glove")
    resources |= {"classes": resources.pop("possible"), "reuters": newswire_clusters(setting)}
    resources["glove"] = _scale(resources["glove"])
    apart = {member.name for member in (*FIRST, *BESIDE)}
    parts = _predict_all(split, resources, setting)
    labels = sorted({label for sentence in split.train.labels for label in sentence})
    experts = [{name: predictions.labels for name, predictions in outputs.items()} for outputs in parts]
    members = [{name: outputs[name] for name in outputs if name not in apart} for outputs in experts]
    golds = (split.dev.labels, split.test.labels, split.test.labels)
    tried = {pooling: pooling.out_of_fold(members[0], split.dev) for pooling in POOLINGS}
    reached = {pooling: 100 * score(split.dev.labels, outputs).f1 for pooling, outputs in tried.items()}
    setting.report(f"{len(tried)} ways to pool tried on dev")
    pools: list[LabelsByName] = [{_AVERAGED: average([row[name] for name in row if name not in apart], labels)} for row in parts]
    ways = best_of_each(reached)
    for pooling in ways:
        pool = pooling.pool().fit(members[0], split.dev)
        pools[0][f"VotePool: {pooling}"] = tried[pooling]
        for outputs, results in zip(members[1:], pools[1:], strict=True):
            results[f"VotePool: {pooling}"] = pool.predict(outputs)
    for name in (*experts[0], *pools[0]):
        for metric, gold, alone, pooled in zip((_DEV, _TEST, _BOTH), golds, experts, pools, strict=True):
            study.rows.append(measured(name, metric, gold, [alone[name] if name in alone else pooled[name]]))
    best = chosen({name: 100 * score(split.dev.labels, outputs).f1 for name, outputs in pools[0].items()})
    by_labels = f"VotePool: {ways[0]}"
    study.notes.append(f"Chosen on dev: {best}; of those that vote by labels, {by_labels}.")
    judged = dict.fromkeys((best, by_labels))
    for when, alone, pooled in zip(("Trained on train", "Trained on train and dev"), experts[1:], pools[1:], strict=True):
        study.notes += _significance(split.test.labels, {name: pooled[name] for name in judged}, alone, when)
    study.notes += _NOTES
    lines = [[str(pooling), f"{f1:.2f}"] for pooling, f1 in sorted(reached.items(), key=lambda item: -item[1])]
    study.tables.append(Table("Ways to pool by labels, cross-validated on dev", ["", _DEV], lines))
    return study


def best_of_each(reached: Mapping[Pooling, float]) -> list[Pooling]:
    """Return the best variant of every method, the best of all first; of equals the first.

    >>> reached = {Pooling("sle"): 90.0, Pooling("mvote"): 91.0, Pooling("mvote", "label"): 92.0}
    >>> [str(pooling) for pooling in best_of_each(reached)]
    ['mvote, key label, β 0.95', 'sle']
    """
    ordered = sorted(reached, key=lambda pooling: -reached[pooling])
    return [pooling for number, pooling in enumerate(ordered) if pooling.method not in {item.method for item in ordered[:number]}]


def chosen(reached: Mapping[str, float]) -> str:
    """Return the mean of the probabilities, unless another pool is better by more than a margin.

    >>> chosen({"mean of the probabilities": 95.0, "VotePool: sle": 95.05})
    'mean of the probabilities'
    >>> chosen({"mean of the probabilities": 95.0, "VotePool: sle": 95.3})
    'VotePool: sle'
    """
    best = max(reached, key=reached.__getitem__)
    return best if reached[best] > reached[_AVERAGED] + _MARGIN else _AVERAGED


def average(predictions: Sequence[Predictions], labels: Sequence[str]) -> Labels:
    """Return the best legal labels by the mean of the probabilities; without them, labels have the probability 1."""
    rules = Scheme.of(SCHEME).constraints(labels)
    certain = dict(zip(labels, np.eye(len(labels), dtype=np.float32), strict=True))
    supplied = [
        item.probabilities or [np.array([certain[label] for label in row]) for row in item.labels] for item in predictions
    ]
    no_edges = np.zeros((len(labels), len(labels)))
    results: Labels = []
    for sentence in zip(*supplied, strict=True):
        lattice = Lattice(np.log(np.mean(sentence, axis=0, dtype=np.float64) + _LEAST), no_edges)
        results.append([labels[number] for number in rules.constrain(lattice).best().labels.tolist()])
    return results


def _scale(embeddings: Embeddings) -> Embeddings:
    words = embeddings.rows.words()
    return Embeddings(words, _SCALE * embeddings.vectors[[embeddings.rows.row(word) for word in words]])


def _predict_all(split: Split, resources: Mapping[str, Any], setting: Setting) -> tuple[dict[str, Predictions], ...]:
    """Return the predictions of all experts on dev and test, and on test after training on train and dev."""

    def fit(member: Member, train: Corpus) -> Any:
        setting.report(f"{member.name}: {len(train):,} sentences")
        return member.fit(train, resources, setting.threads, setting.quick)

    def train_and_predict(train: Corpus, stages: LabelsByName, *tested: Corpus) -> list[dict[str, Predictions]]:
        outputs: list[dict[str, Predictions]] = [{} for _ in tested]
        views = {"": (train, *tested)}
        for member in (*FIRST, *MEMBERS, *BESIDE):
            learned, *seen = views[member.sees]
            tagger = fit(member, learned)
            for view, item in zip(seen, outputs, strict=True):
                item[member.name] = predict(tagger, view)
            del tagger  # with its lexicons it is large
            if member in FIRST:
                first = [item[member.name].labels for item in outputs]
                views[member.name] = tuple(map(add_columns, (train, *tested), (stages[member.name], *first)))
        return outputs

    stages = {first.name: cross_validate(first, split.train, _FOLDS, fit) for first in FIRST}
    on_dev, on_test = train_and_predict(split.train, stages, split.dev, split.test)
    both = {name: [*labels, *on_dev[name].labels] for name, labels in stages.items()}
    (on_test_both,) = train_and_predict(concatenate([split.train, split.dev]), both, split.test)
    return on_dev, on_test, on_test_both


def _significance(gold: Labels, pooled: LabelsByName, experts: LabelsByName, when: str) -> list[str]:
    """Return notes about the differences between pools and the expert that is best on the same sentences."""
    rival = max(experts, key=lambda name: score(gold, experts[name]).f1)
    results = {name: [outputs] for name, outputs in (pooled | {rival: experts[rival]}).items()}
    return [f"{when}, on the test set: {note}" for note in compared(gold, results, dict.fromkeys(pooled, rival))]
