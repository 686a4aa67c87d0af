"""audit: the score that a tagger loses under realistic changes, without parts of its features, and on parts of the test set."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tagpool.auditing.advice import advise
from tagpool.auditing.labellers import Labeller, labeller_of
from tagpool.auditing.parts import TEMPLATE, Part, keys_of, parts_of, templates_of
from tagpool.auditing.result import FEATURES, SIGNIFICANT, SLICE, TEXT, Audit, AuditRow
from tagpool.auditing.retraining import Retrainer
from tagpool.auditing.slices import slices_of
from tagpool.auditing.text_changes import TextChange, text_changes
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.schemes import Scheme, detect
from tagpool.errors import InputError, check_type
from tagpool.evaluation.alignment import IntArray
from tagpool.evaluation.chunks import ChunkCounts
from tagpool.evaluation.versions import Versions, count_version
from tagpool.perturbations.perturbation import NotApplicable, check_corpus
from tagpool.perturbations.registry import PERTURBATIONS
from tagpool.wording import counted

_FEWEST = 10  # gold spans of a slice: draws of fewer are too much alike for an interval
_CLEAN, _TRAINED = "clean", "trained"
KINDS = {"text": TEXT, "features": FEATURES, "slices": SLICE}
OnStep = Callable[[int, int, str], object]


def audit(
    tagger: Any,
    test: Corpus,
    *,
    train: Corpus | tuple[Corpus, Corpus] | None = None,
    names: Mapping[str, Corpus] | None = None,
    by: Sequence[str] = (),
    only: Collection[str] = (),
    seed: int = 0,
    on_step: OnStep | None = None,
) -> Audit:
    """Measure what a tagger loses under realistic changes of text, without parts of its features, and on parts of a test set.

    The changes are all registered perturbations (:func:`tagpool.perturb`). Of a model of tagpool, every feature group, resource,
    kind of features and template is removed in turn. The score is F1 (the accuracy of plain labels). Every loss has a 95%
    interval and a p value from 10,000 draws of sentences.

    Args:
        tagger: A tagger, a labeller, or a function of a list of lists of words that returns their labels.
        test: Sentences with gold labels.
        train: The training text, or the training and the dev text: for the words that training has seldom or never, for names of
            the training text, and to train without each part. Then every part has its worth and the dependence on it.
        names: Other texts with labels, by name: their names are put in place of those of the test set.
        by: Columns by whose values the test set is sliced.
        only: Parts of the audit: ``text``, ``features``, ``slices``, or names of perturbations (default: all).
        seed: Seed of the changes and of the draws.
        on_step: Function that is called with the number of finished steps, of all steps, and the name of the next one.

    >>> from tagpool import CRF, audit, builtin_corpus
    >>> crf = CRF("word[0]\\nsuffix(word, 2)[0]").fit(builtin_corpus(300))
    >>> result = audit(crf, builtin_corpus(100, part="test"), only=["lower", "upper", "digits"])
    >>> [row.name for row in result.rows if row.is_significant]
    ['upper', 'lower']
    """
    return _Auditor(labeller_of(tagger), test, _Settings.of(train, names, by, only, seed), on_step).run()


@dataclass(frozen=True)
class _Settings:
    """Checked arguments of an audit."""

    train: Corpus | None
    dev: Corpus | None
    names: Mapping[str, Corpus]
    by: Sequence[str]
    only: frozenset[str]
    seed: int

    @classmethod
    def of(cls, train: Any, names: Any, by: Any, only: Any, seed: Any) -> _Settings:
        text, dev = train if isinstance(train, tuple) and len(train) == 2 else (train, None)
        for corpus in (text, dev):
            if corpus is not None:
                check_corpus(corpus).require_labels()
        names = {"another text": names} if isinstance(names, Corpus) else ({} if names is None else names)
        check_type(names, Mapping, "a dict of corpora by name, such as {'Africa': read_corpus(path)}")
        for corpus in names.values():
            check_corpus(corpus).require_labels()
        columns, parts = _texts(by, "by", "names of columns"), _texts(only, "only", "parts of an audit")
        for part in parts:
            if part not in KINDS and part not in PERTURBATIONS:
                raise InputError(f"only={part!r}: expected one of {', '.join([*KINDS, *PERTURBATIONS])}")
        if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
            raise InputError(f"seed={seed!r}: expected a whole number from 0")
        return cls(text, dev, dict(names), columns, frozenset(parts), seed)

    def includes(self, kind: str, perturbation: str = "") -> bool:
        """Return whether an audit has rows of a kind, or of a perturbation."""
        names = {name for name, value in KINDS.items() if value == kind}
        return not self.only or bool(names & self.only) or perturbation in self.only


def _texts(values: Any, name: str, what: str) -> list[str]:
    if isinstance(values, str) or not isinstance(values, Collection) or not all(isinstance(one, str) for one in values):
        raise InputError(f"{name}={values!r:.60}: expected a list of {what}")
    return list(values)


class _Auditor:
    """One audit: collects the counts of every version of the test set, and compares them at the end."""

    def __init__(self, labeller: Labeller, test: Corpus, settings: _Settings, on_step: OnStep | None) -> None:
        self.labeller, self.settings = labeller, settings
        self.test = check_corpus(test).require_labels().drop_empty()
        self.on_step = on_step or (lambda done, total, what: None)
        self.plain = _is_plain(self.test)
        # As in tagpool.score: with plain labels, O is outside if it occurs; else every token counts.
        self.outside = "O" if any("O" in row for row in self.test.labels) else None
        for column in settings.by:
            self.test.column(column)  # an error for an unknown name
        self.tables: dict[str, IntArray] = {}
        self.rows: list[AuditRow] = []
        self.notes: list[str] = []
        self.done = 0

    def run(self) -> Audit:
        """Run all parts and return the result."""
        changes = [
            change
            for change in text_changes(self.test, self.settings.train, self.settings.names, self.settings.seed)
            if self.settings.includes(TEXT, change.perturbation)
        ]
        parts = self._parts() if self.settings.includes(FEATURES) else []
        retrained = [part for part in parts if part.kind != TEMPLATE] if self.settings.train is not None else []
        self.total = 2 + len(changes) + len(parts) + (len(retrained) + 1 if retrained else 0)
        self._step("unchanged text")
        clean = self._count(self.test, self.labeller.labels(self.test))
        self.tables[_CLEAN] = clean.by_sentence()
        for change in changes:
            self._step(change.title)
            self._change(change)
        for part in parts:
            self._step(f"without {part.title}")
            if not self._remove(part):
                retrained = []
                break  # the reason is the same for all parts
        if retrained:
            self._retrain(retrained)
        if self.settings.includes(SLICE):
            self._slice(clean)
        self._step("intervals")
        return self._result()

    def _step(self, what: str) -> None:
        self.on_step(self.done, self.total, what)
        self.done += 1

    def _count(self, corpus: Corpus, labels: list[list[str]]) -> ChunkCounts:
        return count_version(corpus.labels, labels, plain=self.plain, outside=self.outside)

    def _change(self, change: TextChange) -> None:
        row = AuditRow(TEXT, change.title, change.perturbation)
        try:
            changed = change.make()
        except NotApplicable as reason:
            self.rows.append(replace(row, reason=reason.message))
            return
        if changed.words == self.test.words:
            self.rows.append(replace(row, reason="the test set is too small: the share of changes gave none"))
            return
        try:
            labels = self.labeller.labels(changed)
        except InputError as error:
            raise InputError(f"on text with the change {change.title}: {error}") from error
        self._add(row, self._count(changed, labels).by_sentence())

    def _parts(self) -> list[Part]:
        if self.labeller.model is None:
            self.rows.append(
                AuditRow(FEATURES, "features", reason="the features of a tagger that is not tagpool's are not known")
            )
            return []
        try:
            return parts_of(self.labeller.model)
        except InputError as error:
            self.rows.append(AuditRow(FEATURES, "features", reason=error.message))
            return []

    def _remove(self, part: Part) -> bool:
        """Score the model without a part; return False if no part of this model can be removed."""
        assert self.labeller.model is not None
        left = [template for template in templates_of(self.labeller.model) if template not in part.templates]
        try:
            model = self.labeller.model._without_keys(keys_of(part.templates, left))
        except (InputError, NotImplementedError) as error:
            reason = getattr(error, "message", f"removing features from a {type(self.labeller.model).__name__} is not supported")
            self.rows.append(AuditRow(FEATURES, "features", reason=reason))
            return False
        labels = labeller_of(model, mapping=self.labeller.mapping).labels(self.test)
        self._add(AuditRow(FEATURES, part.title, part.kind), self._count(self.test, labels).by_sentence())
        return True

    def _retrain(self, parts: Sequence[Part]) -> None:
        """Train without each part; a model that is not trained again has a note."""
        assert self.labeller.model is not None
        assert self.settings.train is not None
        try:
            retrainer = Retrainer(self.labeller.model, self.settings.train, self.settings.dev)
            self._step("training with all features")
            self.tables[_TRAINED] = self._retrained(retrainer, ())
            for part in parts:
                self._step(f"training without {part.title}")
                self.tables[f"{_TRAINED} {part.title}"] = self._retrained(retrainer, part.templates)
        except InputError as error:
            self.notes.append(f"the dependence on parts is not measured: {error}")

    def _retrained(self, retrainer: Retrainer, without: Collection[Any]) -> IntArray:
        labels = labeller_of(retrainer.fit(without), mapping=self.labeller.mapping).labels(self.test)
        return self._count(self.test, labels).by_sentence()

    def _slice(self, clean: ChunkCounts) -> None:
        if self.settings.train is None:
            reason = "needs the training text: --train FILE (train=...)"
            self.rows.append(AuditRow(SLICE, "word frequency", reason=reason))
        unit = "gold token" if self.plain else "gold span"
        for part in slices_of(self.test, clean, self.settings.train, self.settings.by):
            row = AuditRow(SLICE, part.title, part.kind)
            if part.gold >= _FEWEST:
                self._add(row, part.table)
            elif part.gold:
                reason = f"it has {counted(part.gold, unit)}, and a score needs {_FEWEST} or more"
                self.rows.append(replace(row, gold=part.gold, reason=reason))

    def _add(self, row: AuditRow, table: IntArray) -> None:
        self.tables[f"{row.kind} {row.name}"] = table
        self.rows.append(replace(row, gold=int(table[:, 2].sum())))

    def _result(self) -> Audit:
        versions = Versions(self.tables, seed=self.settings.seed)
        if not self.tables[_CLEAN][:, 0].any():
            right = "the tagger has no right label" if self.plain else "the tagger finds no span of the test set"
            self.notes.append(f"{right}, so that no change can cost it anything; compare its labels with those of the test set")
        same_training = _TRAINED in self.tables and self._is_same_training(versions)
        rows = [self._finished(row, versions, same_training) for row in self.rows]
        return Audit(
            tagger=self.labeller.name,
            metric="accuracy" if self.plain and self.outside is None else "F1",
            score=versions.score(_CLEAN),
            interval=versions.interval(_CLEAN),
            sentences=len(self.test),
            gold=int(self.tables[_CLEAN][:, 2].sum()),
            plain=self.plain,
            rows=sorted(rows, key=lambda row: math.inf if row.loss is None else -row.loss.value),
            notes=[*self.notes, *self.labeller.notes],
        )

    def _finished(self, row: AuditRow, versions: Versions, same_training: bool) -> AuditRow:
        if row.reason:
            return row
        name, trained = f"{row.kind} {row.name}", f"{_TRAINED} {row.name}"
        row = replace(row, score=versions.score(name), loss=versions.difference([_CLEAN], [name]))
        if same_training and trained in self.tables:
            worth = versions.difference([_TRAINED], [trained])
            dependence = versions.difference([_CLEAN, trained], [name, _TRAINED])
            row = replace(row, worth=worth, dependence=dependence)
        return replace(row, advice=advise(row, self.labeller))

    def _is_same_training(self, versions: Versions) -> bool:
        """Return whether training again gives a model as good as the audited one; if not, add a note."""
        if versions.difference([_TRAINED], [_CLEAN]).p_value >= SIGNIFICANT:
            return True
        scores = f"{100 * versions.score(_TRAINED):.2f}, the audited one {100 * versions.score(_CLEAN):.2f}"
        advice = "give the training and dev text of the audited one (--train, --dev; train=(train, dev))"
        self.notes.append(f"the dependence on parts is not measured: a model that is trained again has {scores}; {advice}")
        return False


def _is_plain(test: Corpus) -> bool:
    """Return whether labels are plain; raise an error for a test set that has nothing to score."""
    if not len(test):
        raise InputError("the test set has no words; give one with labelled sentences", source=test.source)
    detection = detect(test.labels)
    if detection.ambiguous:
        raise InputError("the test set has no spans, so that F1 is not defined; give one with spans", source=test.source)
    return detection.scheme is Scheme.PLAIN
