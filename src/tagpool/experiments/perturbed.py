"""Robustness under perturbations: every model on every changed test set of a corpus."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tagpool.corpus.corpus import Corpus
from tagpool.corpus.truecasing import Truecaser
from tagpool.evaluation.scores import score
from tagpool.experiments.corpora import Split, gene_mentions, spanish, templates, wnut17
from tagpool.experiments.fits import Makers, Model, tune
from tagpool.experiments.study import Setting, Table
from tagpool.experts.linear.crf import CRF
from tagpool.features.groups import groups_of
from tagpool.features.parser import parse
from tagpool.features.template import TemplateSet, unnest
from tagpool.perturbations.perturb import perturb
from tagpool.perturbations.perturbation import NotApplicable
from tagpool.perturbations.registry import PERTURBATIONS

CLEAN = "clean"
ONE, ROBUST, TRUECASED = "one CRF", "robust CRF", "one CRF, truecased"
COMPARED = (ONE, ROBUST, "one CRF, bags dropped (0.3)", "bagged, equal weights", "elitist CRF, 3 experts")
MU = "elitist CRF, 3 experts, mu 0.5"
KINDS = "case,typos,names,lists,groups"
_BAGS = {"ngrams": ["words", "ngrams"], "uncased": ["uncased"]}
_GRID = (1.0,)

CORPORA: dict[str, Callable[[Setting], Split]] = {
    "WNUT-17, emerging names": wnut17,
    "CoNLL-2002, Spanish names": spanish,
    "BioCreative II, gene mentions": gene_mentions,
}
"""Corpora beside CoNLL-2003, without lists of names."""


class PerturbedTests:
    """The changed test sets of a corpus by the name of the change; changes that do not apply are left out."""

    def __init__(self, split: Split) -> None:
        self.sets: dict[str, Corpus] = {CLEAN: split.test}
        for name, one in PERTURBATIONS.items():
            options: dict[str, Any] = {"known": split.train} if name == "names" else {}
            try:
                self.sets[name] = perturb(split.test, name, share=one.usual_share, **options)
            except NotApplicable:
                continue
        self.lines: list[list[str]] = []

    def add(self, model: Model) -> None:
        """Add a line with the mean F1 of the fitted taggers of a model."""
        self._add(model.name, model, lambda corpus: corpus)

    def add_truecased(self, name: str, model: Model, truecaser: Truecaser) -> None:
        """Add a line of the same taggers with capitals restored."""
        self._add(name, model, truecaser.restore)

    def _add(self, name: str, model: Model, prepare: Callable[[Corpus], Corpus]) -> None:
        cells = []
        for changed in self.sets.values():
            corpus = prepare(changed)
            scores = [score(changed.labels, model.decode(tagger, corpus)).f1 for tagger in model.fitted]
            cells.append(f"{100 * float(np.mean(scores)):.2f}")
        self.lines.append([name, *cells])

    def table(self, title: str) -> Table:
        """Return the table of all lines."""
        return Table(title, ["", *self.sets], self.lines)


def other_corpora(setting: Setting) -> list[Table]:
    """Return a table for each corpus beside CoNLL-2003."""
    tables = []
    for title, read in CORPORA.items():
        split = read(setting)
        tests = PerturbedTests(split)
        for model in _models(Makers(_templates(split), threads=setting.threads)):
            setting.report(f"{title}: {model.name}")
            tune(model, split, setting)
            tests.add(model)
            if model.name == ONE:
                tests.add_truecased(TRUECASED, model, Truecaser.of(split.train))
            model.fitted.clear()
        tables.append(tests.table(f"Perturbations: {title}"))
    return tables


def _models(makers: Makers) -> list[Model]:
    kinds = KINDS.replace("lists,", "")
    return [
        Model(ONE, makers.one(CRF), _GRID),
        Model(ROBUST, makers.one(CRF, robust=kinds), _GRID, stops=True),
        Model("one CRF, bags dropped (0.3)", makers.one(CRF, dropout=0.3, drop="bags"), _GRID),
        Model("bagged, equal weights", makers.bagged(bags=_BAGS), _GRID),
        Model("elitist CRF, 3 experts", makers.elitist(expert="crf"), (0.03,), stops=True),
        Model(MU, makers.elitist(expert="crf", mu=0.5), (0.03,), stops=True),
    ]


def _templates(split: Split) -> str:
    """Return the templates of CoNLL-2003 without lists, and without columns that the corpus lacks."""
    known: TemplateSet = parse(templates("names-robust")).without("lexicons")
    fields = [unnest(term.expression)[1] for template in known for term in template.terms]
    lacking = {field.name for field in fields if field is not None} - set(split.train.columns)
    return str(known.keep(tuple(template for template in known if not lacking & set(groups_of(known.keep((template,)))))))
