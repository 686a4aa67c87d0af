"""The values that are completed, by command and parameter."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from tagpool.cli.completing.candidates import Answer, Completer, Mode, Typed, after_comma, complete_models, words

_PRESETS = ("tagpool.features.presets", "preset_names")
_LEARNERS = ("tagpool.cli.training.learners", "LEARNERS")
_KEYS = ("tagpool.pools.votes.keys", "KEYS")

# Names by command and parameter: the module, and a collection or a function of it.
NAMES: Mapping[str, tuple[str, str]] = {
    "train features": _PRESETS,
    "train learner": _LEARNERS,
    "tune features": _PRESETS,
    "tune learner": _LEARNERS,
    "mistakes features": _PRESETS,
    "mistakes learner": _LEARNERS,
    "mistakes kind": ("tagpool.auditing.mistakes", "MISTAKE_KINDS"),
    "suggest to": ("tagpool.auditing.suggestion_files", "SUGGESTION_FORMS"),
    "features templates": _PRESETS,
    "features preset": _PRESETS,
    "pool fit method": ("tagpool.cli.pooling.fit", "ALL_METHODS"),
    "pool fit key": _KEYS,
    "pool estimate method": ("tagpool.pools.unsupervised.fitted", "METHODS"),
    "pool compare key": _KEYS,
    "pool distill features": _PRESETS,
    "reproduce name": ("tagpool.experiments.catalogue", "NAMES"),
    "man command": ("tagpool.cli.main", "COMMANDS"),
}

MODELS = (
    "train from_",
    "tag model",
    "audit files",
    "report model",
    "explain model",
    "inspect model",
    "suggest model",
    "pool apply pool",
    "pool suggest pool",
    "pool distill pool",
    "pool explain pool",
    "resources ambiguity model",
    "serve models",
)


def _settings(start: str, typed: Typed) -> Answer:
    from tagpool.cli.completing.settings import complete_settings  # noqa: PLC0415 - only for --set

    return complete_settings(start, typed)


def _robust_kinds(start: str, _: Typed) -> Answer:
    from tagpool.experts.robust.kinds import known_kinds  # noqa: PLC0415 - only for --robust

    return after_comma(known_kinds(), start)


def _audit_parts(start: str, _: Typed) -> Answer:
    from tagpool.auditing.audit import KINDS  # noqa: PLC0415 - only for --only
    from tagpool.perturbations.registry import PERTURBATIONS  # noqa: PLC0415 - only for --only

    return after_comma((*KINDS, *PERTURBATIONS), start)


def _experiments(start: str, _: Typed) -> Answer:
    from tagpool.experiments.catalogue import EXPERIMENTS  # noqa: PLC0415 - only for --only

    return after_comma(EXPERIMENTS, start)


def _learners_and_models(start: str, typed: Typed) -> Answer:
    answer, models = words(names_of(_LEARNERS), start), complete_models(start, typed)
    return answer if models.mode is Mode.FILES else Answer(Mode.PATHS, answer.values | models.values)


def _schemes(start: str, _: Typed) -> Answer:
    from tagpool.corpus.transitions import Scheme  # noqa: PLC0415 - only for --scheme

    return words([one.value for one in Scheme if one is not Scheme.PLAIN], start)


def _conversions(start: str, _: Typed) -> Answer:
    from tagpool.cli.model_conversion import MODEL_FORMATS  # noqa: PLC0415 - only for --to
    from tagpool.corpus.formats import Format  # noqa: PLC0415 - only for --to

    return words([*(one.value for one in Format), *MODEL_FORMATS], start)


OTHERS: Mapping[str, Completer] = {
    "train set_": _settings,
    "tune set_": _settings,
    "mistakes set_": _settings,
    "train robust": _robust_kinds,
    "audit only": _audit_parts,
    "reproduce only": _experiments,
    "config what": _learners_and_models,
    "convert to": _conversions,
    "tag scheme": _schemes,
    "pool fit scheme": _schemes,
    "pool estimate scheme": _schemes,
    "pool compare scheme": _schemes,
}


def names_of(place: tuple[str, str]) -> list[str]:
    """Return the names of a collection, or of the result of a function, of a module."""
    value: Any = getattr(importlib.import_module(place[0]), place[1])
    return list(value() if callable(value) else value)


def completer_of(command: str, parameter: str) -> Completer | None:
    """Return the function that completes a parameter; None if its values are not known."""
    key = f"{command} {parameter}"
    if key in MODELS:
        return complete_models
    if key in NAMES:
        return lambda start, _: words(names_of(NAMES[key]), start)
    return OTHERS.get(key)
