"""What pooling saves: every model with a group of its features missing at test time, and on text without capitals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tagpool.corpus.corpus import Corpus
from tagpool.experiments.corpora import conll2003, gazetteers, lowered
from tagpool.experiments.elitist import legally
from tagpool.experiments.fits import Labels, Model, Predict, measured, predict, tune
from tagpool.experiments.plots import bars
from tagpool.experiments.study import Setting, Study
from tagpool.experiments.texts import templates
from tagpool.experts.crf import CRF
from tagpool.experts.maxent import MaxEnt
from tagpool.optim.sgd import SGD
from tagpool.pools.bagging import FeatureBagging
from tagpool.pools.blanking import blanked
from tagpool.pools.elitist import ElitistPool
from tagpool.pools.schemes import RandomParts, SequentialParts

_EPOCHS = 20
_GRID = (0.3, 1.0)
_MISSING = {"lexicons": ("lexicons",), "n-grams": ("ngrams",), "words and shapes": ("words",)}
_BAGS = {"ngrams": ["words", "ngrams"], "lexicons": ["words", "lexicons"], "uncased": ["uncased"]}
_PLOTTED = (
    "one CRF",
    "one CRF, features dropped (0.3)",
    "one CRF, bags dropped (0.3)",
    "bagged, equal shares",
    "elitist CRF, 3 experts",
)


def run(setting: Setting) -> Study:
    """The table and the plot."""
    split, text = conll2003(setting), templates("names-robust")
    resources = {"lexicons": gazetteers(setting)}
    study = Study("robustness", "F1 on CoNLL-2003 test when a clue is missing")
    small = lowered(split.test)
    conditions = ["clean", *(f"{what} missing" for what in _MISSING), "capitals missing"]
    heights: dict[str, list[float]] = {}
    for model, decode in _models(text, resources, setting):
        tune(model, split, setting, decode=decode, stop_on_dev=isinstance(model.make(1.0, 1), ElitistPool))
        looks: dict[str, Callable[[Any], tuple[Any, Corpus]]] = {"clean": lambda tagger: (tagger, split.test)}
        for what, bags in _MISSING.items():
            looks[f"{what} missing"] = lambda tagger, bags=bags: (blanked(tagger, text, *bags), split.test)  # type: ignore[misc]
        looks["capitals missing"] = lambda tagger: (tagger, small)
        for condition, look in looks.items():
            found: list[Labels] = [decode(*look(tagger)) for tagger in model.fitted]
            study.rows.append(measured(model.name, condition, split.test.labels, found))
            heights.setdefault(model.name, []).append(study.rows[-1].ours)
        study.notes.append(f"{model.name}: {model.setting:g}, dev F1 {model.dev:.2f}")
        model.fitted.clear()  # models with large lexicons: there is no room for all of them
    study.notes += [
        f"Means over {len(setting.seed_numbers())} seeds, the penalty of each model chosen on clean dev text; nothing was "
        "trained or tuned for missing clues but by the methods themselves. MaxEnt models are decoded legally.",
        "Bags: words and shapes, n-grams, name lists, and one that never looks at capitals. All have the tags (of a tagger that "
        "saw capitals). The bag without capitals has n-grams and name lists of its own, which stay when those of the others go.",
    ]
    if setting.plots is not None:
        shown = {name: heights[name] for name in _PLOTTED if name in heights}
        study.plots = bars(setting.plots / "robustness", conditions, shown, "F1", study.title)
    return study


def _models(text: str, resources: dict[str, Any], setting: Setting) -> list[tuple[Model, Predict]]:
    common: dict[str, Any] = {"resources": resources, "threads": setting.threads}
    threads = max(setting.threads, 1)

    def one(kind: type[CRF | MaxEnt], **trainer: Any) -> Callable[[float, int], Any]:
        return lambda value, seed: kind(text, l2=value, seed=seed, trainer=SGD(epochs=_EPOCHS, **trainer), **common)

    def bagged(alpha: str) -> Callable[[float, int], Any]:
        return lambda value, seed: FeatureBagging(
            CRF(text, resources=resources, l2=value, seed=seed, trainer=SGD(epochs=_EPOCHS)),
            bags=_BAGS,
            alpha=alpha,
            threads=threads,
        )

    def parts(scheme: Any) -> Callable[[float, int], Any]:
        return lambda value, seed: FeatureBagging(
            MaxEnt(text, resources=resources, l2=value, seed=seed, trainer=SGD(epochs=_EPOCHS)),
            bags=scheme,
            seed=seed,
            threads=threads,
        )

    def elitist(**pool: Any) -> Callable[[float, int], Any]:
        return lambda value, seed: ElitistPool(text, strength=value, seed=seed, epochs=_EPOCHS, patience=5, **common, **pool)

    return [
        (Model("one CRF", one(CRF), _GRID), predict),
        (Model("one CRF, features dropped (0.3)", one(CRF, dropout=0.3), _GRID), predict),
        (Model("one CRF, bags dropped (0.3)", one(CRF, dropout=0.3, drop="bags"), _GRID), predict),
        (Model("one CRF, bags dropped (0.5)", one(CRF, dropout=0.5, drop="bags"), _GRID), predict),
        (Model("bagged, equal shares", bagged("uniform"), _GRID), predict),
        (Model("bagged, shares by dev", bagged("dev"), _GRID), predict),
        (Model("elitist CRF, 3 experts", elitist(expert="crf"), (0.03,)), predict),
        (Model("MaxEnt", one(MaxEnt), _GRID), legally),
        (Model("MaxEnt, features dropped (0.3)", one(MaxEnt, dropout=0.3), _GRID), legally),
        (Model("MaxEnt, bags dropped (0.3)", one(MaxEnt, dropout=0.3, drop="bags"), _GRID), legally),
        (Model("LOP random, 2 experts", parts(RandomParts(2)), (0.3,)), legally),
        (Model("LOP sequential, 2 experts", parts(SequentialParts(2)), (0.3,)), legally),
        (Model("elitist LOP, 3 experts", elitist(), (0.03,)), legally),
        (Model("elitist LOP, 3 experts, mu 0.5", elitist(mu=0.5), (0.03,)), legally),
    ]
