"""Retraining: copies of a learner without some of its templates, trained as the audited model was."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

from tagpool.config import Settings, parse_config
from tagpool.corpus.corpus import Corpus
from tagpool.errors import InputError
from tagpool.experts.configuration import feature_table
from tagpool.experts.saving import fitted_templates
from tagpool.experts.sequence_tagger import SequenceTagger
from tagpool.experts.tagger import Tagger
from tagpool.features.template import Template
from tagpool.features.template_resources import load_resources


class Retrainer:
    """Trains copies of a single tagger with fewer templates, with its parameters, on the same sentences.

    A tagger from a file has the parameters of the configuration that the file stores.
    """

    def __init__(self, tagger: SequenceTagger, train: Corpus, dev: Corpus | None) -> None:
        if not isinstance(tagger, Tagger):
            raise InputError(f"only single taggers are trained again, not a {type(tagger).__name__}; audit its members")
        self._learner = type(tagger)
        self._templates = fitted_templates(tagger)
        self._parameters = _parameters(tagger)
        self._resources = load_resources(self._templates, self._parameters.pop("resources") or {})
        for name, kind in self._templates.resources.items():
            if name not in self._resources:
                advice = f"give it with --use {name}=PATH (tagger.resources = {{{name!r}: PATH}})"
                raise InputError(f"training needs the {kind} {name!r}, which the model does not name as a file; {advice}")
        self.train, self.dev = train, dev

    def fit(self, without: Collection[Template] = (), on_epoch: Callable[..., object] | None = None) -> Tagger:
        """Return a tagger that was trained without these templates."""
        templates = tuple(template for template in self._templates if template not in without)
        remaining = self._templates.keep(templates)
        parameters = self._parameters | {
            "templates": remaining,
            "resources": {name: self._resources[name] for name in remaining.resources} or None,
        }
        return self._learner(**parameters).fit(self.train, dev=self.dev, on_epoch=on_epoch)


def _parameters(tagger: Tagger) -> dict[str, Any]:
    """Return the arguments of a tagger's constructor, without templates."""
    trained_here = tagger._encoder is not None
    if trained_here:
        values = dict(tagger.get_params(deep=False))
        table: dict[str, Any] = feature_table(tagger)
    else:
        text = tagger._fitted().text("config")
        if text is None:
            raise InputError("the model stores no configuration to train with; train it again with this version")
        configuration = parse_config(text, "the configuration of the model")
        settings = Settings({tagger.kind: type(tagger)}, {})
        settings.add("the configuration of the model", configuration)
        values = settings.values(("learner",), type(tagger), {"threads": tagger.threads})
        table = configuration.get("features", {})
        values["resources"] = tagger.resources or _existing(table.get("use") or {})
    values.pop("templates", None)
    if "min_count" in table:
        values["min_count"] = table["min_count"]
    if "warm_start" in values:
        values["warm_start"] = False
    return values


def _existing(files: dict[str, str]) -> dict[str, Path]:
    """Return the files that are still there."""
    return {name: Path(path) for name, path in files.items() if Path(path).exists()}
