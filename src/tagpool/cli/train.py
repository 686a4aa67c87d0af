"""``tagpool train``."""

from __future__ import annotations

import signal
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from tagpool.cli.console import (
    ColumnsOption,
    EncodingOption,
    FormatOption,
    JsonOption,
    LabelOption,
    output,
    parse_uses,
    print_json,
)
from tagpool.cli.models import as_one, load_model
from tagpool.cli.progress import Follower, follower
from tagpool.cli.training_log import TrainingLog
from tagpool.corpus.corpus import LABEL, Corpus
from tagpool.corpus.formats import Format, read_corpus
from tagpool.corpus.whole_file import WholeFile
from tagpool.errors import InputError
from tagpool.experts.crf import CRF
from tagpool.experts.expert import Expert
from tagpool.experts.maxent import MaxEnt
from tagpool.features.presets import load_templates
from tagpool.features.template import TemplateSet
from tagpool.optim.trainer import Trainer
from tagpool.optim.trainers import TRAINERS, trainer_of

_PERCEPTRON = "perceptron"  # a trainer; as an expert it is a chain trained by it
_EXPERTS: dict[str, type[Expert]] = {"crf": CRF, "maxent": MaxEnt, _PERCEPTRON: CRF}


def train(
    train: Annotated[Path, typer.Option(help="The file to learn from.")],
    model: Annotated[Path, typer.Option(help="The file the model is written to.")],
    dev: Annotated[Path | None, typer.Option(help="Held-out sentences: training stops when their F1 rises no more.")] = None,
    expert: Annotated[str | None, typer.Option(help=f"What learns: {', '.join(_EXPERTS)} (crf if not given).")] = None,
    features: Annotated[
        str | None, typer.Option(help="Templates: a preset, a file (ours or CRF++'s) or the text itself (ner if not given).")
    ] = None,
    use: Annotated[list[str] | None, typer.Option(help="NAME=PATH: the file or folder of a resource the templates name.")] = None,
    without: Annotated[list[str] | None, typer.Option(help="NAME: leave out the templates that need this resource.")] = None,
    from_: Annotated[
        Path | None, typer.Option("--from", help="Go on from this model; new labels and features are added to it.")
    ] = None,
    trainer: Annotated[str | None, typer.Option(help=f"How it learns: {', '.join(TRAINERS)} (sgd if not given).")] = None,
    epochs: Annotated[int | None, typer.Option(min=1, help="At most so many passes (iterations of lbfgs).")] = None,
    patience: Annotated[int, typer.Option(min=0, help="Stop after so many dev scores without a better one; 0: never.")] = 5,
    l2: Annotated[float, typer.Option(help="The penalty l2/2·|w|² of the summed loss.")] = 1.0,
    l1: Annotated[float, typer.Option(help="The penalty l1·|w| (not every trainer has it).")] = 0.0,
    order: Annotated[int, typer.Option(min=1, max=2, help="How many labels a transition of a CRF looks back.")] = 1,
    pairs: Annotated[str, typer.Option(help="Which features have weights for which labels: all, or observed.")] = "all",
    min_count: Annotated[int, typer.Option(min=1, help="Features met fewer times are left out.")] = 1,
    hash_size: Annotated[int | None, typer.Option(min=1, help="Hash the features to so many, without an index.")] = None,
    class_weight: Annotated[
        list[str] | None, typer.Option(help="LABEL=WEIGHT (may be given several times), or balanced.")
    ] = None,
    unknown_label: Annotated[str | None, typer.Option(help="The label of tokens whose label is not known.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same model, byte for byte.")] = 1,
    threads: Annotated[int, typer.Option(min=1, help="How many threads; the model is the same.")] = 1,
    half: Annotated[bool, typer.Option("--half", help="Keep weights in half precision: a smaller file.")] = False,
    prune: Annotated[float, typer.Option(min=0, help="Leave out weights up to this magnitude.")] = 0.0,
    no_names: Annotated[
        bool, typer.Option("--no-names", help="Leave out the names of features: smaller, but closed to inspect and --from.")
    ] = False,
    log: Annotated[Path | None, typer.Option(help="Also write every epoch to this file, one line of JSON each.")] = None,
    columns: ColumnsOption = None,
    label: LabelOption = None,
    format: FormatOption = None,  # noqa: A002 - the option's name
    encoding: EncodingOption = "utf-8",
    json: JsonOption = False,
) -> None:
    """Train a tagger and write it to one file.

    Ctrl-C keeps the best model so far.

    \b
    Examples:
      tagpool train --train train.conll --dev dev.conll --model ner.tagpool --columns word,pos,chunk,label
      tagpool train --train train.conll --model pos.tagpool --features mine.txt --expert maxent --l2 0.5
      tagpool train --train more.conll --model better.tagpool --from ner.tagpool
    """
    WholeFile.check(model)
    if log is not None and log.resolve() == model.resolve():
        raise InputError(f"--log {log}: expected another file than the model's")
    written = TrainingLog(log)
    parameters: dict[str, Any] = {
        "l2": l2,
        "l1": l1,
        "pairs": pairs,
        "min_count": min_count,
        "class_weight": _class_weight(class_weight or []),
        "unknown_label": unknown_label,
        "patience": patience or None,
        "seed": seed,
        "threads": threads,
        "trainer": _trainer(expert, trainer, epochs),
    }
    if from_ is not None:
        for name, given in (
            ("features", features),
            ("use", use),
            ("without", without),
            ("hash-size", hash_size),
            ("order", order - 1),
        ):
            if given:
                raise InputError(f"--{name} cannot be given with --from: the model goes on with its own templates", source=from_)
        learner = _continued(from_, expert, parameters)
    else:
        kind = _kind(expert or "crf")
        if kind is CRF:
            parameters["order"] = order
        elif order != 1:
            raise InputError(f"--order {order}: only a CRF has transitions")
        templates, given_resources = _templates(features or "ner", use or [], without or [])
        learner = kind(templates, resources=given_resources, hash_size=hash_size, **parameters)  # type: ignore[call-arg]
    reader = _Reader(columns, label, format, encoding)
    with follower() as followed:
        run = _Run(learner, followed, written)
        run.fit(reader, train, dev)
        run.save(model, half=half, prune=prune, names=not no_names)
    written.close()
    if run.interrupted:
        raise KeyboardInterrupt(f"{run.kept()} was written to {model}")
    if json:
        print_json(run.summary(model))
    else:
        _show(run.summary(model))


# What the options mean ---------------------------------------------------------------------------------------------------


def _kind(name: str) -> type[Expert]:
    if name not in _EXPERTS:
        raise InputError(f"--expert {name}: expected one of {', '.join(_EXPERTS)}")
    return _EXPERTS[name]


def _trainer(expert: str | None, name: str | None, epochs: int | None) -> Trainer:
    if expert == _PERCEPTRON and name not in (None, _PERCEPTRON):
        raise InputError(f"--trainer {name}: the expert perceptron is trained by the trainer perceptron")
    chosen = name or (_PERCEPTRON if expert == _PERCEPTRON else "sgd")
    if chosen not in TRAINERS:
        raise InputError(f"--trainer {chosen}: expected one of {', '.join(TRAINERS)}")
    found = trainer_of(chosen)
    if epochs is None:
        return found
    limit = next((limit for limit in ("epochs", "iterations") if limit in found.get_params()), None)
    if limit is None:
        raise InputError(f"--epochs {epochs}: the trainer {chosen} has no such limit")
    return found.set_params(**{limit: epochs})


def _class_weight(given: list[str]) -> dict[str, float] | str | None:
    if not given:
        return None
    if given == ["balanced"]:
        return "balanced"
    found: dict[str, float] = {}
    for each in given:
        label, equals, weight = each.rpartition("=")
        try:
            found[label] = float(weight)
        except ValueError:
            equals = ""
        if not equals or not label:
            raise InputError(f"--class-weight {each}: expected LABEL=WEIGHT, such as --class-weight O=0.5, or balanced")
    return found


def _templates(features: str, uses: list[str], without: list[str]) -> tuple[TemplateSet | str, dict[str, Path]]:
    """The templates (by name, where nothing is left out) and their resources."""
    given = parse_uses(uses)
    everything = load_templates(features)
    if not without:
        return features, given
    chosen = everything.without(*without)
    left_out = everything.resources.keys() - chosen.resources.keys()
    return chosen, {name: path for name, path in given.items() if name not in left_out}


def _continued(path: Path, expert: str | None, parameters: dict[str, Any]) -> Expert:
    found = as_one(load_model(path))
    if expert is not None and not isinstance(found, _kind(expert)):
        raise InputError(f"--expert {expert}: the model is a {found.kind}, and goes on as one", source=path)
    return found.set_params(**parameters, features=found._fitted().text("templates"), warm_start=True)


@dataclass(frozen=True)
class _Reader:
    columns: str | None
    label: str | None
    format: Format | None
    encoding: str

    def corpus(self, path: Path) -> Corpus:
        found = read_corpus(path, columns=self.columns, label=self.label, format=self.format, encoding=self.encoding)
        if found.label_column is None:
            raise InputError(
                f"no column {LABEL!r} to learn from; the columns are {', '.join(found.columns)}: "
                "name the column of the labels with --label",
                source=found.source,
            )
        return found


# Training ----------------------------------------------------------------------------------------------------------------


class _Run:
    """One training, and what became of it."""

    def __init__(self, expert: Expert, followed: Follower, log: TrainingLog) -> None:
        self.expert = expert
        self.followed = followed
        self.log = log
        self.interrupted = False
        self._begun = time.perf_counter()

    def fit(self, reader: _Reader, train: Path, dev: Path | None) -> None:
        """Trains; an interruption after the first epoch only ends it."""

        def follow(epoch: Any) -> None:
            self.followed.epoch(epoch)
            self.log.add(epoch)

        self.followed.step(f"reading {train}")
        sentences = reader.corpus(train)
        held_out = None if dev is None else reader.corpus(dev)
        self.followed.step(f"encoding {len(sentences):,} sentences, {sentences.token_count:,} tokens")
        before = self.expert._model
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)  # a step that diverged is told as the note of an epoch
                self.expert.fit(sentences, dev=held_out, on_epoch=follow)
        except KeyboardInterrupt:
            if self.expert._model is before or not self.followed.epochs:
                raise KeyboardInterrupt("no epoch was finished, and nothing was kept") from None
            self.interrupted = True

    def save(self, path: Path, *, half: bool, prune: float, names: bool) -> None:
        """Writes the model. Ctrl-C has no say in this: nobody wants to lose it in the last second."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        self.seconds = time.perf_counter() - self._begun
        self.expert.save(path, half=half, prune=prune, names=names)

    def kept(self) -> str:
        """What an interrupted training had to show."""
        found = self.expert.summary_
        score = "" if found["dev"] is None else f" with a dev F1 of {found['dev']:.2f}"
        what = "the model as it stood" if found["dev"] is None else "the best model so far"
        return f"{what}{score}, after {found['epochs']} of {self.expert.log_[-1].total} epochs,"

    def summary(self, path: Path) -> dict[str, Any]:
        """What is told in the end."""
        model, found = self.expert._fitted(), self.expert.summary_
        return {
            "model": str(path),
            "expert": self.expert.kind,
            "sentences": found["sentences"],
            "tokens": found["tokens"],
            "labels": list(self.expert.labels_),
            "features": model.feature_count,
            "weights": model.weight_count,
            "trainer": found["trainer"],
            "epochs": found["epochs"],
            "loss": found["loss"],
            "best_dev_f1": found["dev"],
            "seconds": round(self.seconds, 3),
            "bytes": path.stat().st_size,
        }


def _show(found: dict[str, Any]) -> None:
    score = "" if found["best_dev_f1"] is None else f", best dev F1 {found['best_dev_f1']:.2f}"
    output.print(
        f"{found['expert']}: {len(found['labels'])} labels, {found['features']:,} features, {found['weights']:,} weights\n"
        f"{found['epochs']} epochs of {found['trainer']}{score}, {found['seconds']:.1f} s\n"
        f"written to {found['model']} ({found['bytes'] / 1e6:.1f} MB)",
        highlight=False,
        markup=False,
    )
