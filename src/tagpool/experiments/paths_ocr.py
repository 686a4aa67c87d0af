"""Path experts on handwriting (PATHS, section 5.3): taggers that read words from the pixels of their letters.

The folds are those of the data. In each of ten runs experts are trained on one fold, the pool learns from the next one, and all
are tried on the other eight. Deviation: the paper's support vector machines are perceptrons here; the inducing tagger is ours.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tagpool.experiments.corpora import PIXELS, handwriting
from tagpool.experiments.paths_study import KEYED, VARIANTS, Losses, pool_labels
from tagpool.experiments.study import Setting, Study
from tagpool.experts.inducing.tagger import InducingTagger
from tagpool.experts.linear.crf import CRF
from tagpool.experts.linear.maxent import MaxEnt
from tagpool.optim.lbfgs import LBFGS
from tagpool.optim.perceptron import Perceptron
from tagpool.pools.votes.ballots import ballots_of
from tagpool.pools.votes.fitted import sentence_losses
from tagpool.pools.votes.predictions import predictions_of

TEMPLATES = "\n".join(f"p{pixel}[0]" for pixel in range(PIXELS))
L2 = 3.0
_BETA = 0.95  # the paper does not print its own


def run(setting: Setting) -> Study:
    """The loss of every method, and of the experts, in ten runs."""
    study = Study("paths-ocr", "Path experts on handwriting (PATHS, section 5.3): Hamming loss in percent")
    corpus, folds = handwriting(setting)
    places = [np.flatnonzero(np.array(folds) == fold) for fold in sorted(set(folds))]
    count = 2 if setting.quick else len(places)
    gold = corpus.labels
    losses = Losses(len(corpus))
    for number in range(count):
        selected, learned = places[number], places[(number + 1) % len(places)]
        tried = np.concatenate([place for place in places if place is not selected and place is not learned])
        setting.report(
            f"run {number + 1} of {count}: experts from {len(selected)} words, pools from {len(learned)}, tried on {len(tried)}"
        )
        experts = {name: model.fit(corpus.select(selected.tolist())) for name, model in _experts(number + 1).items()}
        tested = np.concatenate([learned, tried])
        outputs = predictions_of(experts, corpus.select(tested.tolist()))
        ballots = ballots_of(outputs, [gold[item] for item in tested.tolist()])
        known, rest = ballots.select(range(len(learned))), ballots.select(range(len(learned), len(ballots)))
        costs = 1.0 - np.eye(len(ballots.labels))
        for name, labels in pool_labels(known, rest, VARIANTS | KEYED, _BETA, number + 1):
            losses.add(name, tried, sentence_losses(rest, labels, costs))
        for expert, name in enumerate(ballots.experts):
            losses.add(f"expert: {name}", tried, sentence_losses(rest, rest.votes[:, expert], costs))
    study.rows += losses.rows("loss")
    study.notes += [
        f"The best expert's loss minus MVote's: {losses.less('mvote', 'best')} (points; bootstrap over words); with β "
        f"chosen by cross-validation: {losses.less('mvote, β chosen', 'best')}.",
        f"{len(corpus):,} words, {corpus.token_count:,} letters, the {len(places)} folds of the data. In each of {count} runs "
        "experts are trained on one fold, pools learn from the next, all are tried on the others: mean over runs with its 95% "
        "interval. Experts see the 128 pixels of a letter, black or white, and nothing else; the CRF, the structured perceptron "
        f"and the inducing tagger also labels of letters nearby. Their penalty ({L2:g}) and epochs are the best of a few on "
        f"halves of the first fold. β = {_BETA} where it is not chosen, δ = 0.05.",
        "The paper prints no figures for handwriting: it says that pools are only a little better than the best expert, which "
        "dominates the others.",
    ]
    return study


def _experts(seed: int) -> dict[str, Any]:
    return {
        "CRF": CRF(TEMPLATES, l2=L2, trainer=LBFGS(), seed=seed),
        "MaxEnt": MaxEnt(TEMPLATES, l2=L2, trainer=LBFGS(), seed=seed),
        "structured perceptron": CRF(TEMPLATES, l2=0.0, trainer=Perceptron(epochs=15), seed=seed),
        "perceptron": MaxEnt(TEMPLATES, l2=0.0, trainer=Perceptron(epochs=15), seed=seed),
        "inducing tagger": InducingTagger(f"{TEMPLATES}\nlabel[-1]\nlabel[-2] & label[-1]", epochs=20, seed=seed),
    }
