"""Elitist opinion pools (Wang and Manning 2013): six models on equal terms, and what the additions of ours bring.

All six are MaxEnt models (or pools of them) over the same features, decoded legally: Viterbi over the token scores, with the
transitions that the scheme forbids left out. Deviation: the paper's feature set is "the most important" features of an earlier
system; ours adds lower-cased words, the ends of the sentence and tags. MUC is not to be had: WNUT-17 stands in its place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tagpool.chain.rules import scheme_rules
from tagpool.corpus.corpus import Corpus
from tagpool.evaluation.breakdown import vocabulary_breakdown, vocabulary_of
from tagpool.evaluation.scores import score
from tagpool.experiments.corpora import Split, conll2003, wnut17
from tagpool.experiments.fits import Labels, Model, better_mark, measured, tune
from tagpool.experiments.study import Row, Setting, Study
from tagpool.experiments.texts import templates
from tagpool.experts.maxent import MaxEnt
from tagpool.features.parser import parse
from tagpool.optim.fobos import FOBOS
from tagpool.optim.sgd import SGD
from tagpool.pools.bagging import FeatureBagging
from tagpool.pools.blanking import blanked
from tagpool.pools.elitist import ElitistPool
from tagpool.pools.schemes import RandomParts, SequentialParts

_EPOCHS = 20
_RIDGE = "MaxEnt l2"
_LASSO = "MaxEnt l1"
# dev F1, test precision, recall and F1, and token F1 of known and unknown words, as printed.
_PAPER: dict[str, tuple[float | None, ...]] = {
    _RIDGE: (88.09, 81.42, 81.64, 81.53, 88.00, 83.08),
    _LASSO: (89.04, 82.20, 84.24, 83.21, None, None),
    "LOP random, 2 experts": (89.76, 82.73, 85.84, 84.25, None, None),
    "LOP sequential, 2 experts": (89.72, 83.03, 86.03, 84.50, None, None),
    "LOP l1, 5 experts": (89.58, 82.90, 85.94, 84.40, None, None),
    "elitist LOP, 3 experts": (90.36, 83.96, 86.67, 85.29, 90.05, 86.49),
}


def run(setting: Setting) -> Study:
    """Tables 2 and 3, on CoNLL-2003 and on WNUT-17."""
    study = Study("elitist-ner", "Elitist opinion pools: six models on names (ELITIST, Tables 2 and 3)")
    text = templates("names-elitist")
    _one_corpus(study, "CoNLL-2003", conll2003(setting), text, setting, beyond=True)
    untagged = str(parse(text).restrict("ngrams"))
    _one_corpus(study, "WNUT-17", wnut17(setting), untagged, setting, beyond=False)
    study.notes += [
        f"Means over {len(setting.seed_numbers())} seeds; the penalty of each model is the best on dev (first seed), "
        "and proximal trainers stop by dev. Labels are BIOES inside; intervals are mean bounds of a bootstrap over sentences.",
        "† and ‡: better than MaxEnt l2 and MaxEnt l1 by McNemar's test over tokens, p < 0.05 for every seed.",
        "IV and OOV: token F1 of words seen in training and of the others. Last: all character n-grams missing at test time.",
    ]
    return study


def models_of(text: str, setting: Setting, *, beyond: bool) -> list[Model]:
    """The six models of the paper, and ours besides."""
    common: dict[str, Any] = {"threads": setting.threads}

    def maxent(**trainer: Any) -> Callable[[float, int], MaxEnt]:
        return lambda value, seed: MaxEnt(text, l2=value, seed=seed, trainer=SGD(epochs=_EPOCHS, **trainer), **common)

    def lasso(value: float, seed: int) -> MaxEnt:
        return MaxEnt(text, l1=value, l2=0.0, seed=seed, patience=5, trainer=FOBOS(epochs=_EPOCHS), **common)

    def parts(scheme: Any) -> Callable[[float, int], FeatureBagging]:
        return lambda value, seed: FeatureBagging(
            MaxEnt(text, l2=value, seed=seed, trainer=SGD(epochs=_EPOCHS)),
            bags=scheme,
            seed=seed,
            threads=max(setting.threads, 1),
        )

    def elitist(**pool: Any) -> Callable[[float, int], ElitistPool]:
        return lambda value, seed: ElitistPool(text, strength=value, seed=seed, epochs=_EPOCHS, patience=5, **common, **pool)

    found = [
        Model(_RIDGE, maxent(), (0.3, 1.0)),
        Model(_LASSO, lasso, (0.02, 0.05)),
        Model("LOP random, 2 experts", parts(RandomParts(2)), (0.1, 0.3)),
        Model("LOP sequential, 2 experts", parts(SequentialParts(2)), (0.1, 0.3)),
        Model("LOP l1, 5 experts", elitist(experts=5, penalty="l1"), (0.01, 0.02)),
        Model("elitist LOP, 3 experts", elitist(experts=3), (0.03, 0.1)),
    ]
    if beyond:
        found += [
            Model("elitist LOP, 3 experts, mu 0.5", elitist(experts=3, mu=0.5), (0.03, 0.1)),
            Model("elitist LOP, 3 experts, alpha learned", elitist(experts=3, alpha="learned"), (0.03,)),
            Model("elitist LOP, 5 experts", elitist(experts=5), (0.012,)),
            Model("elitist CRF, 3 experts", elitist(experts=3, expert="crf"), (0.03, 0.1)),
            Model("MaxEnt l2, features dropped (0.3)", maxent(dropout=0.3), (0.3, 1.0)),
            Model("MaxEnt l2, bags dropped (0.3)", maxent(dropout=0.3, drop="bags"), (0.3, 1.0)),
        ]
    return found


def legally(tagger: Any, corpus: Corpus) -> Labels:
    """The best labels of those that the scheme allows."""
    rules = scheme_rules(tagger.labels_, "bioes")
    return [
        [rules.labels[label] for label in rules.constrain(lattice).best().labels.tolist()] for lattice in tagger.lattices(corpus)
    ]


def _one_corpus(study: Study, corpus: str, split: Split, text: str, setting: Setting, *, beyond: bool) -> None:
    known = vocabulary_of(split.train.words)
    gold = split.test.labels
    said: dict[str, list[Labels]] = {}
    for model in models_of(text, setting, beyond=beyond):
        tune(model, split, setting, decode=legally, stop_on_dev=not isinstance(model.make(1.0, 1), FeatureBagging))
        name = f"{corpus}: {model.name}"
        said[model.name] = found = [legally(tagger, split.test) for tagger in model.fitted]
        papers = _PAPER.get(model.name, (None,) * 6) if corpus == "CoNLL-2003" else (None,) * 6
        on_dev = [legally(tagger, split.dev) for tagger in model.fitted]
        study.rows.append(measured(name, "dev F1", split.dev.labels, on_dev, paper=papers[0]))
        study.rows += _rates(name, gold, found, papers)
        marks = "".join(
            mark
            for mark, rival in (("†", _RIDGE), ("‡", _LASSO))
            if rival in said and rival != model.name and better_mark(gold, said[rival], found)
        )
        study.rows.append(measured(name, "test F1", gold, found, paper=papers[3], mark=marks))
        study.rows += _by_vocabulary(name, split.test, found, known, papers)
        blind = [legally(blanked(tagger, text, "ngrams"), split.test) for tagger in model.fitted]
        study.rows.append(measured(name, "n-grams blank, F1", gold, blind))
        study.notes.append(f"{name}: {model.setting:g}, dev F1 {model.dev:.2f}")
        model.fitted.clear()


def _rates(name: str, gold: Labels, found: Sequence[Labels], papers: tuple[float | None, ...]) -> list[Row]:
    scores = [score(gold, labels) for labels in found]
    mean = {each: round(sum(getattr(one, each) for one in scores) / len(scores), 2) for each in ("precision", "recall")}
    return [
        Row(name, "test precision", mean["precision"], paper=papers[1]),
        Row(name, "test recall", mean["recall"], paper=papers[2]),
    ]


def _by_vocabulary(
    name: str, test: Corpus, found: Sequence[Labels], known: frozenset[str], papers: tuple[float | None, ...]
) -> list[Row]:
    parts = [vocabulary_breakdown(test.words, test.labels, labels, known) for labels in found]
    in_vocabulary = sum(part.in_vocabulary.f1 for part in parts) / len(parts)
    out_of_vocabulary = sum(part.out_of_vocabulary.f1 for part in parts) / len(parts)
    return [
        Row(name, "IV F1", round(in_vocabulary, 2), paper=papers[4]),
        Row(name, "OOV F1", round(out_of_vocabulary, 2), paper=papers[5]),
    ]
