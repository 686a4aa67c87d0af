"""Path experts on parts of speech (PATHS, Table 5): weak taggers trained on disjoint parts of the Wall Street Journal.

Deviation: the paper's support vector machines are perceptrons here, and all experts look at the same few templates. Parts are
small, as experts that err on about one word in ten are what the paper pools.
"""

from __future__ import annotations

from typing import Any

from tagpool.corpus.corpus import Corpus
from tagpool.evaluation.significance import paired_bootstrap
from tagpool.experiments.corpora import journal_parts
from tagpool.experiments.paths_study import METHODS, VARIANTS, Variant, fold_losses, loss_row
from tagpool.experiments.study import Setting, Study
from tagpool.experts.crf import CRF
from tagpool.experts.maxent import MaxEnt
from tagpool.optim.perceptron import Perceptron
from tagpool.optim.sgd import SGD
from tagpool.pools.paths.ballots import Ballots, ballots_of
from tagpool.pools.paths.experts import predictions_of
from tagpool.pools.paths.pool import PathPool

_PART = 400  # sentences that an expert is trained on
_TEMPLATES = "word[-1..1]\nsuffix(lower(word), 1..3)[0]"
_PAPER = {
    "TR1": (8.50, 8.59, 8.43, 10.93, 10.41, 7.78, 11.28, 10.32),
    "TR2": (7.46, 7.69, 7.41, 15.50, 14.14, 8.14, 16.52, 14.15),
}
_LEARNED, _BETAS = {"TR1": 800, "TR2": 1000}, {"TR1": 0.95, "TR2": 0.98}
_KEYED = {f"mvote, {key}": Variant("mvote", key) for key in ("shared", "label")}


def run(setting: Setting) -> Study:
    """Table 5: the loss of every method on nine experts (TR1) and on five (TR2)."""
    study = Study("paths-pos", "Path experts on parts of speech (PATHS, Table 5): Hamming loss in percent")
    train, text = journal_parts(setting)
    size = min(_PART, len(train) // 5)
    parts = [train[number * size : (number + 1) * size] for number in range(5)]
    for name, experts in (("TR1", _nine(parts[:4], train[: 4 * size])), ("TR2", _five(parts))):
        setting.say(f"{name}: {len(experts)} experts, {size} sentences for each part")
        said = predictions_of({each: model.fit(part) for each, (model, part) in experts.items()}, text)
        ballots = ballots_of(said, text.labels)
        folds = 2 if setting.quick else 10
        learned = min(_LEARNED[name], len(text) // (folds + 1))
        setting.say(f"{name}: {folds} times {learned} sentences to learn from")
        losses = fold_losses(ballots, learned, folds, VARIANTS | _KEYED, _BETAS[name])
        for method, found in losses.items():
            paper = _PAPER[name][METHODS.index(method)] if method in METHODS else None
            study.rows.append(loss_row(method, name, found, paper))
        study.notes.append(_significance(name, ballots, said, text, learned))
    study.notes += [
        f"TR1: four MaxEnts and four perceptrons, each on {size} sentences of their own, one CRF on these four parts together. "
        "TR2: five structured perceptrons on disjoint parts. Mean of disjoint sets of sentences to learn from, tried on all "
        "others, with the 95% interval of the mean. δ = 0.05, β = 0.95 (TR1) and 0.98 (TR2), as in the paper.",
        "The paper's experts are support vector machines and MaxEnts with other features on another part of the treebank: the "
        "order of the methods can be compared, the digits cannot. shared and label are other keys than positions.",
    ]
    return study


def _nine(parts: list[Corpus], union: Corpus) -> dict[str, tuple[Any, Corpus]]:
    found: dict[str, tuple[Any, Corpus]] = {}
    for number, part in enumerate(parts, 1):
        found[f"maxent {number}"] = (MaxEnt(_TEMPLATES, trainer=SGD(epochs=10)), part)
        found[f"perceptron {number}"] = (MaxEnt(_TEMPLATES, l2=0.0, trainer=Perceptron(epochs=10)), part)
    return found | {"crf": (CRF(_TEMPLATES, trainer=SGD(epochs=10)), union)}


def _five(parts: list[Corpus]) -> dict[str, tuple[Any, Corpus]]:
    return {
        f"perceptron {number}": (CRF(_TEMPLATES, l2=0.0, trainer=Perceptron(epochs=10)), part)
        for number, part in enumerate(parts, 1)
    }


def _significance(name: str, ballots: Ballots, said: Any, text: Corpus, learned: int) -> str:
    """How sure it is that MVote, learned from the first sentences, is better than the best expert on the others."""
    first = {expert: labels[:learned] for expert, labels in said.items()}
    others = {expert: labels[learned:] for expert, labels in said.items()}
    gold = text.labels
    votes, best = (
        PathPool(method, beta=_BETAS[name], unknown="allow").fit(first, gold[:learned]).predict(others)
        for method in ("mvote", "best")
    )
    found = paired_bootstrap(gold[learned:], best, votes, metric="accuracy", draws=1000, plain=True, outside=None)
    return (
        f"{name}: MVote against the best of {len(ballots.experts)} experts, accuracy on {len(gold) - learned:,} sentences: "
        f"{found.difference:+.2f} ({found.interval.low:+.2f} to {found.interval.high:+.2f}), p = {found.p_value:.3f} "
        "(paired bootstrap)."
    )
