"""The training of ``tagpool train``, after its arguments are parsed. A start-up file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tagpool.cli.console import print_json
from tagpool.cli.engine_options import started
from tagpool.cli.outputs import is_same_file, refuse_inputs
from tagpool.cli.progress import Follower
from tagpool.cli.training.checkpoints import CheckpointOptions, TrainingFolder
from tagpool.cli.training.learners import check_output, create_learner, leave_out_warm_up, stored_configuration
from tagpool.cli.training.penalties import may_choose
from tagpool.cli.training.run import Run, TrainingLog
from tagpool.cli.training.settings import input_files
from tagpool.cli.training.summary import show
from tagpool.config import Settings
from tagpool.config_keys import SECTIONS, DataOptions, OutputOptions
from tagpool.corpus.whole_file import WholeFile
from tagpool.errors import InputError

if TYPE_CHECKING:
    from tagpool.experts.tasks import Engine


def train_with(
    settings: Settings, configs: Sequence[Path], options: CheckpointOptions, *, json: bool, engine: Engine | None = None
) -> None:
    """Train with these settings, write the model, and print a summary. ``configs`` are the configuration files."""
    folder = None if options.resume is None else TrainingFolder.open(options, settings)
    if engine is not None and folder is None:
        leave_out_warm_up(settings)
    settings.check_keys((), sorted(SECTIONS))
    data: DataOptions = settings.options("data", DataOptions)
    output: OutputOptions = settings.options("output", OutputOptions)
    if isinstance(data.train, str):
        data.train = [data.train]
    threads = settings.table(("learner",)).get("threads", 1)
    inputs: list[str | Path] = [*configs, *input_files(settings, data)]
    model, log = _outputs(inputs, output)
    learner = create_learner(settings, data.start, threads)
    _check_data(learner, data)
    if engine is not None:
        if data.memory is not None:
            raise InputError("--memory: the sentences of --engine ray are in the memory of its workers; drop one of them")
        learner.check_engine()
    check_output(learner, output)
    tunes = may_choose(learner, settings, data.start)
    blank = type(learner)(**learner.get_params(deep=False)) if tunes else learner  # automatic templates keep their name
    configuration = stored_configuration(learner, settings, data, output)
    folder = folder or TrainingFolder.create(options, settings, inputs)
    written = TrainingLog(log)
    with started(engine), Follower() as progress:
        run = Run(learner, progress, written, folder, tunes=tunes, engine=engine)
        run.fit(data)
        if tunes and run.learner.l2 != blank.l2:
            configuration = stored_configuration(blank.set_params(l2=run.learner.l2), settings, data, output)
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


def _check_data(learner: Any, data: DataOptions) -> None:
    """Raise an error for missing files, before long work."""
    if robust := getattr(learner, "robust", None):
        from tagpool.experts.robust.kinds import parse_kinds  # noqa: PLC0415 - only robust trainings need it

        parse_kinds(robust)
    weights = getattr(learner, "weights", None)
    learned = isinstance(weights, str) and weights != "uniform"
    if "members" in learner.parameters():
        if learned and data.dev is None and not data.train:
            raise InputError(f"learner.weights = {weights!r} needs sentences; add --dev FILE")
    elif not data.train:
        raise InputError("--train is missing: the file to learn from")
    elif weights == "dev" and learned and data.dev is None:
        raise InputError("learner.weights = 'dev' needs held-out sentences; add --dev FILE, or use kfold")
