"""``tagpool train``."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from tagpool.cli.engine_options import EngineOptions
from tagpool.cli.options import JsonOption, expand_options
from tagpool.cli.training.checkpoints import CheckpointOptions
from tagpool.cli.training.command import train_with
from tagpool.cli.training.options import DevOption, FileOption, TrainOption
from tagpool.cli.training.penalties import Tune, fix_penalty
from tagpool.cli.training.settings import LearnerOptions

MemoryOption = Annotated[
    str | None,
    typer.Option(metavar="SIZE", help="Memory budget, such as 2G: sentences are in a temporary file; the model is the same."),
]


@expand_options(options=LearnerOptions, checkpoint=CheckpointOptions, engine=EngineOptions)
def train(
    train: TrainOption = None,
    dev: DevOption = None,
    model: Annotated[str | None, FileOption(help="File to write the model to.")] = None,
    from_: Annotated[
        str | None,
        typer.Option("--from", metavar="MODEL", help="Model to continue from; new labels and features are added to it."),
    ] = None,
    tune: Annotated[Tune, typer.Option(help="auto: choose the l2 penalty on --dev if the corpus is small.")] = Tune.AUTO,
    robust: Annotated[
        str | None,
        typer.Option(
            metavar="KINDS",
            help="Learn to stand changes of the text: case, typos, names, lists, groups, ... with commas between them; or auto.",
        ),
    ] = None,
    truecase: Annotated[
        bool, typer.Option("--truecase", help="Store the usual capitals of words in the model, for tagpool tag --truecase.")
    ] = False,
    memory: MemoryOption = None,
    options: LearnerOptions = LearnerOptions(),  # noqa: B008 - not changed
    checkpoint: CheckpointOptions = CheckpointOptions(),  # noqa: B008 - not changed
    engine: EngineOptions = EngineOptions(),  # noqa: B008 - not changed
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
      tagpool train --train small.conll --dev dev.conll --model m.tagpool --tune off
      tagpool train --train more.conll --model better.tagpool --from ner.tagpool
      tagpool train --train train.conll --model m.tagpool --checkpoint run1 --every 5min
      tagpool train --resume run1
      tagpool train --train large.conll --model large.tagpool --memory 2G
      tagpool train --train train.conll --model m.tagpool --set learner.trainer.kind=lbfgs --engine ray --workers 4
    \b
    Pools:
      tagpool train --learner bagging --features bags.txt --set learner.weights=dev --train train.conll --dev dev.conll --model m
      tagpool train --learner elitist --set learner.experts=3 --train train.conll --dev dev.conll --model m
      tagpool train --learner opinion --set 'learner.members=["a.tagpool", "b.tagpool"]' --dev dev.conll --model m
      tagpool train --learner two-stage --train documents.conll --dev dev.conll --model m
    """
    sections: dict[str, dict[str, Any]] = {
        "data": {"train": train, "dev": dev, "start": from_, "memory": memory},
        "learner": {"robust": robust, "truecase": truecase or None},
        "output": {"model": model},
    }
    chosen = engine.create()
    settings = options.merge_settings(sections)
    if tune is Tune.OFF:
        fix_penalty(settings)
    train_with(settings, options.config or [], checkpoint, json=json, engine=chosen)
