"""Elitist opinion pools (Wang and Manning 2013): six models with the same features, and our additions.

All six are MaxEnt models (or pools of them) over the same features, decoded by Viterbi over the token scores with only the
transitions that the scheme allows. Deviation: the paper prints only "the most important" features of an earlier system
(Finkel et al. 2005); ours adds to them lower-cased words, the ends of the sentence and, on CoNLL-2003, tags and the
other occurrences of a word in its document. WNUT-17 replaces MUC, which is not freely available.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from tagpool.evaluation.breakdown import vocabulary_breakdown, vocabulary_of
from tagpool.experiments.corpora import Split, conll2003, templates, wnut17
from tagpool.experiments.fits import Labels, Make, Makers, Model, better_mark, legally, measured, precision_and_recall, tune
from tagpool.experiments.study import Row, Setting, Study, Table
from tagpool.experts.linear.maxent import MaxEnt
from tagpool.features.parser import parse
from tagpool.pools.bagging.partitions import RandomParts, SequentialParts
from tagpool.pools.bagging.pool import BaggingPool
from tagpool.report.plots import Panel, panels

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
_NOT_PRINTED = (None,) * 6
_RIDGES = (0.1, 0.3, 1.0, 3.0)
_EPOCHS = (1, 2, 3, 5, 10, 15, 20, 30)
_QUICK_EPOCHS = (1, 3, 10)
_DEPTH = 6.0  # F1 points below the best that are drawn
Points = list[tuple[float, float]]


def run(setting: Setting) -> Study:
    """Run tables 2 and 3 on CoNLL-2003 and WNUT-17, and curves over the penalty and the epochs."""
    study = Study("elitist-ner", "Elitist opinion pools: six models on names (ELITIST, Tables 2 and 3)")
    text, split = templates("names-elitist"), conll2003(setting)
    makers = Makers(text, threads=setting.threads)
    papers = six_models(makers)
    _rows(study, "CoNLL-2003", split, [*papers, *our_models(makers)], setting, _PAPER)
    untagged = str(parse(text).restrict("ngrams"))
    _rows(study, "WNUT-17", wnut17(setting), six_models(replace(makers, text=untagged)), setting, {})
    study.notes += [
        f"Means over {len(setting.seed_numbers())} seeds; the penalty of each model is the best on dev (first seed) of those "
        "tried; early stopping on dev. Labels are BIOES inside; intervals are mean bounds of a "
        "bootstrap over sentences.",
        "All have the same features: those the paper prints, lower-cased words, ends of the sentence and, on CoNLL-2003, tags, "
        "the case of sentences, how other occurrences of a word in its document are written and the words beside them. No name "
        "lists but titles, no clusters.",
        "† and ‡: better than MaxEnt l2 and MaxEnt l1 by McNemar's test over tokens, p < 0.05 for every seed.",
        "IV and OOV: token F1 of words seen in training and of the others. The last column: all character n-grams removed at "
        "test time.",
    ]
    _add_curves(study, papers, lambda epochs: six_models(replace(makers, epochs=epochs, patience=None)), split, setting)
    return study


def six_models(makers: Makers) -> list[Model]:
    """Return the six models of the paper, each with its grid of strengths."""
    return [
        _model(_RIDGE, makers.one(MaxEnt), _RIDGES),
        _model(_LASSO, makers.lasso(), (0.01, 0.02, 0.05, 0.1)),
        _model("LOP random, 2 experts", makers.bagged(MaxEnt, bags=RandomParts(2)), _RIDGES),
        _model("LOP sequential, 2 experts", makers.bagged(MaxEnt, bags=SequentialParts(2)), _RIDGES),
        _model("LOP l1, 5 experts", makers.elitist(experts=5, penalty="l1"), (0.005, 0.01, 0.02, 0.05)),
        _model("elitist LOP, 3 experts", makers.elitist(experts=3), (0.01, 0.03, 0.1, 0.3)),
    ]


def our_models(makers: Makers) -> list[Model]:
    """Return models that are not in the paper."""
    return [
        _model("elitist LOP, 3 experts, mu 0.5", makers.elitist(experts=3, mu=0.5), (0.03, 0.1)),
        _model("elitist LOP, 3 experts, alpha learned", makers.elitist(experts=3, weights="learned"), (0.03,)),
        _model("elitist LOP, 5 experts", makers.elitist(experts=5), (0.012,)),
        _model("elitist CRF, 3 experts", makers.elitist(experts=3, expert="crf"), (0.03, 0.1)),
        _model("MaxEnt l2, features dropped (0.3)", makers.one(MaxEnt, dropout=0.3), (0.3, 1.0)),
        _model("MaxEnt l2, bags dropped (0.3)", makers.one(MaxEnt, dropout=0.3, drop="bags"), (0.3, 1.0)),
    ]


def _model(name: str, make: Make, grid: Sequence[float]) -> Model:
    return Model(name, make, grid, legal=True, stops=True)


def _rows(
    study: Study,
    corpus: str,
    split: Split,
    models: Sequence[Model],
    setting: Setting,
    papers: Mapping[str, tuple[float | None, ...]],
) -> None:
    known = vocabulary_of(split.train.words)
    gold = split.test.labels
    outputs: dict[str, list[Labels]] = {}
    for model in models:
        tune(model, split, setting, whole_grid=model.name in papers)
        name = f"{corpus}: {model.name}"
        outputs[model.name] = results = [legally(tagger, split.test) for tagger in model.fitted]
        printed = papers.get(model.name, _NOT_PRINTED)
        on_dev = [legally(tagger, split.dev) for tagger in model.fitted]
        study.rows.append(measured(name, "dev F1", split.dev.labels, on_dev, paper=printed[0]))
        study.rows += precision_and_recall(name, "test", gold, results, printed[1:3])
        marks = "".join(
            mark
            for mark, rival in (("†", _RIDGE), ("‡", _LASSO))
            if rival in outputs and rival != model.name and better_mark(gold, outputs[rival], results)
        )
        study.rows.append(measured(name, "test F1", gold, results, paper=printed[3], mark=marks))
        by_vocabulary = _token_f1(split.test.words, gold, results, known)
        study.rows += [
            Row(name, f"{kind} F1", f1, paper=paper)
            for kind, f1, paper in zip(("IV", "OOV"), by_vocabulary, printed[4:], strict=True)
        ]
        if printed[5] is not None:
            study.notes.append(f"{name}: {_ignore_case(split, results)}")
        without = [legally(tagger.without("ngrams"), split.test) for tagger in model.fitted]
        study.rows.append(measured(name, "n-grams removed, F1", gold, without))
        study.notes.append(f"{name}: {model.setting:g}, dev F1 {model.dev:.2f}")
        model.fitted.clear()  # not all models fit into memory


def _ignore_case(split: Split, results: Sequence[Labels]) -> str:
    """Describe the scores if known words ignore case: the paper does not define its lexicon."""
    known = frozenset(word.lower() for sentence in split.train.words for word in sentence)
    words = [[word.lower() for word in sentence] for sentence in split.test.words]
    both = _token_f1(words, split.test.labels, results, known)
    return "if known words ignore case, IV F1 {:.2f}, OOV F1 {:.2f}".format(*both)


def _token_f1(
    words: Sequence[Sequence[str]], gold: Labels, results: Sequence[Labels], known: frozenset[str]
) -> tuple[float, float]:
    """Return the mean F1 of known and of unknown words, in percent."""
    parts = [vocabulary_breakdown(words, gold, labels, known) for labels in results]
    scores = [(part.in_vocabulary.f1, part.out_of_vocabulary.f1) for part in parts]
    known_words, unknown_words = (round(100 * sum(column) / len(parts), 2) for column in zip(*scores, strict=True))
    return known_words, unknown_words


def _add_curves(
    study: Study, tuned: Sequence[Model], trained_for: Callable[[int], Sequence[Model]], split: Split, setting: Setting
) -> None:
    """Add tables and a plot. ``tuned`` are the models with all settings tried, ``trained_for`` makes them for other epochs."""
    epochs = _QUICK_EPOCHS if setting.quick else _EPOCHS
    at = {count: {model.name: model for model in trained_for(count)} for count in epochs}
    strengths: dict[str, Points] = {model.name: sorted(model.tried.items()) for model in tuned}
    lengths: dict[str, Points] = {}
    for model in tuned:
        assert model.setting is not None
        setting.report(f"{model.name}, {model.setting:g}: dev F1 by epochs")
        lengths[model.name] = by_epochs({count: at[count][model.name] for count in epochs}, model.setting, split)
    study.tables += [
        Table(
            "Dev F1 against the strength of the penalty (strength: F1)",
            ["", *[""] * max(map(len, strengths.values()))],
            [[name, *(f"{value:g}: {f1:.2f}" for value, f1 in points)] for name, points in strengths.items()],
        ),
        Table(
            "Dev F1 against the epochs, each at its best penalty",
            ["", *(f"{count:g}" for count in epochs)],
            [[name, *(f"{f1:.2f}" for _, f1 in points)] for name, points in lengths.items()],
        ),
    ]
    study.notes.append(
        "Below: the six models on CoNLL-2003 (first seed). Strengths of different penalties are not comparable: an elitist "
        "pool of n experts at λ is, at the optimum, a ridge at n²·λ."
    )
    if setting.plots is not None:
        study.plots = panels(
            setting.plots / "elitist-ner",
            [Panel("strength of the penalty", strengths, logarithmic=True), Panel("epochs", lengths)],
            "dev F1",
            "Six models on CoNLL-2003: the strength of the penalty, and the epochs",
            _DEPTH,
        )


def by_epochs(models: dict[int, Model], strength: float, split: Split) -> Points:
    """Return the dev F1 of a model by epochs: from its log, or, for a pool, trained again for each number."""
    seed = 1
    longest = models[max(models)]
    if isinstance(longest.make(strength, seed), BaggingPool):
        return [(count, model.on_dev(model.make(strength, seed).fit(split.train), split)) for count, model in models.items()]
    scores = {epoch.number: epoch.score for epoch in longest.fit(strength, seed, split).log_}
    return [(count, 100 * float(scores[count] or 0.0)) for count in models]
