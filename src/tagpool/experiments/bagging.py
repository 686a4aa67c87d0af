"""Feature bagging (Sutton, Sindelar and McCallum 2006): one CRF on all features, and bags of them combined in four ways."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tagpool.experiments.corpora import Split, conll2003, read_resources, templates
from tagpool.experiments.fits import (
    Labels,
    Make,
    Makers,
    Model,
    bags_found,
    choice_of_l2,
    compared,
    measured,
    tune,
    with_marks,
    without_one,
)
from tagpool.experiments.study import Setting, Study
from tagpool.experts.linear.crf import CRF
from tagpool.features.parser import parse

_GRID = (0.03, 0.1, 0.3, 1.0)
_CLEAN = "test F1"
_BASE, _ONE = "one CRF, base features", "one CRF, all features"
_BAGGED = "bagged, sequence-product"
_EACH_DROPPED = "bagged: the same, features dropped at random (0.3)"
_AND_ALL = {"ngrams": ["ngrams"], "lexicons": ["lexicons"], "all": ["ngrams", "lexicons"]}
_EACH_WITHOUT: dict[str, list[str]] = {"all": []} | without_one(("words", "shapes", "tags", "ngrams", "lexicons"))


def run(setting: Setting) -> Study:
    """Run tables 1 and 2: names of CoNLL-2003."""
    split, text = conll2003(setting), templates("names")
    resources = read_resources(setting, "lexicons")
    study = Study("bagging-ner", "Feature bagging: names of CoNLL-2003 (BAGGING, Tables 1 and 2)")
    base = str(parse(text).restrict("base"))
    makers, by_clue = (Makers(item, resources, setting.threads) for item in (text, templates("names-clues")))
    models: list[tuple[str, Make, float | None]] = [
        (_BASE, replace(makers, text=base).one(CRF), 81.52),
        (_ONE, makers.one(CRF), 85.45),
        (_BAGGED, makers.bagged(weights="dev"), 86.61),
        ("bagged, weights by likelihood", makers.bagged(weights="likelihood"), None),
        ("bagged: both bags, and all", makers.bagged(bags=_AND_ALL, weights="dev"), None),
        ("bagged: each without one group, and all", by_clue.bagged(bags=_EACH_WITHOUT), None),
        (_EACH_DROPPED, by_clue.bagged(bags=_EACH_WITHOUT, expert={"dropout": 0.3}), None),
        ("bagged: bags chosen automatically", makers.bagged(bags="auto", weights="dev"), None),
        ("one CRF, bags dropped at random (0.2)", makers.one(CRF, dropout=0.2, drop="bags"), None),
        ("one CRF, bags dropped at random (0.5)", makers.one(CRF, dropout=0.5, drop="bags"), None),
        ("one CRF, features dropped at random (0.3)", makers.one(CRF, dropout=0.3), None),
    ]
    penalties: list[str] = []
    predictions: dict[str, list[Labels]] = {}
    best: Sequence[float] = _GRID
    for name, make, paper in models:
        model = tune(Model(name, make, _GRID, stops=True), split, setting)
        penalties.append(f"{name}: l2 {model.setting:g}, dev F1 {model.dev:.2f}")
        if name == _BAGGED:
            best = (model.setting or _GRID[0],)
        _add(study, model, split, () if name == _BASE else ("lexicons", "ngrams"), predictions, paper)
    for combine, paper in (("transition-product", 86.58), ("sequence-mixture", 86.46), ("transition-mixture", 86.42)):
        model = Model(f"bagged, {combine}", makers.bagged(weights="dev", combine=combine), best, stops=True)
        _add(study, tune(model, split, setting), split, (), predictions, paper)
    rivals = {name: _ONE for name in predictions if name not in (_BASE, _ONE)}
    clean = with_marks([row for row in study.rows if row.metric == _CLEAN], split.test.labels, predictions, rivals)
    study.rows = [*clean, *(row for row in study.rows if row.metric != _CLEAN)]
    study.notes += [
        f"{len(split.train):,} training sentences, {choice_of_l2(_GRID, setting)}, early stopping on dev; "
        f"{len(setting.seed_numbers())} seed(s); labels are BIOES; means over the seeds, intervals are mean bounds of a "
        "bootstrap over sentences.",
        "** : better than one CRF on all features by McNemar's test over tokens for every seed, p < 0.01 (* p < 0.05).",
        "Each without one group: six members with equal weights, of which five lack words, shapes, tags, n-grams or lexicons.",
        "The last columns: the same models with the features of a bag removed at test time.",
        *penalties,
        *compared(split.test.labels, predictions, rivals),
    ]
    return study


def _add(
    study: Study, model: Model, split: Split, bags: Sequence[str], predictions: dict[str, list[Labels]], paper: float | None
) -> None:
    """Add the rows of a model: on clean text, and with the features of each of the bags removed."""
    gold = split.test.labels
    predictions[model.name] = [tagger.predict(split.test) for tagger in model.fitted]
    study.rows.append(measured(model.name, _CLEAN, gold, predictions[model.name], paper=paper))
    study.notes += bags_found(model)
    for bag in bags:
        without = [tagger.without(bag).predict(split.test) for tagger in model.fitted]
        study.rows.append(measured(model.name, f"{bag} removed", gold, without))
    model.fitted.clear()  # models with large lexicons do not all fit into memory
