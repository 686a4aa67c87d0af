"""Robustness of pools: every model with a feature group removed in the test, and on text without capitals."""

from __future__ import annotations

from tagpool.corpus.truecasing import Truecaser
from tagpool.experiments.corpora import conll2003, lowered, read_resources, templates
from tagpool.experiments.fits import Labels, Makers, Model, bags_found, measured, tune
from tagpool.experiments.perturbed import COMPARED, KINDS, MU, ONE, ROBUST, TRUECASED, PerturbedTests, other_corpora
from tagpool.experiments.study import Setting, Study
from tagpool.experts.linear.crf import CRF
from tagpool.experts.linear.maxent import MaxEnt
from tagpool.pools.bagging.partitions import RandomParts, SequentialParts
from tagpool.report.plots import bars

_GRID = (0.3, 1.0)


# Templates that are removed together: a bag, and those of the same kind in the uncased bag.
_MISSING = {
    "lexicons": ("lexicons", "gazetteer(lexicons, lower(word))[-2..2]"),
    "n-grams": ("ngrams", "ngrams(lower(word), 2..4)[0]"),
    "words and shapes": ("words", "lower(word)[-2..2]\nlower(word)[-1] & lower(word)[0]\nlower(word)[0] & lower(word)[1]"),
}
_BAGS = {"ngrams": ["words", "ngrams"], "lexicons": ["words", "lexicons"], "uncased": ["uncased"]}
_PLOTTED = (
    ONE,
    ROBUST,
    "one CRF, features dropped (0.3)",
    "one CRF, bags dropped (0.3)",
    "bagged, equal weights",
    "elitist CRF, 3 experts",
)


def run(setting: Setting) -> Study:
    """Run the table and the plot."""
    split, text = conll2003(setting), templates("names-robust")
    resources = read_resources(setting, "lexicons")
    study = Study("robustness", "F1 on CoNLL-2003 test when a feature group is removed")
    lower_case, tests = lowered(split.test), PerturbedTests(split)
    heights: dict[str, dict[str, float]] = {}
    for model in _models(Makers(text, resources, setting.threads)):
        tune(model, split, setting)
        conditions: dict[str, list[Labels]] = {"clean": [model.decode(tagger, split.test) for tagger in model.fitted]}
        for name, (bag, uncased) in _MISSING.items():
            without = (tagger.without(bag, templates=uncased) for tagger in model.fitted)
            conditions[f"{name} missing"] = [model.decode(tagger, split.test) for tagger in without]
        conditions["capitals missing"] = [model.decode(tagger, lower_case) for tagger in model.fitted]
        if model.name in (*COMPARED, MU):
            setting.report(f"{model.name}: perturbations")
            tests.add(model)
        if model.name == ONE:
            truecaser = Truecaser.of(split.train)
            tests.add_truecased(TRUECASED, model, truecaser)
            restored = truecaser.restore(lower_case)
            results = [model.decode(tagger, restored) for tagger in model.fitted]
            study.rows.append(measured(TRUECASED, "capitals missing", split.test.labels, results))
        for condition, results in conditions.items():
            study.rows.append(measured(model.name, condition, split.test.labels, results))
            heights.setdefault(model.name, {})[condition] = study.rows[-1].ours
        study.notes += [f"{model.name}: {model.setting:g}, dev F1 {model.dev:.2f}", *bags_found(model)]
        model.fitted.clear()  # models with large lexicons do not all fit into memory
    study.notes += [
        f"Means over {len(setting.seed_numbers())} seeds, the penalty of each model chosen on clean dev text; no "
        "training or tuning used text with features removed. MaxEnt models are decoded with the transitions of BIOES.",
        "Bags: words and shapes, n-grams, name lists, and an uncased one. All have the tags, of a tagger with capitals. "
        "The uncased bag has words, n-grams and name lists in lower case, which are removed together with the cased ones.",
    ]
    study.tables = [tests.table("Perturbations: CoNLL-2003"), *other_corpora(setting)]
    study.notes += [
        f"robust CRF: robust='{KINDS}' (other corpora have no lists). Its share was chosen on perturbed dev text; "
        "robust_cost is 0.2 points. Truecased: sentences without capitals get the usual ones, learned from the training text.",
        "Perturbations have the shares of tagpool audit; names are made up and occur in no training sentence.",
    ]
    if setting.plots is not None:
        shown = {name: list(heights[name].values()) for name in _PLOTTED}
        study.plots = bars(setting.plots / "robustness", list(conditions), shown, "F1", study.title)
    return study


def _models(makers: Makers) -> list[Model]:
    return [
        Model(ONE, makers.one(CRF), _GRID),
        Model(ROBUST, makers.one(CRF, robust=KINDS), _GRID, stops=True),
        Model("one CRF, features dropped (0.3)", makers.one(CRF, dropout=0.3), _GRID),
        Model("one CRF, bags dropped (0.3)", makers.one(CRF, dropout=0.3, drop="bags"), _GRID),
        Model("one CRF, bags dropped (0.5)", makers.one(CRF, dropout=0.5, drop="bags"), _GRID),
        Model("bagged, equal weights", makers.bagged(bags=_BAGS), _GRID),
        Model("bagged, weights by dev", makers.bagged(bags=_BAGS, weights="dev"), _GRID),
        Model("bagged: bags chosen automatically", makers.bagged(bags="auto"), _GRID),
        Model("elitist CRF, 3 experts", makers.elitist(expert="crf"), (0.03,), stops=True),
        Model(MU, makers.elitist(expert="crf", mu=0.5), (0.03,), stops=True),
        Model("MaxEnt", makers.one(MaxEnt), _GRID, legal=True),
        Model("MaxEnt, features dropped (0.3)", makers.one(MaxEnt, dropout=0.3), _GRID, legal=True),
        Model("MaxEnt, bags dropped (0.3)", makers.one(MaxEnt, dropout=0.3, drop="bags"), _GRID, legal=True),
        Model("LOP random, 2 experts", makers.bagged(MaxEnt, bags=RandomParts(2)), (0.3,), legal=True),
        Model("LOP sequential, 2 experts", makers.bagged(MaxEnt, bags=SequentialParts(2)), (0.3,), legal=True),
        Model("elitist LOP, 3 experts", makers.elitist(), (0.03,), legal=True, stops=True),
        Model("elitist LOP, 3 experts, mu 0.5", makers.elitist(mu=0.5), (0.03,), legal=True, stops=True),
    ]
