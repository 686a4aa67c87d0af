"""Training of a component: its settings, and the calibration of probabilities."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tagpool.bridges.spacy.sentence_labels import Calibrations, SentenceLabels, label_corpus
from tagpool.config import Settings
from tagpool.corpus.corpus import WORD, Corpus
from tagpool.corpus.schemes import spans
from tagpool.errors import InputError
from tagpool.experts.inducing.tagger import InducingTagger
from tagpool.experts.linear.crf import CRF
from tagpool.experts.linear.maxent import MaxEnt
from tagpool.experts.tagger import Tagger
from tagpool.experts.training_data import UNKNOWN
from tagpool.features.presets import load_templates
from tagpool.features.template import Expression, Field, unnest
from tagpool.pools.stacked.confidence import useful_calibration

_LEARNERS: dict[str, type[Tagger]] = {learner.kind: learner for learner in (CRF, MaxEnt, InducingTagger)}
_LEARNER = ("learner",)
_HISTORY = "label"  # the field of previous labels


@dataclass(frozen=True)
class TrainingSettings:
    """Templates and learner of a training, and the folds of its calibration."""

    templates: str = "auto"
    learner: dict[str, Any] | None = None
    folds: int = 3

    def check(self, where: str) -> None:
        """Raise an InputError for settings that do not work, before a training."""
        if self.folds < 0 or self.folds == 1:
            raise InputError(f"{where}: calibration_folds = {self.folds}: expected 0, or a whole number from 2")
        try:
            self.create()
            self.columns()
        except InputError as error:
            raise InputError(f"{where}: {error}") from None

    def create(self) -> Any:
        """Return a new learner."""
        settings = Settings(_LEARNERS, {})
        settings.add("", {"learner": dict(self.learner or {})})
        kind = settings.kind(_LEARNER, _LEARNERS, CRF.kind)
        return _LEARNERS[kind](self.templates, **settings.values(_LEARNER, _LEARNERS[kind], {}))

    def columns(self) -> list[str]:
        """Return the columns that the templates read; automatic templates read the words."""
        if self.templates == "auto":
            return [WORD]
        fields = {
            field.name
            for template in load_templates(self.templates)
            for term in template.terms
            for expression in term.expressions()
            for field in _fields(expression)
        }
        return [WORD, *sorted(fields - {WORD, _HISTORY})]

    def fit(self, corpus: Corpus, threads: int) -> Any:
        """Return a tagger that is trained on a corpus."""
        learner = self.create()
        learner.threads = threads
        labels = [[None if label == UNKNOWN else label for label in row] for row in corpus.labels]
        return learner.fit(corpus, labels)


def _fields(expression: Expression) -> Iterator[Field]:
    field = unnest(expression)[1]
    if field is not None:
        yield field


def cross_calibrate(settings: TrainingSettings, corpus: Corpus, threads: int) -> Calibrations:
    """Return calibrations from the probabilities that models give to documents they were not trained on."""
    if not settings.folds or len(corpus.document_starts) < settings.folds:
        return Calibrations()
    results: list[SentenceLabels] = []
    gold: list[list[str]] = []
    for train, test in corpus.folds(settings.folds, by_document=True):
        model = settings.fit(train, threads)
        if not model.has_probabilities:
            return Calibrations()
        results += label_corpus(model, test)
        gold += test.labels
    return _calibrations(results, gold)


def calibrate_model(model: Any, corpus: Corpus) -> Calibrations:
    """Return calibrations of a model from a corpus that it was not trained on."""
    return _calibrations(label_corpus(model, corpus), corpus.labels) if model.has_probabilities else Calibrations()


def _calibrations(results: list[SentenceLabels], gold: list[list[str]]) -> Calibrations:
    """Return the calibrations that help; tokens and spans with unknown labels do not count."""
    tokens: list[tuple[float, bool]] = []
    whole: list[tuple[float, bool]] = []
    for one, row in zip(results, gold, strict=True):
        pairs = zip(one.probabilities or (), one.labels, row, strict=True)
        tokens += [(probability, label == right) for probability, label, right in pairs if right != UNKNOWN]
        right_spans = set(spans(["O" if label == UNKNOWN else label for label in row]))
        for span, probability in zip(one.spans, one.span_probabilities or (), strict=True):
            if UNKNOWN not in row[span.start : span.end]:
                whole.append((probability, span in right_spans))
    return Calibrations(*(useful_calibration(*_columns(pairs)) for pairs in (tokens, whole)))


def _columns(pairs: list[tuple[float, bool]]) -> tuple[Any, Any]:
    return np.array([value for value, _ in pairs], np.float64), np.array([correct for _, correct in pairs], np.bool_)
