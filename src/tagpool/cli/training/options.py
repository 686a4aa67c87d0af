"""Options that ``tagpool train`` and ``tagpool tune`` share, merged with configuration files and ``--set``."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from tagpool.cli.console import ColumnsOption
from tagpool.cli.inputs import with_expanded
from tagpool.cli.training.learners import LEARNERS, new_settings
from tagpool.config import Settings, read_config
from tagpool.config_keys import DataOptions
from tagpool.errors import InputError
from tagpool.features.presets import load_templates, preset_names

FileOption = partial(typer.Option, metavar="FILE")
TrainOption = Annotated[list[str] | None, FileOption(help="File, folder or pattern to learn from (repeatable).")]
DevOption = Annotated[
    list[str] | None, FileOption(help="Held-out file, folder or pattern: training stops when F1 stops rising (repeatable).")
]
# Options whose name is not that of their key.
_OPTION_NAMES = {"start": "--from", "templates": "--features", "kind": "--learner"}


@dataclass
class LearnerOptions:
    """The options about the learner, its features and its configuration."""

    columns: ColumnsOption = None
    label: Annotated[str | None, typer.Option(hidden=True)] = None
    features: Annotated[
        str | None, typer.Option(metavar="TEMPLATES", help="Templates: a preset, a file (ours or CRF++'s) or their text.")
    ] = None
    learner: Annotated[str | None, typer.Option(metavar="KIND", help=f"{', '.join(LEARNERS)} (default: crf).")] = None
    config: Annotated[
        list[Path] | None,
        FileOption(help="Configuration file (TOML); tagpool config crf prints one. Later files have priority."),
    ] = None
    set_: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Configuration key, such as learner.trainer.epochs=20.")
    ] = None
    seed: Annotated[int | None, typer.Option(help="Seed: the same seed gives the same model (default: 1).")] = None
    threads: Annotated[int | None, typer.Option(help="Number of threads; the model is the same (default: 1).")] = None

    def merge_settings(self, sections: dict[str, dict[str, Any]]) -> Settings:
        """Return the settings of these options and of further options by section."""
        settings = new_settings()
        for path in self.config or ():
            settings.add(str(path), read_config(path))
        settings.add_assignments(self.set_ or ())
        options = {
            "data": {**sections.get("data", {}), "columns": self.columns, "label": self.label},
            "features": {"templates": self.features},
            "learner": {"kind": self.learner, "seed": self.seed, "threads": self.threads},
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
