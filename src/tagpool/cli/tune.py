"""``tagpool tune``."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from tagpool.cli import signals
from tagpool.cli.console import notes, print_json
from tagpool.cli.engine_options import EngineOptions, started
from tagpool.cli.inputs import expand_files
from tagpool.cli.options import JsonOption, expand_options
from tagpool.cli.outputs import is_same_file, refuse_inputs
from tagpool.cli.training.learners import LEARNER, LEARNERS, create_learner, stored_configuration
from tagpool.cli.training.options import DevOption, FileOption, TrainOption
from tagpool.cli.training.run import read_labelled
from tagpool.cli.training.settings import LearnerOptions, input_files
from tagpool.cli.tuning.progress import TrialFollower
from tagpool.cli.tuning.report import draw, show, summary
from tagpool.config import Settings
from tagpool.config_keys import SECTIONS, DataOptions, OutputOptions, nested_sections
from tagpool.corpus.concatenation import concatenate
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.files import STANDARD_STREAM
from tagpool.corpus.whole_file import WholeFile
from tagpool.errors import InputError
from tagpool.evaluation.unseen import describe_unseen
from tagpool.features.encoder import distinct_labels
from tagpool.parameters import Parameters
from tagpool.report.plots import check_file
from tagpool.tuning.held_out import hold_out
from tagpool.tuning.result import Tuning
from tagpool.tuning.search import DEFAULT_TRIALS, Budget, Search
from tagpool.tuning.space import search_space
from tagpool.wording import counted


@expand_options(options=LearnerOptions, engine=EngineOptions)
def tune(
    train: TrainOption = None,
    dev: DevOption = None,
    output: Annotated[Path | None, FileOption("--output", "-o", help="File to write the best configuration to (TOML).")] = None,
    trials: Annotated[
        int | None,
        typer.Option(help=f"Number of trainings (default: {DEFAULT_TRIALS}; with --minutes, no limit)."),
    ] = None,
    minutes: Annotated[float | None, typer.Option(help="Time of all trials.")] = None,
    study: Annotated[Path | None, FileOption(help="Store the trials there; the same command continues them.")] = None,
    plot: Annotated[
        Path | None, FileOption(help="SVG or PNG file: scores by value and what mattered (needs tagpool[plots]).")
    ] = None,
    options: LearnerOptions = LearnerOptions(),  # noqa: B008 - not changed
    engine: EngineOptions = EngineOptions(),  # noqa: B008 - not changed
    json: JsonOption = False,
) -> None:
    """Search for the best parameters of a learner.

    The first trial has the defaults; later ones try other values of the parameters that have a range (tagpool[tune] is needed).
    Values from --config and --set are kept. A trial is scored on --dev, or else on a tenth of --train, which is held out.
    Ctrl-C keeps the best values so far. Never give the test set: the best dev score of many trials is too high.

    \b
    Examples:
      tagpool tune --train train.conll --dev dev.conll --minutes 5 -o best.toml
      tagpool tune --train train.conll --trials 40 -o best.toml --study trials.log --plot trials.svg
      tagpool tune --train train.conll --dev dev.conll -o best.toml --learner inducing --set learner.epochs=10
      tagpool tune --train train.conll --dev dev.conll -o best.toml --engine ray --workers 4
      tagpool train --config best.toml --model ner.tagpool
    """
    chosen = engine.create()
    settings = options.merge_settings({"data": {"train": train, "dev": dev}})
    budget = Budget(trials, minutes)
    settings.check_keys((), sorted(SECTIONS))
    data: DataOptions = settings.options("data", DataOptions)
    data.train = [data.train] if isinstance(data.train, str) else data.train
    _check_files(options.config or [], settings, data, {"--output": output, "--study": study, "--plot": plot})
    command = _Command(settings, data)
    assert output is not None
    with started(chosen):
        result, facts = command.run(budget, output, study, plot)
    print_json(facts) if json else show(result, output, plot)


def _check_files(configs: Sequence[Path], settings: Settings, data: DataOptions, outputs: dict[str, Path | None]) -> None:
    """Raise an error for missing files, and for outputs that are inputs or one file, before long work."""
    if not data.train:
        raise InputError("--train is missing: the file to learn from")
    if data.memory is not None:
        raise InputError("data.memory: a search needs all sentences in memory; train with the best values and --memory")
    if data.start is not None:
        raise settings.error(("data", "start"), "a search trains every model from the start; drop this key")
    if outputs["--output"] is None or str(outputs["--output"]) == STANDARD_STREAM:
        raise InputError("--output is missing: the file of the best configuration")
    inputs: list[str | Path] = [*configs, *input_files(settings, data)]
    chosen = {option: path for option, path in outputs.items() if path is not None}
    for option, path in chosen.items():
        refuse_inputs(option, path, inputs)
        WholeFile.check(path)
    for (option, path), (other, second) in itertools.combinations(chosen.items(), 2):
        if is_same_file(path, second):
            raise InputError(f"{other} {second}: this is the file of {option}; choose another file")
    if outputs["--plot"] is not None:
        check_file(outputs["--plot"])


def _check_kind(kind: str) -> None:
    """Raise an error for a learner without a range to search."""
    tunable = [name for name, declared in LEARNERS.items() if _has_range(name, declared)]
    if kind not in tunable:
        raise InputError(f"--learner {kind} has no parameter with a range to search; use {', '.join(tunable)}")


def _has_range(kind: str, declared: type[Parameters]) -> bool:
    nested = nested_sections(LEARNER, kind, declared)
    return any(parameter.tune is not None for _, _, owner in nested for parameter in owner.parameters().values())


class _Command:
    """One run of the command."""

    def __init__(self, settings: Settings, data: DataOptions) -> None:
        self.settings, self.data = settings, data
        self.output: OutputOptions = settings.options("output", OutputOptions)
        _check_kind(settings.kind(LEARNER, LEARNERS, "crf"))
        self.learner = create_learner(settings, None, settings.table(("learner",)).get("threads", 1))
        names = [one.name for one in search_space(self.learner)]
        self.fixed = [name for name in names if settings.origin(tuple(name.split("."))) is not None]
        search_space(self.learner, self.fixed)  # an error before the files are read

    def run(self, budget: Budget, output: Path, study: Path | None, plot: Path | None) -> tuple[Tuning, dict[str, Any]]:
        """Search, and write the files; return the result, and its facts for programs.

        An interruption after the first trial only ends the search.
        """
        train, dev = self._corpora()
        interrupted = False
        with Search(self.learner, train, dev, fixed=self.fixed, study=study) as search:
            try:
                notes.print_line("searching " + ", ".join(f"{one.name} ({one.describe()})" for one in search.space))
                if search.trials:
                    notes.print_line(f"{study}: continuing after {counted(len(search.trials), 'trial')}")
                with TrialFollower(search, budget) as follower:
                    search.run(budget, follower.trial)
            except KeyboardInterrupt:
                interrupted = True
                signals.ignore_signals()
            advice = "" if study is None else f"; to continue, repeat the command with --study {study}"
            if not search.trials:
                raise KeyboardInterrupt(f"no trial was finished, and nothing was written{advice}")
            result = search.result()
        configuration = stored_configuration(result.learner, self.settings, self.data, self.output)
        with WholeFile(output) as file:
            file.write(configuration.encode())
        if plot is not None:
            draw(plot, result)
        if interrupted:
            best = f"the best of {counted(len(result.trials), 'trial')} with a dev F1 of {100 * (result.best.score or 0):.2f}"
            raise KeyboardInterrupt(f"{best} was written to {output}{advice}")
        held_out = len(dev) if self.data.dev is None else None
        return result, summary(result, output, plot) | {"held_out_sentences": held_out, "seconds": round(search.spent, 3)}

    def _corpora(self) -> tuple[Corpus, Corpus]:
        """Read the training and dev sentences; without a dev file, a part of the training sentences is held out."""
        train = self._read(self.data.train)
        if self.data.dev is not None:
            dev = self._read(self.data.dev)
            if note := describe_unseen(dev.labels, distinct_labels(train), "the dev set", "training"):
                notes.print_line(f"note: {note}; each counts as an error")
            return train, dev
        train, dev = hold_out(train)
        unit = "documents stay together" if len(train.document_starts) else "chosen at random"
        notes.print_line(f"no --dev: a tenth of --train is held out, {counted(len(dev), 'sentence')} ({unit})")
        return train, dev

    def _read(self, names: Any) -> Corpus:
        corpora = []
        for path in expand_files(names):
            notes.print_line(f"reading {path}")
            corpora.append(read_labelled(path, self.data))
        return concatenate(corpora)
