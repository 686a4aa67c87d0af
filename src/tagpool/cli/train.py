"""``tagpool train``."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from tagpool.cli.console import ColumnsOption, JsonOption, expand_options, print_json
from tagpool.cli.inputs import with_expanded
from tagpool.cli.outputs import is_same_file, refuse_inputs
from tagpool.cli.progress import Follower
from tagpool.cli.training.checkpoints import CheckpointOptions, TrainingFolder
from tagpool.cli.training.learners import LEARNERS, check_output, create_learner, new_settings, stored_configuration
from tagpool.cli.training.run import Run, TrainingLog
from tagpool.cli.training.summary import show
from tagpool.config import Settings, read_config
from tagpool.config_keys import SECTIONS, DataOptions, OutputOptions
from tagpool.corpus.whole_file import WholeFile
from tagpool.errors import InputError
from tagpool.features.presets import load_templates, preset_names

_FileOption = partial(typer.Option, metavar="FILE")
# Options whose name is not that of their key.
_OPTION_NAMES = {"start": "--from", "templates": "--features", "kind": "--learner"}


@expand_options(checkpoint=CheckpointOptions)
def train(
    train: Annotated[list[str] | None, _FileOption(help="File, folder or pattern to learn from (repeatable).")] = None,
    dev: Annotated[
        list[str] | None, _FileOption(help="Held-out file, folder or pattern: training stops when F1 stops rising (repeatable).")
    ] = None,
    model: Annotated[str | None, _FileOption(help="File to write the model to.")] = None,
    columns: ColumnsOption = None,
    label: Annotated[str | None, typer.Option(hidden=True)] = None,
    features: Annotated[
        str | None, typer.Option(metavar="TEMPLATES", help="Templates: a preset, a file (ours or CRF++'s) or their text.")
    ] = None,
    learner: Annotated[str | None, typer.Option(metavar="KIND", help=f"{', '.join(LEARNERS)} (default: crf).")] = None,
    from_: Annotated[
        str | None,
        typer.Option("--from", metavar="MODEL", help="Model to continue from; new labels and features are added to it."),
    ] = None,
    config: Annotated[
        list[Path] | None,
        _FileOption(help="Configuration file (TOML); tagpool config crf prints one. Later files have priority."),
    ] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Configuration key, such as learner.trainer.epochs=20.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Seed: the same seed gives the same model (default: 1).")] = None,
    threads: Annotated[int | None, typer.Option(help="Number of threads; the model is the same (default: 1).")] = None,
    checkpoint: CheckpointOptions = CheckpointOptions(),  # noqa: B008 - not changed
    json: JsonOption = False,
) -> None:
    """Train a tagger or a pool of taggers, and write it to one file.

    Ctrl-C keeps the best model so far. Options have priority over --set, and --set over --config.
    All keys of a learner with their defaults: tagpool config LEARNER. The column of the labels is label (--set data.label=NAME).

    \b
    Examples:
      tagpool train --train train.conll --dev dev.conll --model ner.tagpool --columns word,pos,chunk,label
      tagpool train --train train.conll --model pos.tagpool --features mine.txt --learner maxent --set learner.l2=0.5
      tagpool train --train train.conll --model m.tagpool --set learner.trainer.dropout=0.3
      tagpool train --train train.conll --dev dev.conll --model pos.tagpool --learner inducing
      tagpool train --train more.conll --model better.tagpool --from ner.tagpool
      tagpool train --train train.conll --model m.tagpool --checkpoint run1 --every 5min
      tagpool train --resume run1
    \b
    Pools:
      tagpool train --learner bagging --features bags.txt --set learner.weights=dev --train train.conll --dev dev.conll --model m
      tagpool train --learner elitist --set learner.experts=3 --train train.conll --dev dev.conll --model m
      tagpool train --learner opinion --set 'learner.members=["a.tagpool", "b.tagpool"]' --dev dev.conll --model m
      tagpool train --learner two-stage --train documents.conll --dev dev.conll --model m
    """
    held_out = dev[0] if dev and len(dev) == 1 else dev or None
    options: dict[str, dict[str, Any]] = {
        "data": {"train": train or None, "dev": held_out, "columns": columns, "label": label, "start": from_},
        "features": {"templates": features},
        "learner": {"kind": learner, "seed": seed, "threads": threads},
        "output": {"model": model},
    }
    configs = config or []
    _train(_merge_settings(configs, set_ or [], options), configs, checkpoint, json=json)


def _merge_settings(configs: Sequence[Path], assignments: Sequence[str], options: dict[str, dict[str, Any]]) -> Settings:
    settings = new_settings()
    for path in configs:
        settings.add(str(path), read_config(path))
    settings.add_assignments(assignments)
    for section, values in options.items():
        for name, value in values.items():
            if value is not None:
                settings.add(_OPTION_NAMES.get(name, f"--{name}"), {section: {name: value}})
    return settings


def _train(settings: Settings, configs: Sequence[Path], options: CheckpointOptions, *, json: bool) -> None:
    folder = None if options.resume is None else TrainingFolder.open(options, settings)
    settings.check_keys((), sorted(SECTIONS))
    data: DataOptions = settings.options("data", DataOptions)
    output: OutputOptions = settings.options("output", OutputOptions)
    if isinstance(data.train, str):
        data.train = [data.train]
    threads = settings.table(("learner",)).get("threads", 1)
    inputs: list[str | Path] = [*configs, *_input_files(settings, data)]
    model, log = _outputs(inputs, output)
    learner = create_learner(settings, data.start, threads)
    _check_data(learner, data)
    check_output(learner, output)
    configuration = stored_configuration(learner, settings, data, output)
    folder = folder or TrainingFolder.create(options, settings, inputs)
    written = TrainingLog(log)
    with Follower() as progress:
        run = Run(learner, progress, written, folder)
        run.fit(data)
        run.save(model, output, configuration)
    written.close()
    if run.interrupted:
        raise KeyboardInterrupt(f"{run.describe_interrupted()} was written to {model}{run.advice}")
    if folder is not None:
        folder.finish(model)
    summary = run.summary(model, merged=output.merge)
    print_json(summary) if json else show(summary)


def _outputs(inputs: Sequence[str | Path], output: OutputOptions) -> tuple[Path, Path | None]:
    """Return the files of the model and the log, which must be writable and not be inputs."""
    if output.model is None:
        raise InputError("--model is missing: the file of the model")
    log = None if output.log is None else Path(output.log)
    for name, path in (("model", Path(output.model)), ("log", log)):
        if path is not None:
            refuse_inputs(f"output.{name} =", path, inputs)
            WholeFile.check(path)
    if log is not None and is_same_file(log, Path(output.model)):
        raise InputError(f"output.log = {log}: expected another file than the model")
    return Path(output.model), log


def _input_files(settings: Settings, data: DataOptions) -> list[str]:
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


def _check_data(learner: Any, data: DataOptions) -> None:
    """Raise an error for missing files, before long work."""
    weights = getattr(learner, "weights", None)
    learned = isinstance(weights, str) and weights != "uniform"
    if "members" in learner.parameters():
        if learned and data.dev is None and not data.train:
            raise InputError(f"learner.weights = {weights!r} needs sentences; add --dev FILE")
    elif not data.train:
        raise InputError("--train is missing: the file to learn from")
    elif weights == "dev" and learned and data.dev is None:
        raise InputError("learner.weights = 'dev' needs held-out sentences; add --dev FILE, or use kfold")
