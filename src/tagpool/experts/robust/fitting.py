"""Robust training of an expert: an ordinary training, then one that continues with copies of sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from tagpool.errors import InputError
from tagpool.experts.inputs import are_given_features, as_corpus
from tagpool.experts.linear.expert import Expert
from tagpool.experts.robust.audit import find_weaknesses, possible_changes
from tagpool.experts.robust.copies import Copies, make_copies
from tagpool.experts.robust.decision import Decision
from tagpool.experts.robust.dev_sets import DevTexts, Scores
from tagpool.experts.robust.first import FirstTraining
from tagpool.experts.robust.kinds import AUTO, changes_of, parse_kinds
from tagpool.experts.robust.missing import choose_missing
from tagpool.experts.robust.training import RobustTraining
from tagpool.experts.training_data import UNKNOWN, as_weights
from tagpool.features.functions import ELSEWHERE
from tagpool.features.template import TemplateSet, unnest
from tagpool.optim.trainers import trainer_of

_FOLDS = 10
_Changes = Mapping[str, Sequence[str]]


class RobustFit:
    """The two trainings of an expert. With ``auto``, the dev set (or a tenth of the sentences) shows its weaknesses."""

    def __init__(self, expert: Expert, sentences: Any, labels: Any, *, dev: Any, sample_weight: Any) -> None:
        self.kinds = parse_kinds(str(expert.robust))
        _check(expert, sentences)
        self.expert = expert
        self.corpus = as_corpus(sentences, labels, unknown=UNKNOWN).require_labels()
        self.dev = dev
        self.weights = None if sample_weight is None else as_weights(sample_weight)
        self.templates = expert._templates(self.corpus)

    def run(self, on_epoch: Any, checkpoint: Any) -> None:
        """Train; the expert has the ordinary model until the second training ends."""
        expert, corpus = self.expert, self.corpus
        parts = (None, None) if checkpoint is None else (checkpoint.part("ordinary"), checkpoint.part("robust"))
        is_auto = self.kinds == (AUTO,)
        changes = {} if is_auto else changes_of(self.kinds, corpus, self.templates)
        copies = None if is_auto else self._copies(changes)  # faults before long work
        numbers, dev = self._first_sentences(is_auto)
        chosen = corpus if numbers is None else corpus.select(numbers)
        weights = self.weights if self.weights is None or numbers is None else self.weights[numbers]
        first = FirstTraining(expert, chosen, None, dev=dev, sample_weight=weights, checkpoint=parts[0])
        first.numbers = numbers
        if is_auto:
            first.audit_on = DevTexts.of(dev, possible_changes(corpus, self.templates), train=corpus)
        try:
            first.run(on_epoch)
            if is_auto:
                changes = find_weaknesses(first.audited)
                copies = self._copies(changes) if changes else None
            if copies is None:
                first.finish({"robust": asdict(Decision({}, 0.0, *_ordinary_scores(first.audited)))})
            else:
                self._continue(first, copies, changes, on_epoch, parts[1])
        except KeyboardInterrupt:
            if not expert.is_fitted:
                first.finish({"robust": asdict(Decision({}, 0.0, interrupted=True))})
            raise

    def _continue(self, first: FirstTraining, copies: Copies, changes: _Changes, on_epoch: Any, checkpoint: Any) -> None:
        names = [name for kind in changes.values() for name in kind]
        texts = first.audit_on
        if self.dev is None:
            texts = None
        elif texts is None:
            texts = DevTexts.of(self.dev, names, train=self.corpus)
        else:
            texts = texts.only(names)
        options: dict[str, Any] = {"dev_texts": texts, "sample_weight": self.weights, "checkpoint": checkpoint}
        missing = choose_missing(len(self.corpus), changes, seed=self.expert.seed)
        RobustTraining(first, self.corpus, copies, missing, changes, **options).run(on_epoch)
        self.expert.log_ = [*first.log, *self.expert.log_]

    def _copies(self, changes: _Changes) -> Copies:
        corpus = self.corpus
        unknown = {UNKNOWN, self.expert.unknown_label}
        left_out = {number for number, labels in enumerate(corpus.labels) if not unknown.isdisjoint(labels)}
        by_document = bool(corpus.document_starts) and reads_documents(self.templates)
        return make_copies(corpus, changes, seed=self.expert.seed, left_out=left_out, by_document=by_document)

    def _first_sentences(self, is_auto: bool) -> tuple[list[int] | None, Any]:
        """The numbers of the sentences of the first training (None: all), and its dev set."""
        if not is_auto or self.dev is not None:
            return None, self.dev
        corpus = self.corpus
        by_document = len(corpus.document_starts) >= _FOLDS
        if len(corpus) < _FOLDS:
            raise InputError(f"robust='auto' needs a dev set, or at least {_FOLDS} sentences; got {len(corpus)}")
        numbers, held_out = next(corpus.fold_numbers(_FOLDS, seed=self.expert.seed, by_document=by_document))
        return numbers, corpus.select(held_out)


def _check(expert: Expert, sentences: Any) -> None:
    """Raise an error for a training that is not made for copies."""
    if are_given_features(sentences):
        raise InputError(
            "robust: perturbations are for words, not for given features; train on words with templates, or without robust"
        )
    if expert._part is not None:
        raise InputError("robust: members of a pool are trained on parts of the features; use robust without the pool")
    if expert.warm_start and expert.is_fitted:
        raise InputError("robust: a robust training begins with a new model; train without warm_start (--from)")
    kind = trainer_of(expert.trainer).kind
    if kind != "sgd":
        raise InputError(f"robust: the trainer {kind} does not continue with copies; use the trainer sgd")


def reads_documents(templates: TemplateSet) -> bool:
    """Whether a template looks at other sentences of the document.

    >>> from tagpool.features.parser import parse
    >>> reads_documents(parse("word[0]")), reads_documents(parse("elsewhere(casing(word))[0]"))
    (False, True)
    """
    calls = [call for template in templates for term in template.terms for call in unnest(term.expression)[0]]
    return any(call.function == ELSEWHERE for call in calls)


def _ordinary_scores(audited: Scores | None) -> tuple[Any, Any]:
    if audited is None:
        return None, None
    changed = {name: (score, score) for name, score in audited.changed.items()}
    return (audited.clean, audited.clean), changed
