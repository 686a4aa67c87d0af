"""``tagpool report``."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from tagpool import _native
from tagpool.cli.console import notes, output, print_json, print_table, spell_bytes
from tagpool.cli.inputs import expand_files, is_model, read_files, with_expanded
from tagpool.cli.option_fields import option
from tagpool.cli.options import (
    ColumnsOption,
    EncodingOption,
    FormatOption,
    JsonOption,
    LabelOption,
    UseOption,
    expand_options,
    parse_uses,
)
from tagpool.cli.outputs import refuse_inputs, refuse_mixed_output
from tagpool.cli.percent import in_percent
from tagpool.cli.pooling.expert_files import parse_experts
from tagpool.corpus.conll import CONLLU_COLUMNS
from tagpool.corpus.corpus import LABEL, Corpus
from tagpool.corpus.files import STANDARD_STREAM, open_output, read_bytes, source_name
from tagpool.corpus.formats import Format, format_of, read_corpus, read_labelled
from tagpool.corpus.schemes import is_plain
from tagpool.corpus.transitions import label_parts
from tagpool.errors import InputError
from tagpool.pools.expert_files.collecting import collect_labels
from tagpool.pools.expert_files.expert_labels import ExpertLabels
from tagpool.pools.expert_files.reading import check_names, read_source
from tagpool.pools.loading import load
from tagpool.pools.votes.pool import VotePool
from tagpool.pools.votes.prediction_files import read_predictions
from tagpool.report.build import SIZE, Report, ReportData, build_report, read_log
from tagpool.report.figures import Draws
from tagpool.report.systems import System, from_rows, run_tagger
from tagpool.tagging.conll import guess_columns
from tagpool.visible import one_line
from tagpool.wording import counted

# Rates; p values and confidences stay.
_RATES = {"precision", "recall", "f1", "accuracy", "intervals", "difference", "interval"}
_RATES |= {"ece", "any", "vote", "vote_without", "agreement", "types"}


@dataclass
class ReadingOptions:
    """Columns and formats of the files."""

    columns: ColumnsOption = None
    label: LabelOption = None
    format: FormatOption = None
    encoding: EncodingOption = "utf-8"
    use: UseOption = None


@dataclass
class ExtentOptions:
    """Size of the report, and the draws of its intervals."""

    size: float = option(default=SIZE / 1e6, min=0.1, max=1000, metavar="MB", help="Largest size; further errors are left out.")
    draws: int = option(default=10_000, min=100, max=1_000_000, help="Number of bootstrap draws.")
    seed: int = option(default=1, min=0, help="Random seed of the bootstrap.")


@expand_options(reading=ReadingOptions, extent=ExtentOptions)
def report(
    model: Annotated[str, typer.Argument(help="Model file, or a file with the predictions of any system.")],
    test: Annotated[str, typer.Argument(help="Sentences with gold labels: file, folder or pattern.")],
    to: Annotated[Path, typer.Option("--output", "-o", help="HTML file of the report; - is standard output.")] = Path(
        "report.html"
    ),
    compare: Annotated[
        list[str] | None, typer.Option(metavar="OTHER", help="Another model or prediction file (repeatable).")
    ] = None,
    expert: Annotated[
        list[str] | None,
        typer.Option(metavar="[NAME=]FILE[@COLUMN]", help="Labels of an expert whose pool is MODEL (repeatable)."),
    ] = None,
    train: Annotated[
        str | None, typer.Option(metavar="FILE", help="Training data, for known and unknown words and training frequency.")
    ] = None,
    log: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Log of the training (output.log), for the learning curve.")
    ] = None,
    reading: ReadingOptions = ReadingOptions(),  # noqa: B008 - not changed
    extent: ExtentOptions = ExtentOptions(),  # noqa: B008 - not changed
    json: JsonOption = False,
) -> None:
    """Write a report on the errors of a model, as one HTML file.

    It has scores with intervals, every sentence with an error and the features behind it, plots, and a model card. MODEL may be a
    prediction file of any system. A pool of experts needs their files: --expert.

    \b
    Examples:
      tagpool report ner.tagpool test.conll --train train.conll -o report.html
      tagpool report new.tagpool test.conll --compare old.tagpool --compare llm.jsonl
      tagpool report predicted.conll test.conll
      tagpool report names.pool test.conll --expert llm=llm.jsonl --expert rules=rules.conll
    """
    files = [model, test, train, log, *(compare or []), *(one.path for one in parse_experts(expert or []))]
    refuse_inputs("--output", to, with_expanded(files))
    refuse_mixed_output(to, json)
    reader = _Reader(reading, parse_uses(reading.use))
    names = _names([model, *(compare or [])])
    models = {path: reader.load(path) for path in names if is_model(path)}
    reader.models = [one for one in models.values() if hasattr(one, "single_taggers")]
    corpus = reader.gold(test)
    rows = None if not expert else reader.experts(expert or [], corpus)
    _step("label the sentences")
    systems = [reader.system(name, path, models.get(path), corpus, rows) for path, name in names.items()]
    for one in systems:
        _note_other_types(one, corpus)
    if rows is not None:
        systems[0].members = [from_rows(name, corpus, one, rows.confidence.get(name)) for name, one in rows.labels.items()]
    known = None if train is None else reader.gold(train)
    facts = {"model file": _describe_file(model), "test file": source_name(test)}
    epochs = read_log(log) if log is not None else []
    draws = Draws(extent.draws, extent.seed)
    data = ReportData(corpus, systems, known, epochs, bool(expert), facts, draws, int(1e6 * extent.size), _step)
    result = build_report(data)
    with open_output(to) as write:
        write(result.html.encode())
    _print(result, to, json=json)


@dataclass
class _Reader:
    options: ReadingOptions
    resources: dict[str, Path]
    models: Sequence[Any] = ()

    def load(self, path: str) -> Any:
        """Load a model, or a pool of experts."""
        model: Any = load(path, resources=self.resources)
        if getattr(model, "takes_features", False):
            raise InputError("the model was trained on features from Python; use tagpool.make_report", source=path)
        return model

    def gold(self, name: str) -> Corpus:
        """Read sentences with gold labels and the columns that the models read."""
        return read_files(name, self._gold_file)

    def _gold_file(self, file: str) -> Corpus:
        needed = list(dict.fromkeys(column for model in self.models for column in model.columns))
        kind = self.options.format or format_of(file)
        options: dict[str, Any] = {"format": self.options.format, "encoding": self.options.encoding}
        trained: dict[str, Any] = self.models[0].single_taggers()[0].summary_ if self.models else {}
        if kind is Format.CONLLU:
            return read_corpus(
                file, label=self.options.label or self._conllu_column(trained.get("label")), **options
            ).require_labels()
        if kind is not Format.CONLL or self.options.columns is not None or len(needed) < 2:
            return read_labelled(file, columns=self.options.columns, label=self.options.label, **options)
        count = _native.count_columns(read_bytes(file, encoding=self.options.encoding), False)
        if not count:
            return read_labelled(file, label=self.options.label, **options)
        names = guess_columns(count, needed, trained, source_name(file))
        label = self.options.label or (trained.get("label") if trained.get("label") in names else LABEL)
        return read_corpus(file, columns=names, label=label, **options).require_labels()

    def _conllu_column(self, trained: str | None) -> str | None:
        """Return the label column of CoNLL-U: that of training, or UPOS for plain labels of other files, as tagpool tag does."""
        if trained in CONLLU_COLUMNS:
            return trained
        return "upos" if self.models and is_plain(dict.fromkeys(self.models[0].labels_, 1)) else None

    def experts(self, places: list[str], corpus: Corpus) -> ExpertLabels:
        """Read the files of experts, for the test sentences."""
        sources = []
        for one in parse_experts(places):
            prefix = f"{one.name}." if one.is_named else ""
            paths = expand_files(one.path)
            sources.append(
                read_source(
                    one.name, paths, one.column, prefix=prefix, columns=self.options.columns, encoding=self.options.encoding
                )
            )
        check_names(sources)
        result = collect_labels(sources, corpus, extend=False)
        for note in dict.fromkeys(result.notes):
            notes.print_line(f"note: {note}")
        return result

    def system(self, name: str, path: str, model: Any, corpus: Corpus, rows: ExpertLabels | None) -> System:
        """Return the labels of a model, of a pool of experts, or of a prediction file."""
        if model is None:
            predictions = read_predictions(
                path, corpus, columns=self.options.columns, encoding=self.options.encoding, gold_name="the test file"
            )
            for note in dict.fromkeys(predictions.notes):
                notes.print_line(f"note: {note}")
            return from_rows(name, corpus, predictions.labels, predictions.confidence)
        if hasattr(model, "single_taggers"):
            if rows is not None:
                raise InputError(f"--expert is for pools of experts, and this is a tagger ({model.kind}); drop it", source=path)
            return run_tagger(name, model, corpus)
        if rows is None or set(rows.labels) != set(model.experts_):
            got = "" if rows is None else f", got {', '.join(rows.labels)}"
            needed = " ".join(f"--expert {one}=FILE" for one in model.experts_)
            raise InputError(f"a pool needs the labels of its experts, by name: {needed}{got}", source=path)
        options: dict[str, Any] = {"words": corpus.words if isinstance(model, VotePool) else corpus}
        if hasattr(model, "predict_spans"):
            options["confidence"] = rows.confidence
        labels, values = model.predict_with_confidence(rows.votes(), **options)
        return from_rows(name, corpus, labels, [list(map(float, one)) for one in values])


def _note_other_types(system: System, corpus: Corpus) -> None:
    """Print a note if the labels of a system have no type in common with the gold labels."""
    gold, predicted = (Counter(itertools.chain.from_iterable(rows)) for rows in (corpus.labels, system.labels))
    if is_plain(gold):
        return
    known, theirs = (sorted({label_parts(label).type for label in labels} - {""}) for labels in (gold, predicted))
    if known and theirs and set(known).isdisjoint(theirs):
        shown, expected = (", ".join(map(one_line, names)) for names in (theirs, known))
        notes.print_line(f"note: no type of {one_line(system.name)} ({shown}) is one of the gold labels ({expected}): F1 is 0")


def _names(paths: Iterable[str]) -> dict[str, str]:
    """Return a name for each file: the part before the first suffix, or the whole path if two have the same name."""
    listed = list(paths)
    if len(set(listed)) < len(listed):
        raise InputError("--compare: a file is compared with itself; name another model or prediction file")
    short = [Path(path).name.removesuffix(".gz").rsplit(".", 1)[0] for path in listed]
    return {path: name if short.count(name) == 1 and name else path for path, name in zip(listed, short, strict=True)}


def _describe_file(path: str) -> str:
    files = expand_files(path)
    size = sum(Path(file).stat().st_size for file in files if Path(file).is_file())
    return f"{source_name(path)} ({spell_bytes(size)})"


def _step(name: str) -> None:
    if notes.is_terminal:
        notes.print_line(f"{name} …")


def _print(result: Report, path: Path, *, json: bool) -> None:
    if json:
        print_json(in_percent(result.figures, _RATES))
        return
    if str(path) == STANDARD_STREAM:
        return
    systems = result.figures["systems"]
    rates = ["precision", "recall", "f1", "accuracy"]
    rows = [[one["name"], *(f"{100 * one['score'][rate]:.2f}" for rate in rates)] for one in systems]
    print_table(["system", *rates], rows)
    for row in result.figures["comparisons"]:
        low, high = row["interval"]
        output.print_line(
            f"against {one_line(row['name'])}: {100 * row['difference']:+.2f}, "
            f"95% interval {100 * low:+.2f} – {100 * high:+.2f}, p = {row['p_value']:.4f}"
        )
    counts = ", ".join(f"{count:,} {kind}" for kind, count in systems[0]["errors"].items())
    output.print_line(f"{counted(systems[0]['sentences_with_errors'], 'sentence')} with errors: {counts}")
    left_out = f"; {counted(result.left_out, 'sentence')} with errors left out (--size)" if result.left_out else ""
    without = result.figures["without_reasons"]
    reasons = f"; {counted(without, 'sentence')} without all reasons" if without else ""
    output.print_line(f"written to {path} ({spell_bytes(len(result.html.encode()))}){left_out}{reasons}")
