"""Path experts on names of CoNLL-2003: the taggers and pools of this project, pooled by their labels and by their probabilities.

Every choice is made on dev: the experts, and by cross-validation the pooling method. Experts are trained on train alone, and
pools learn their weights on dev.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from tagpool.chain.lattice import Lattice
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.schemes import Scheme
from tagpool.evaluation.scores import score
from tagpool.experiments.corpora import Split, conll2003, newswire_clusters, read_resources
from tagpool.experiments.fits import Labels, compared, measured
from tagpool.experiments.names_collection import add_other_documents
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
_DEV, _TEST = "dev F1", "test F1"


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
    "Experts are trained once on train, with the seeds 1 to 3; all but the elitist ones with dropout. All but the first are "
    "second stages: they use the labels of the first for the document, cross-validated on training documents. Members also "
    "use its labels of the other documents of the same set: of dev, of test, or of the part of train that a fold leaves "
    "out. So the labels of a test sentence depend on the words of the whole test set, but on no gold label of it. The "
    "first, the CRF without the other documents, and the bagged and elitist CRFs are in no pool. Clusters of newswire are "
    "computed in the run, from Reuters-21578. Labels are BIOES.",
    f"The {_AVERAGED} has no weights; the labels of inducing taggers, which have no probabilities, have the probability 1. "
    "VotePools learn their weights on dev; their dev F1 is cross-validated by documents.",
    f"The pool is chosen on dev: the {_AVERAGED}, unless a VotePool is more than {_MARGIN:g} F1 better there.",
    "Tried with five members on dev, before the inducing taggers had dropout, and not used: the product of the "
    "probabilities (95.00 to 95.07), votes for whole names (94.99 to 95.10), other weights or probabilities of the inducing "
    "taggers (94.94 to 95.11); the mean had 95.08. A stack, which was a CRF on the labels and probabilities of the first "
    "stage and the CRF without the other documents, trained on cross-validated predictions of train, had 94.89 to 94.98 on "
    "dev (mean 94.75), but no gain on thirds of train (93.06 to 93.16, mean 93.16).",
    "Labels of the other documents were worth 0.22 F1 on dev for the CRF and 0.27 for MaxEnt; with other settings of the "
    "trainer 0.31 for a CRF on the last third of train, trained on the rest. There, contiguous folds of the first stage "
    "were as good as random ones (91.56 and 91.55 without the other documents).",
    "Members were chosen on dev, too: about fifteen were tried for an earlier table. The test set was used before, in three "
    "tables: one with other members, one with these without the other documents, and one with all but the dropout of the "
    "inducing taggers and the corrected beam search. The pools chosen there had 91.82, 91.85 and 91.71, their best members "
    "92.00, 92.00 and 92.18. The trainer of CRFs and MaxEnt has changed since the second. All changes were chosen on dev: "
    "dropout of 0.2 and a longer training raised the inducing taggers from 94.59, 94.68 and 94.78 to 95.12, 95.15 and "
    "95.21.",
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
    golds = (split.dev.labels, split.test.labels)
    tried = {pooling: pooling.out_of_fold(members[0], split.dev) for pooling in POOLINGS}
    reached = {pooling: 100 * score(split.dev.labels, outputs).f1 for pooling, outputs in tried.items()}
    setting.report(f"{len(tried)} ways to pool tried on dev")
    pools: list[LabelsByName] = [{_AVERAGED: average([row[name] for name in members[0]], labels)} for row in parts]
    ways = best_of_each(reached)
    for pooling in ways:
        pools[0][f"VotePool: {pooling}"] = tried[pooling]
        pools[1][f"VotePool: {pooling}"] = pooling.pool().fit(members[0], split.dev).predict(members[1])
    for name in (*experts[0], *pools[0]):
        for metric, gold, alone, pooled in zip((_DEV, _TEST), golds, experts, pools, strict=True):
            study.rows.append(measured(name, metric, gold, [alone[name] if name in alone else pooled[name]]))
    best = chosen({name: 100 * score(split.dev.labels, outputs).f1 for name, outputs in pools[0].items()})
    by_labels = f"VotePool: {ways[0]}"
    study.notes.append(f"Chosen on dev: {best}; of those that vote by labels, {by_labels}.")
    judged = dict.fromkeys((best, by_labels))
    study.notes += _significance(split.test.labels, {name: pools[1][name] for name in judged}, experts[1])
    study.notes += _NOTES
    lines = [[str(pooling), f"{f1:.2f}"] for pooling, f1 in sorted(reached.items(), key=lambda item: -item[1])]
    study.tables.append(Table("Ways to pool by labels, cross-validated on dev", ["", _DEV], lines))
    study.tables.append(correlations(split.dev.labels, members[0]))
    return study


def correlations(gold: Labels, members: Mapping[str, Labels]) -> Table:
    """Return the table of the correlations between the errors of members."""
    others = members.values()
    lines = [[name, *(f"{error_correlation(gold, row, other):.2f}" for other in others)] for name, row in members.items()]
    return Table("Correlation of the errors of two members, over the tokens of dev", ["", *members], lines)


def error_correlation(gold: Labels, first: Labels, second: Labels) -> float:
    """Return the correlation of being wrong about a token; 0 if one is never wrong.

    >>> gold = [["S-PER", "O", "S-LOC", "O"]]
    >>> error_correlation(gold, [["O", "O", "S-LOC", "O"]], [["S-ORG", "O", "S-LOC", "O"]])
    1.0
    >>> round(error_correlation(gold, [["O", "O", "S-LOC", "O"]], [["S-PER", "O", "O", "O"]]), 2)
    -0.33
    """
    wrong = np.array(
        [[a != b for x, y in zip(gold, row, strict=True) for a, b in zip(x, y, strict=True)] for row in (first, second)]
    )
    means = wrong.mean(axis=1)
    spread = np.sqrt(np.prod(means * (1 - means)))
    return round(float(((wrong[0] & wrong[1]).mean() - means[0] * means[1]) / spread), 12) if spread else 0.0


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
    """Return the predictions of all experts on dev and on test."""

    def fit(member: Member, train: Corpus) -> Any:
        setting.report(f"{member.name}: {len(train):,} sentences")
        return member.fit(train, resources, setting.threads, setting.quick)

    outputs: tuple[dict[str, Predictions], ...] = ({}, {})
    views: dict[str, tuple[Corpus, ...]] = {"": (split.train, split.dev, split.test)}
    folds: list[Sequence[int]] = [without for _, without in split.train.fold_numbers(_FOLDS, seed=1, by_document=True)]
    for member in (*FIRST, *MEMBERS, *BESIDE):
        learned, *seen = views[member.sees]
        tagger = fit(member, learned)
        for view, item in zip(seen, outputs, strict=True):
            item[member.name] = predict(tagger, view)
        del tagger  # with its lexicons it is large
        if member in FIRST:
            first = [cross_validate(member, split.train, _FOLDS, fit), *(item[member.name].labels for item in outputs)]
            wholes: list[list[Sequence[int]]] = [[range(len(view))] for view in seen]
            views[member.name] = tuple(map(_second_stage, (learned, *seen), first, [folds, *wholes]))
    return outputs


def _second_stage(corpus: Corpus, labels: Labels, collections: Sequence[Sequence[int]]) -> Corpus:
    return add_other_documents(add_columns(corpus, labels), labels, collections)


def _significance(gold: Labels, pooled: LabelsByName, experts: LabelsByName) -> list[str]:
    """Return notes about the differences between pools and the expert that is best on the same sentences."""
    rival = max(experts, key=lambda name: score(gold, experts[name]).f1)
    results = {name: [outputs] for name, outputs in (pooled | {rival: experts[rival]}).items()}
    return [f"On the test set: {note}" for note in compared(gold, results, dict.fromkeys(pooled, rival))]
