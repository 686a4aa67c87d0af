"""Feature bagging (Sutton, Sindelar and McCallum 2006): one CRF on all features against bags of them, combined in four ways."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tagpool.experiments.corpora import Split, clusters, conll2000, conll2003, gazetteers, only_type, tags_of_words
from tagpool.experiments.fits import Labels, Model, better_mark, measured, tune
from tagpool.experiments.models import Makers
from tagpool.experiments.study import Row, Setting, Study
from tagpool.experiments.texts import templates
from tagpool.experts.crf import CRF
from tagpool.features.parser import parse
from tagpool.pools.blanking import blanked

_GRID = (0.1, 0.3, 1.0)
_CLEAN = "test F1"
# Bags of chunks: the paper's two, and bags that overlap.
_TWO = {"tags": ["tags"], "lexicons": ["clusters", "classes"]}
_WITHOUT_ONE = {
    "no classes": ["tags", "clusters"],
    "no clusters": ["tags", "classes"],
    "no tags": ["clusters", "classes"],
    "all": ["tags", "clusters", "classes"],
}


def names(setting: Setting) -> Study:
    """Tables 1 and 2: names of CoNLL-2003."""
    split, text = conll2003(setting), templates("names")
    resources = {"lexicons": gazetteers(setting)}
    study = Study("bagging-ner", "Feature bagging: names of CoNLL-2003 (BAGGING, Tables 1 and 2)")
    bags = ("lexicons", "ngrams")
    base = str(parse(text).restrict("base"))
    makers = Makers(text, resources, setting.threads)
    models = [
        (Model("one CRF, base features", replace(makers, text=base).one(CRF), _GRID), 81.52),
        (Model("one CRF, all features", makers.one(CRF), _GRID), 85.45),
        (Model("bagged, sequence-product", makers.bagged(alpha="dev"), _GRID), 86.61),
        (Model("one CRF, bags dropped at random (0.2)", makers.one(CRF, dropout=0.2, drop="bags"), _GRID), None),
        (Model("one CRF, bags dropped at random (0.5)", makers.one(CRF, dropout=0.5, drop="bags"), _GRID), None),
        (Model("one CRF, features dropped at random (0.3)", makers.one(CRF, dropout=0.3), _GRID), None),
    ]
    found: dict[str, list[Labels]] = {}
    for model, paper in models:
        tune(model, split, setting)
        gone = () if "base" in model.name else bags
        _add(study, model, split, text, gone, found, paper)
    best = models[2][0].setting or _GRID[0]
    for combine, paper in (("transition-product", 86.58), ("sequence-mixture", 86.46), ("transition-mixture", 86.42)):
        model = Model(f"bagged, {combine}", makers.bagged(alpha="dev", combine=combine), (best,))
        _add(study, tune(model, split, setting), split, text, (), found, paper)
    study.rows = _with_marks(study.rows, split.test.labels, found)
    study.notes += [
        f"{len(split.train):,} training sentences, l2 of each model chosen on dev from {_listed(_GRID)}, "
        f"{len(setting.seed_numbers())} seeds; labels are BIOES; means over the seeds, intervals are mean bounds of a "
        "bootstrap over sentences.",
        "** : better than one CRF on all features by McNemar's test over tokens for every seed, p < 0.01 (* p < 0.05).",
        "The last columns: the same models when the features of a bag are missing at test time.",
        *(f"{model.name}: l2 {model.setting:g}, dev F1 {model.dev:.2f}" for model, _ in models),
    ]
    return study


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
    for bag in bags:
        blind = [blanked(tagger, text, bag).predict(split.test) for tagger in model.fitted]
        study.rows.append(measured(model.name, f"{bag} blank", gold, blind))
    model.fitted.clear()  # models with large lexicons: there is no room for all of them


def _with_marks(
    rows: Sequence[Row], gold: Labels, found: dict[str, list[Labels]], rival: str = "one CRF, all features"
) -> list[Row]:
    marked = []
    for row in rows:
        mark = better_mark(gold, found[rival], found[row.row]) if row.metric == _CLEAN and row.row != rival else ""
        marked.append(Row(row.row, row.metric, row.ours, row.low, row.high, row.paper, mark))
    return marked


def chunks(setting: Setting) -> Study:
    """Table 3: chunks of CoNLL-2000; noun phrases, and all types."""
    everything, text = conll2000(setting), templates("chunks")
    resources = {"classes": tags_of_words(setting), "brown": clusters(setting)}
    study = Study("bagging-chunk", "Feature bagging: chunks of CoNLL-2000 (BAGGING, Table 3)")
    makers = Makers(text, resources, setting.threads)
    base = str(parse(text).restrict("base"))
    for kind, split, papers in (
        ("noun phrases", _only_noun_phrases(everything), (89.60, 94.34, 94.77)),
        ("all types", everything, (None, None, None)),
    ):
        models = [
            Model("one CRF, base features", replace(makers, text=base).one(CRF), _GRID),
            Model("one CRF, all features", makers.one(CRF), _GRID),
            Model("bagged: tags, lexicons", makers.bagged(bags=_TWO, alpha="dev"), _GRID),
            Model("bagged: each without one clue, and all", makers.bagged(bags=_WITHOUT_ONE, alpha="dev"), _GRID),
            Model("one CRF, bags dropped at random (0.2)", makers.one(CRF, dropout=0.2, drop="bags"), _GRID),
        ]
        found = {}
        rows = []
        for model, paper in zip(models, (*papers, None, None), strict=True):
            tune(model, split, setting)
            found[model.name] = [tagger.predict(split.test) for tagger in model.fitted]
            rows.append(measured(model.name, _CLEAN, split.test.labels, found[model.name], paper=paper))
            study.notes.append(f"{kind}, {model.name}: l2 {model.setting:g}, dev F1 {model.dev:.2f}")
        for row in _with_marks(rows, split.test.labels, found):
            study.rows.append(Row(row.row, f"{kind}, test F1", row.ours, row.low, row.high, row.paper, row.mark))
    study.notes.append(
        f"Every tenth training sentence is the dev set; l2 from {_listed(_GRID)}, {len(setting.seed_numbers())} seeds. For noun "
        "phrases the other labels are O, in training too. Tags of words come from sections 00-18 of the Wall Street Journal."
    )
    return study


def _only_noun_phrases(split: Split) -> Split:
    return Split(*(only_type(part, "NP") for part in (split.train, split.dev, split.test)))


def _listed(values: Sequence[float]) -> str:
    return ", ".join(f"{value:g}" for value in values)
