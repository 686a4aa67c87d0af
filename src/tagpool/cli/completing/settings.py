"""Candidates for ``--set``: the keys of a configuration, and the values of a key."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tagpool.cli.completing.candidates import Answer, Mode, Typed, words
from tagpool.cli.training.learners import LEARNERS
from tagpool.config import HIDDEN
from tagpool.config_keys import FEATURES, KIND, DataOptions, FeatureOptions, OutputOptions, default_kind, template_owner

Key = tuple[str, tuple[str, tuple[str, ...]]]
"""A key with its help and its values, if they are known."""


def complete_settings(start: str, typed: Typed) -> Answer:
    """Return the keys of a configuration with ``=``, or the values of a key."""
    key, equals, _ = start.partition("=")
    declared = dict(_keys_of_learner(typed))
    if not equals:
        return words({f"{name}=": text for name, (text, _) in declared.items()}, start)
    _, values = declared.get(key, ("", ()))
    matching = (f"{key}={value}" for value in values)
    return Answer(Mode.WORDS, {one: "" for one in matching if one.startswith(start)})


def _keys_of_learner(typed: Typed) -> Iterator[Key]:
    """Yield the keys of the learner and the trainer that the words before choose."""

    chosen = dict(setting.split("=", 1) for setting in typed.values.get("set_", ()) if "=" in setting)
    kind = typed.last("learner") or chosen.get(f"learner.{KIND}") or next(iter(LEARNERS))
    learner = LEARNERS[kind] if kind in LEARNERS else LEARNERS[next(iter(LEARNERS))]
    yield f"learner.{KIND}", ("Kind of the learner.", tuple(LEARNERS))
    yield from _keys(("learner",), learner, chosen)
    if (owner := template_owner(learner)) is not None:
        templates = {name: owner.parameters()[name] for name in ("templates", "min_count")}
        yield from ((f"features.{name}", (one.help, _values(one))) for name, one in templates.items())
        yield from _keys(("features",), FeatureOptions, chosen)
    yield from _keys(("data",), DataOptions, chosen)
    yield from _keys(("output",), OutputOptions, chosen)


def _keys(path: tuple[str, ...], declared: Any, chosen: Mapping[str, str]) -> Iterator[Key]:
    for name, parameter in declared.parameters().items():
        key = ".".join((*path, name))
        if parameter.kinds is None:
            if name not in (*FEATURES, *HIDDEN):
                yield key, (parameter.help, _values(parameter))
            continue
        kinds = parameter.kinds()
        yield f"{key}.{KIND}", (parameter.help, tuple(kinds))
        kind = chosen.get(f"{key}.{KIND}")
        yield from _keys((*path, name), kinds[kind if kind in kinds else default_kind(parameter, kinds)], chosen)


def _values(parameter: Any) -> tuple[str, ...]:
    return (*parameter.accepted_words(), *(("true", "false") if "bool" in parameter.types else ()))
