"""Feature bagging (Sutton, Sindelar and McCallum 2006): one CRF on all features against bags of them, combined in four ways."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tagpool.experiments.corpora import Split, conll2003, gazetteers
from tagpool.experiments.fits import Labels, Make, Model, bags_found, compared, listed, measured, tune, with_marks
from tagpool.experiments.models import Makers
from tagpool.experiments.study import Setting, Study
from tagpool.experiments.template_files import templates
from tagpool.experts.linear.crf import CRF
from tagpool.features.parser import parse

_GRID = (0.03, 0.1, 0.3, 1.0)
_CLEAN = "test F1"
_BASE, _ONE = "one CRF, base features", "one CRF, all features"
_BAGGED, _FOUND = "bagged, sequence-product", "bagged: bags found by themselves"
_EACH_DROPPED = "bagged: the same, features dropped at random (0.3)"
_AND_ALL = {"ngrams": ["ngrams"], "lexicons": ["lexicons"], "all": ["ngrams", "lexicons"]}
_CLUES = ("words", "shapes", "tags", "ngrams", "lexicons")
_EACH_WITHOUT = {"all": _CLUES} | {f"no {clue}": tuple(other for other in _CLUES if other != clue) for clue in _CLUES}


def run(setting: Setting) -> Study:
    """Tables 1 and 2: names of CoNLL-2003."""
    split, text, clues = conll2003(setting), templates("names"), templates("names-clues")
    resources = {"lexicons": gazetteers(setting)}
    study = Study("bagging-ner", "Feature bagging: names of CoNLL-2003 (BAGGING, Tables 1 and 2)")
    bags = ("lexicons", "ngrams")
    base = str(parse(text).restrict("base"))
    makers, by_clue = (Makers(each, resources, setting.threads) for each in (text, clues))
    models = [
        (_model(name, make), paper)
        for name, make, paper in (
            (_BASE, replace(makers, text=base).one(CRF), 81.52),
            (_ONE, makers.one(CRF), 85.45),
            (_BAGGED, makers.bagged(weights="dev"), 86.61),
            ("bagged, shares by likelihood", makers.bagged(weights="likelihood"), None),
            ("bagged: both bags, and all", makers.bagged(bags=_AND_ALL, weights="dev"), None),
            ("bagged: each without one clue, and all", by_clue.bagged(bags=_EACH_WITHOUT), None),
            (_EACH_DROPPED, by_clue.bagged(bags=_EACH_WITHOUT, expert={"dropout": 0.3}), None),
            (_FOUND, makers.bagged(bags="auto", weights="dev"), None),
            ("one CRF, bags dropped at random (0.2)", makers.one(CRF, dropout=0.2, drop="bags"), None),
            ("one CRF, bags dropped at random (0.5)", makers.one(CRF, dropout=0.5, drop="bags"), None),
            ("one CRF, features dropped at random (0.3)", makers.one(CRF, dropout=0.3), None),
        )
    ]
    found: dict[str, list[Labels]] = {}
    best: Sequence[float] = _GRID
    for model, paper in models:
        tune(model, split, setting)
        gone = () if model.name == _BASE else bags
        _add(study, model, split, text, gone, found, paper)
        if model.name == _BAGGED:
            best = (model.setting or _GRID[0],)
    for combine, paper in (("transition-product", 86.58), ("sequence-mixture", 86.46), ("transition-mixture", 86.42)):
        model = _model(f"bagged, {combine}", makers.bagged(weights="dev", combine=combine), best)
        _add(study, tune(model, split, setting), split, text, (), found, paper)
    rivals = {name: _ONE for name in found if name not in (_BASE, _ONE)}
    clean = with_marks([row for row in study.rows if row.metric == _CLEAN], split.test.labels, found, rivals)
    study.rows = [*clean, *(row for row in study.rows if row.metric != _CLEAN)]
    study.notes += [
        f"{len(split.train):,} training sentences, l2 of each model chosen on dev from {listed(_GRID)}, as is when its "
        f"training ends; {len(setting.seed_numbers())} seeds; labels are BIOES; means over the seeds, intervals are mean bounds "
        "of a bootstrap over sentences.",
        "** : better than one CRF on all features by McNemar's test over tokens for every seed, p < 0.01 (* p < 0.05).",
        "Each without one clue: six members with equal shares, of which five lack words, shapes, tags, n-grams or lexicons.",
        "The last columns: the same models when the features of a bag are missing at test time.",
        *(f"{model.name}: l2 {model.setting:g}, dev F1 {model.dev:.2f}" for model, _ in models),
        *compared(split.test.labels, found, rivals),
    ]
    return study


def _model(name: str, make: Make, grid: Sequence[float] = _GRID) -> Model:
    """Dev says when the training of each ends, as it does for the members of pools."""
    return Model(name, make, grid, stops=True)


def _add(
    study: Study,
    model: Model,
    split: Split,
    text: str,
    bags: Sequence[str],
    found: dict[str, list[Labels]],
    paper: float | None,
) -> None:
    gold = split.test.labels
    found[model.name] = [tagger.predict(split.test) for tagger in model.fitted]
    study.rows.append(measured(model.name, _CLEAN, gold, found[model.name], paper=paper))
    study.notes += bags_found(model)
    for bag in bags:
        blind = [tagger.without(bag).predict(split.test) for tagger in model.fitted]
        study.rows.append(measured(model.name, f"{bag} removed", gold, blind))
    model.fitted.clear()  # models with large lexicons: there is no room for all of them
