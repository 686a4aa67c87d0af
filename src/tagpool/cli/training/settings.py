"""Settings of ``tagpool train`` and ``tagpool tune``: options, configuration files and ``--set``. A start-up file."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tagpool.cli.inputs import with_expanded
from tagpool.cli.option_fields import option
from tagpool.cli.training.learners import LEARNERS, new_settings
from tagpool.config import Settings, read_config
from tagpool.config_keys import DataOptions
from tagpool.errors import InputError
from tagpool.features.presets import load_templates, preset_names

# Options whose name is not that of their key.
_OPTION_NAMES = {"start": "--from", "templates": "--features", "kind": "--learner"}


@dataclass
class LearnerOptions:
    """The options about the learner, its features and its configuration."""

    columns: str | None = option(help="Column names of a CoNLL file, such as word,pos,label.")
    label: str | None = option(hidden=True)
    features: str | None = option(metavar="TEMPLATES", help="Templates: a preset, a file (ours or CRF++'s) or their text.")
    learner: str | None = option(metavar="KIND", help=f"{', '.join(LEARNERS)} (default: crf).")
    config: list[Path] | None = option(
        metavar="FILE", help="Configuration file (TOML); tagpool config crf prints one. Later files have priority."
    )
    set_: list[str] | None = option("--set", metavar="KEY=VALUE", help="Configuration key, such as learner.trainer.epochs=20.")
    seed: int | None = option(help="Seed: the same seed gives the same model (default: 1).")
    threads: int | None = option(help="Number of threads; the model is the same (default: 1).")

    def merge_settings(self, sections: dict[str, dict[str, Any]]) -> Settings:
        """Return the settings of these options and of further options by section."""
        settings = new_settings()
        for path in self.config or ():
            settings.add(str(path), read_config(path))
        settings.add_assignments(self.set_ or ())
        options = {
            "data": {**sections.get("data", {}), "columns": self.columns, "label": self.label},
            "features": {"templates": self.features},
            "learner": {**sections.get("learner", {}), "kind": self.learner, "seed": self.seed, "threads": self.threads},
            "output": sections.get("output", {}),
        }
        for section, values in options.items():
            for name, value in values.items():
                if value is not None and value != []:
                    single = name == "dev" and len(value) == 1
                    settings.add(_OPTION_NAMES.get(name, f"--{name}"), {section: {name: value[0] if single else value}})
        return settings


def input_files(settings: Settings, data: DataOptions) -> list[str]:
    """Return the files that a training reads. Values of other types are left to the checks of their keys."""
    features, members = settings.table(("features",)), settings.table(("learner",)).get("members")
    templates, resources = features.get("templates"), features.get("use")
    used: list[str] = []
    with contextlib.suppress(InputError):  # create_learner reports invalid templates
        used = [path for _, path in load_templates(templates or "").uses]
    folders = [*(data.train or ()), *([data.dev] if isinstance(data.dev, str) else data.dev or ())]
    values = [
        *with_expanded(folders),
        data.start,
        None if templates in preset_names() else templates,
        *used,
        *(resources.values() if isinstance(resources, dict) else ()),
        *(members if isinstance(members, list) else ()),
    ]
    return [value for value in values if isinstance(value, str)]
