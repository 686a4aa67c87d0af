"""Feature bagging on chunks of CoNLL-2000 (BAGGING, Table 3): noun phrases, which are the paper's figures, and all types.

Models are tuned on a tenth of the training sentences and then trained on all of them. Deviation: the paper's lists of words by
tag come from the whole Treebank, including the test section. Ours, and a second tagger, come from the sections of the Wall Street
Journal that are not in CoNLL-2000. Noun phrases are labelled in BIOES, which is better than BIO2 on held-out sentences.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tagpool.corpus.concatenation import concatenate
from tagpool.corpus.corpus import Corpus
from tagpool.experiments.corpora import Split, conll2000, in_scheme, journal, only_type, read_resources, templates
from tagpool.experiments.fits import Labels, Makers, Model, choice_of_l2, compared, measured, refit, tune, with_marks, without_one
from tagpool.experiments.study import Row, Setting, Study
from tagpool.experts.linear.crf import CRF
from tagpool.experts.linear.maxent import MaxEnt
from tagpool.features.parser import parse
from tagpool.features.resources import AmbiguityClasses
from tagpool.optim.sgd import SGD

_USED = (15, 16, 17, 18, 20)  # sections of the Wall Street Journal that CoNLL-2000 is made of
_GRID = (0.3, 1.0, 2.0)
_SECOND = "second"
_CLUES = ("tags", "clusters", "classes", _SECOND)
# The paper's two bags, and bags that overlap.
_TWO = {"tags": ["tags", _SECOND], "lexicons": ["clusters", "classes"]}
_BASE, _ONE = "one CRF, base features", "one CRF, all features"
_PAPER = {_BASE: 89.60, _ONE: 94.34, "bagged: tags, lexicons": 94.77}


def run(setting: Setting) -> Study:
    """Run the table: noun phrases, and all types."""
    study = Study("bagging-chunk", "Feature bagging: chunks of CoNLL-2000 (BAGGING, Table 3)")
    outside, common = journal(setting, without=_USED), read_resources(setting, "brown", "possible")
    # Text outside the corpus: tags from 2% of a word's occurrences on, words from the first occurrence on.
    resources = common | {"classes": AmbiguityClasses.from_corpus(outside, min_count=1, share=0.02)}
    everything = _add_second_tags(conll2000(setting), outside, common, setting)
    makers = Makers(templates("chunks"), resources, setting.threads)
    parts = (everything.train, everything.dev, everything.test)
    noun_phrases = Split(*(in_scheme(only_type(part, "NP"), "bioes") for part in parts))
    _rows(study, "noun phrases", noun_phrases, _models(makers), _PAPER, setting)
    _rows(study, "all types", everything, _models(makers), {}, setting)
    study.notes += [
        "** : better than one CRF on the same features by McNemar's test over tokens for every seed, p < 0.01 (* p < 0.05).",
        f"Every tenth training sentence is dev: {choice_of_l2(_GRID, setting)}, and weights of the pool of tags and lexicons "
        f"(the other pools have equal ones). Then trained on all sentences; {len(setting.seed_numbers())} seed(s). For noun "
        "phrases the other labels are O, in training too, and the scheme is BIOES; for all types it is BIO2.",
        "Lists of words by tag, and the second tagger (a MaxEnt, whose tags are features beside those of the corpus), come from "
        "the sections of the Wall Street Journal that are not in CoNLL-2000; the tagger also has a list of words by tag from a "
        "larger, automatically tagged text.",
    ]
    return study


def _models(makers: Makers) -> list[Model]:
    base = replace(makers, text=str(parse(makers.text).restrict("base")))
    return [
        Model(_BASE, base.one(CRF), _GRID),
        Model(_ONE, makers.one(CRF), _GRID),
        Model("bagged: tags, lexicons", makers.bagged(bags=_TWO, weights="dev"), _GRID),
        Model("bagged: each without one group, and all", makers.bagged(bags=without_one(_CLUES)), _GRID),
        Model("one CRF, bags dropped at random (0.2)", makers.one(CRF, dropout=0.2, drop="bags"), _GRID),
    ]


def _rows(study: Study, kind: str, split: Split, models: Sequence[Model], papers: Mapping[str, float], setting: Setting) -> None:
    gold = split.test.labels
    whole = concatenate([split.train, split.dev])
    results: dict[str, list[Labels]] = {}
    rows: list[Row] = []
    for model in models:
        refit(tune(model, split, setting, only_first=True), whole, setting)
        results[model.name] = [tagger.predict(split.test) for tagger in model.fitted]
        rows.append(measured(model.name, f"{kind}, test F1", gold, results[model.name], paper=papers.get(model.name)))
        study.notes.append(f"{kind}, {model.name}: l2 {model.setting:g}, dev F1 {model.dev:.2f}")
        model.fitted.clear()
    rivals = {name: _ONE for name in results if name not in (_BASE, _ONE)}
    study.rows += with_marks(rows, gold, results, rivals)
    study.notes += [f"{kind}, {note}" for note in compared(gold, results, rivals)]


def _add_second_tags(split: Split, outside: Corpus, common: Mapping[str, Any], setting: Setting) -> Split:
    """Return the corpora with the tags of a second tagger as another column."""
    setting.report("a second tagger")
    tagger = MaxEnt(
        templates("tags"),
        resources={**common, "classes": AmbiguityClasses.from_corpus(outside, min_count=5, share=0.02)},
        l2=0.5,
        min_count=2,
        pairs="observed",
        trainer=SGD(epochs=6),
        threads=setting.threads,
    ).fit(outside)
    return Split(*(part.with_column(_SECOND, tagger.predict(part)) for part in (split.train, split.dev, split.test)))
