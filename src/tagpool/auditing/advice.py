"""Advice: one sentence for each row of an audit, which works when it is followed."""

from __future__ import annotations

from tagpool.auditing.labellers import Labeller
from tagpool.auditing.parts import RESOURCE, TEMPLATE
from tagpool.auditing.result import FEATURES, SIGNIFICANT, SLICE, AuditRow
from tagpool.evaluation.versions import Difference
from tagpool.perturbations.registry import PERTURBATIONS

_NO_LOSS = "no loss beyond chance"
_GAIN = "no loss: the score is higher"
_CASE = ("lower", "upper", "title")
_ROBUST_KINDS = ("crf", "maxent")  # learners that have the parameter `robust`
BUILT_IN = frozenset(PERTURBATIONS)
"""The names that ``--robust`` knows in every process; those that a user registers are there only in the user's program."""


def advise(row: AuditRow, labeller: Labeller) -> str:
    """Return one sentence about a row."""
    if row.reason:
        return ""
    if row.loss is not None and row.loss.value < 0 and row.loss.p_value < SIGNIFICANT and row.kind != FEATURES:
        return _GAIN
    if row.kind == FEATURES:
        return _about_features(row, labeller)
    if row.kind == SLICE:
        return _about_slice(row)
    return _about_text(row, labeller)


def _about_text(row: AuditRow, labeller: Labeller) -> str:
    if not row.is_significant:
        return _NO_LOSS
    name = row.perturbation
    kind = None if labeller.model is None else labeller.model.kind
    if kind is None or name not in BUILT_IN:
        share = PERTURBATIONS[name].usual_share
        options = "" if share == 1.0 else f", share={share:g}"
        return f'add changed sentences to its training text: tagpool.perturb(train, "{name}"{options})'
    robust = "case" if name in _CASE else name
    if _is_trained_for({name, robust}, labeller):
        return f"the model was trained for this with --robust {robust}: label such text to lose less"
    option = f"--robust {robust}"
    if kind not in _ROBUST_KINDS:
        return f"a CRF can be trained on such text, too: tagpool train --learner crf {option}"
    return f"train on such text, too: {option}"


def _is_trained_for(names: set[str], labeller: Labeller) -> bool:
    """Whether a robust training of the model had one of these kinds, or changes."""
    robust = getattr(labeller.model, "summary_", {}).get("robust") or {}
    return bool(robust.get("share")) and not names.isdisjoint([*robust["copies"], *(robust["changed"] or {})])


def _about_features(row: AuditRow, labeller: Labeller) -> str:
    if not row.is_significant:
        if row.worth is not None and not _is_above_zero(row.worth):
            return f"{_NO_LOSS}, also when trained without it: it may be left out"
        return _NO_LOSS
    robust = "lists" if row.perturbation == RESOURCE else "groups"
    if _is_trained_for({robust}, labeller):
        return f"the model was trained for this with --robust {robust}"
    option = f"--robust {robust}"
    if row.dependence is not None:
        if _is_above_zero(row.dependence):
            return f"the model relies on it more than it is worth: train with {option}"
        if _is_above_zero(row.worth or row.dependence):
            return "the loss is about what it is worth: keep it"
    if row.perturbation == TEMPLATE:
        return "to see its worth, train without it"
    return f"if it may be missing in use, train with {option}"


def _is_above_zero(difference: Difference) -> bool:
    return difference.value > 0 and difference.p_value < SIGNIFICANT


def _about_slice(row: AuditRow) -> str:
    if not row.is_significant:
        return _NO_LOSS
    if row.perturbation == "unknown":
        return "label more text, or add word lists or clusters (tagpool resources)"
    if row.perturbation == "length":
        return "label more sentences of this length"
    return "label more text of this kind"
