"""The configuration of a learner as TOML, which its model file stores."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tagpool.config import Section, describe, to_toml
from tagpool.errors import TemplateError
from tagpool.features.automatic import AUTO
from tagpool.features.encoder import Encoder
from tagpool.features.presets import load_templates
from tagpool.parameters import Parameters


def configuration_text(learner: Any) -> str:
    """The features and parameters of a learner.

    >>> from tagpool import MaxEnt
    >>> print(configuration_text(MaxEnt("word[0]")).splitlines()[1])
    templates = "word[0]\\n"
    """
    tables = {"features": Section(feature_table(learner)), "learner": describe(learner, learner.kind.removesuffix("-pool"))}
    return to_toml({name: table for name, table in tables.items() if table})


def feature_table(learner: Any) -> dict[str, Any]:
    """The templates as text, the minimum count and the files of resources; empty without templates."""
    owner = _owner(learner)
    if owner is None:
        return {}
    encoder = getattr(owner, "_encoder", None)
    if encoder is not None and not isinstance(encoder, Encoder):
        return {"min_count": int(encoder.min_count)}
    try:
        templates = str(encoder.templates_ if encoder is not None else _unfitted_templates(owner.templates))
    except TemplateError:
        if Path(str(owner.templates)).exists():
            raise
        templates = str(owner.templates)  # the file is no longer there
    min_count = owner.min_count if encoder is None else encoder.min_count
    table: dict[str, Any] = {"templates": templates} | ({} if min_count is None else {"min_count": int(min_count)})
    files = {name: str(value) for name, value in (owner.resources or {}).items() if isinstance(value, (str, Path))}
    return table | ({"use": files} if files else {})


def _unfitted_templates(templates: Any) -> Any:
    """The name of automatic templates, which a corpus decides; else the templates."""
    return templates if isinstance(templates, str) and templates == AUTO else load_templates(templates)


def _owner(learner: Any) -> Any:
    """The learner, or the nested one, that has templates; None without one."""
    if "templates" in learner.parameters():
        return learner
    nested = (getattr(learner, name) for name, declared in learner.parameters().items() if declared.kinds is not None)
    return next((owner for value in nested if isinstance(value, Parameters) and (owner := _owner(value)) is not None), None)
