"""Feature bagging on chunks of CoNLL-2000 (BAGGING, Table 3): noun phrases, which are the paper's figures, and all types.

What is compared is tuned on a tenth of the training sentences and then trained on all of them. Deviation: the paper's lists of
words by tag come from the whole Treebank, the test section among it; ours, and a second tagger, from the sections of the Wall
Street Journal that CoNLL-2000 neither trains nor tests on. Noun phrases are labelled in BIOES, which on held-out training
sentences was better than BIO2; chains of order 2 were no better than those of order 1 there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tagpool.corpus.corpus import Corpus
from tagpool.experiments.corpora import Split, clusters, conll2000, in_scheme, journal, only_type, possible_tags, together
from tagpool.experiments.fits import Labels, Model, compared, listed, measured, refit, tune, with_marks
from tagpool.experiments.models import Makers
from tagpool.experiments.study import Row, Setting, Study
from tagpool.experiments.template_files import templates
from tagpool.experts.linear.crf import CRF
from tagpool.experts.linear.maxent import MaxEnt
from tagpool.features.parser import parse
from tagpool.features.resources import AmbiguityClasses, Clusters
from tagpool.optim.sgd import SGD

_USED = (15, 16, 17, 18, 20)  # sections of the Wall Street Journal that CoNLL-2000 is made of
_GRID = (0.3, 1.0, 2.0)
_SECOND = "second"
_CLUES = ("tags", "clusters", "classes", _SECOND)
# The paper's two bags, and bags that overlap.
_TWO = {"tags": ["tags", _SECOND], "lexicons": ["clusters", "classes"]}
_BASE, _ONE = "one CRF, base features", "one CRF, all features"
_PAPER = {_BASE: 89.60, _ONE: 94.34, "bagged: tags, lexicons": 94.77}


def without_one(clues: Sequence[str]) -> dict[str, list[str]]:
    """Bags that each lack a clue, and one that has them all.

    >>> without_one(["tags", "clusters"])
    {'no tags': ['clusters'], 'no clusters': ['tags'], 'all': ['tags', 'clusters']}
    """
    return {f"no {missing}": [clue for clue in clues if clue != missing] for missing in clues} | {"all": list(clues)}


def run(setting: Setting) -> Study:
    """The table: noun phrases, and all types."""
    study = Study("bagging-chunk", "Feature bagging: chunks of CoNLL-2000 (BAGGING, Table 3)")
    outside, brown = journal(setting, without=_USED), clusters(setting)
    # Only words that the corpus does not itself teach: a rare tag counts from one in fifty on, a word from its first occurrence.
    resources = {"classes": AmbiguityClasses.from_corpus(outside, min_count=1, share=0.02), "brown": brown}
    everything = _tagged_again(conll2000(setting), outside, brown, setting)
    makers = Makers(templates("chunks"), resources, setting.threads)
    _rows(study, "noun phrases", _only_noun_phrases(everything), _models(makers), _PAPER, setting)
    _rows(study, "all types", everything, _models(makers), {}, setting)
    study.notes += [
        "** : better than one CRF on the same features by McNemar's test over tokens for every seed, p < 0.01 (* p < 0.05).",
        f"l2 from {listed(_GRID)}, and the shares of tags and lexicons (the other pools have equal ones), by every tenth "
        f"training sentence; then trained on all of them; {len(setting.seed_numbers())} seeds. For noun phrases the other labels "
        "are O, in training too, and the scheme is BIOES; for all types it is BIO2.",
        "Lists of words by tag, and the second tagger (a MaxEnt, whose tags are a clue beside the corpus's own), come from the "
        "sections of the Wall Street Journal that CoNLL-2000 neither trains nor tests on; the tagger has a list of words by tag "
        "from a larger, automatically tagged text besides.",
    ]
    return study


def _models(makers: Makers) -> list[Model]:
    base = replace(makers, text=str(parse(makers.text).restrict("base")))
    return [
        Model(_BASE, base.one(CRF), _GRID),
        Model(_ONE, makers.one(CRF), _GRID),
        Model("bagged: tags, lexicons", makers.bagged(bags=_TWO, weights="dev"), _GRID),
        Model("bagged: each without one clue, and all", makers.bagged(bags=without_one(_CLUES)), _GRID),
        Model("one CRF, bags dropped at random (0.2)", makers.one(CRF, dropout=0.2, drop="bags"), _GRID),
    ]


def _rows(study: Study, kind: str, split: Split, models: Sequence[Model], papers: Mapping[str, float], setting: Setting) -> None:
    gold = split.test.labels
    whole = together(split.train, split.dev)
    found: dict[str, list[Labels]] = {}
    rows: list[Row] = []
    for model in models:
        refit(tune(model, split, setting, only_first=True), whole, setting)
        found[model.name] = [tagger.predict(split.test) for tagger in model.fitted]
        rows.append(measured(model.name, f"{kind}, test F1", gold, found[model.name], paper=papers.get(model.name)))
        study.notes.append(f"{kind}, {model.name}: l2 {model.setting:g}, dev F1 {model.dev:.2f}")
        model.fitted.clear()
    rivals = {name: _ONE for name in found if name not in (_BASE, _ONE)}
    study.rows += with_marks(rows, gold, found, rivals)
    study.notes += [f"{kind}, {note}" for note in compared(gold, found, rivals)]


def _tagged_again(split: Split, outside: Corpus, brown: Clusters, setting: Setting) -> Split:
    """The corpora with the tags of a second tagger beside those they come with."""
    setting.say("a second tagger")
    seen = AmbiguityClasses.from_corpus(outside, min_count=5, share=0.02)
    tagger = MaxEnt(
        templates("tags"),
        resources={"classes": seen, "possible": possible_tags(setting), "brown": brown},
        l2=0.5,
        min_count=2,
        pairs="observed",
        trainer=SGD(epochs=6),
        threads=setting.threads,
    ).fit(outside)
    return Split(*(part.with_column(_SECOND, tagger.predict(part)) for part in (split.train, split.dev, split.test)))


def _only_noun_phrases(split: Split) -> Split:
    return Split(*(in_scheme(only_type(part, "NP"), "bioes") for part in (split.train, split.dev, split.test)))
