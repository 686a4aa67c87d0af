"""The learners of ``tagpool train`` by kind, and their creation from a configuration. A new learner is registered here."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tagpool.config import Section, Settings, describe, to_toml
from tagpool.config_keys import FEATURES, KIND, DataOptions, FeatureOptions, OutputOptions, template_owner
from tagpool.errors import InputError
from tagpool.experts.configuration import feature_table
from tagpool.experts.saving import fitted_templates
from tagpool.features.presets import load_templates
from tagpool.features.transitions import transition_templates
from tagpool.parameters import Parameters
from tagpool.tagging.models import load_model


class Learners(Mapping[str, type[Parameters]]):
    """The classes of learners by kind. A class is imported when it is needed: all of them would take longer than the others."""

    def __init__(self, places: Mapping[str, tuple[str, str]]) -> None:
        self._places = places

    def __getitem__(self, kind: str) -> type[Parameters]:
        module, name = self._places[kind]
        learner: type[Parameters] = getattr(importlib.import_module(module), name)
        return learner

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


LEARNERS = Learners(
    {
        "crf": ("tagpool.experts.linear.crf", "CRF"),
        "maxent": ("tagpool.experts.linear.maxent", "MaxEnt"),
        "inducing": ("tagpool.experts.inducing.tagger", "InducingTagger"),
        "bagging": ("tagpool.pools.bagging.pool", "BaggingPool"),
        "elitist": ("tagpool.pools.elitist.pool", "ElitistPool"),
        "opinion": ("tagpool.pools.opinion.pool", "OpinionPool"),
        "two-stage": ("tagpool.pools.two_stage.pool", "TwoStageTagger"),
    }
)
LEARNER = ("learner",)


def new_settings() -> Settings:
    """Return settings without values, for the registered learners."""
    return Settings(LEARNERS, {"bags": _bags, "members": _members})


def create_learner(settings: Settings, start: str | None, threads: int) -> Any:
    """Create the learner of a configuration, or load the one to continue from."""
    if start is not None:
        return _continued(settings, Path(start), threads)
    declared = LEARNERS[settings.kind(LEARNER, LEARNERS, "crf")]
    inherited = _features(settings, declared) | {"threads": threads}
    if "seed" in (table := settings.table(LEARNER)):
        inherited["seed"] = table["seed"]
    values = settings.values(LEARNER, declared, inherited)
    for name, parameter in declared.parameters().items():
        if parameter.required and name not in values:
            raise InputError(f"learner.{name} is missing: {parameter.help}")
    return declared(**values)


def _features(settings: Settings, declared: type[Parameters]) -> dict[str, Any]:
    """Return the templates, the resources and the minimum count, as arguments of learners."""
    owner, table = template_owner(declared), settings.table(("features",))
    if owner is None:
        for key in table:
            raise settings.error(("features", key), "the members of the pool have their own features")
        return {}
    options = settings.options("features", FeatureOptions, ("templates", "min_count"))
    values = {key: table[key] for key in ("templates", "min_count") if key in table}
    for key, value in values.items():
        settings.check_value(("features", key), owner.parameters()[key], value)
    resources = options.use or {}
    for name, path in resources.items():
        if not isinstance(path, str) or not Path(path).exists():
            raise settings.error(("features", "use", name), "there is no such file or folder")
    if options.without:
        templates = load_templates(values.get("templates", owner.parameters()["templates"].default))
        values["templates"] = templates.without(*([options.without] if isinstance(options.without, str) else options.without))
        removed = templates.resources.keys() - values["templates"].resources.keys()
        resources = {name: path for name, path in resources.items() if name not in removed}
    return values | {"resources": {name: Path(path) for name, path in resources.items()} or None}


def _continued(settings: Settings, path: Path, threads: int) -> Any:
    """Return the tagger of a model file, which continues its training."""
    for key in settings.table(("features",)):
        if key != "use":
            raise settings.error(("features", key), "a model that is continued has its own features; drop this key")
    kind = settings.table(LEARNER).get(KIND)
    if kind is not None and not hasattr(LEARNERS.get(kind), "partial_fit"):
        raise settings.error(("learner", KIND), "a pool is trained from the start; drop --from")
    tagger: Any = load_model(path, resources=settings.table(("features",)).get("use")).merge()
    if kind not in (None, tagger.kind):
        raise InputError(f"--from is a {tagger.kind}; drop --learner {kind}", source=path)
    values = settings.values(LEARNER, type(tagger), dict.fromkeys(FEATURES))
    for name in FEATURES:
        del values[name]
    return tagger.set_params(**values, templates=fitted_templates(tagger), threads=threads, warm_start=True)


def _bags(value: Any, values: Mapping[str, Any]) -> Any:
    """Return bags of members: a table of names, "auto", or a scheme such as "random:3"."""
    if isinstance(value, str) and value != "auto":
        from tagpool.pools.bagging.partitions import parse_scheme

        return parse_scheme(value, values.get("seed", 1))
    return value


def _members(value: Any, values: Mapping[str, Any]) -> list[Any]:
    """Return the models of an opinion pool."""
    if isinstance(value, str) or not isinstance(value, Sequence) or not value:
        raise InputError(f'learner.members = {value!r}: expected model files, such as ["a.tagpool", "b.tagpool"]')
    return [load_model(Path(path), templates=True).set_params(threads=values.get("threads", 1)) for path in value]


def leave_out_warm_up(settings: Settings) -> None:
    """Train by L-BFGS without its warm-up, which stays in one process, unless the settings have one."""
    trainer = (*LEARNER, "trainer")
    if settings.table(LEARNER).get(KIND, "crf") in ("crf", "maxent"):
        table = settings.table(trainer)
        if table.get(KIND) == "lbfgs" and "warm_up" not in table:
            settings.add("--engine", {"learner": {"trainer": {"warm_up": 0}}})


def check_output(learner: Any, output: OutputOptions) -> None:
    """Raise an error for a file that the learner cannot have, before long work."""
    if not output.merge:
        return
    from tagpool.pools.combination import SEQUENCE_PRODUCT

    combination = getattr(learner, "combination", "a single tagger")
    if combination != SEQUENCE_PRODUCT:
        raise InputError(f"output.merge: only a {SEQUENCE_PRODUCT} of members merges into one model, not {combination}")
    templates = feature_table(learner).get("templates")
    if templates is not None and any(template.is_history for template in transition_templates(load_templates(templates))):
        raise InputError("output.merge: models with transition features (label[-1] & ...) do not merge into one")


def stored_configuration(learner: Any, settings: Settings, data: DataOptions, output: OutputOptions) -> str:
    """Return the configuration that a model file stores: training with it gives the same model."""
    kind = settings.kind(LEARNER, LEARNERS, "crf") if data.start is None else learner.kind
    table = describe(learner, kind)
    if "members" in (values := settings.table(LEARNER)):
        table["members"] = list(values["members"])
    features = feature_table(learner) if data.start is None else {}
    if isinstance(use := settings.table(("features",)).get("use"), dict):
        features["use"] = use
    sections = {
        "data": Section({name: value for name, value in data.get_params().items() if value is not None and name != "memory"}),
        "features": Section(features),
        "learner": table,
        "output": Section({name: value for name, value in output.get_params().items() if name not in ("model", "log")}),
    }
    return to_toml({name: section for name, section in sections.items() if section})
