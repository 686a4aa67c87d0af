"""``tagpool train``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tagpool.cli.console import ColumnsOption, EncodingOption, FormatOption, JsonOption, LabelOption, print_json
from tagpool.cli.progress import follower
from tagpool.cli.training.experts import TAGGERS
from tagpool.cli.training.inducing import tagger_of
from tagpool.cli.training.log import TrainingLog
from tagpool.cli.training.options import BAGGING, OPINION, POOLS, Options
from tagpool.cli.training.pools import pool_of
from tagpool.cli.training.reader import Reader
from tagpool.cli.training.run import Learner, Run
from tagpool.cli.training.summary import show
from tagpool.corpus.whole_file import WholeFile
from tagpool.errors import InputError
from tagpool.optim.trainers import TRAINERS


def train(
    model: Annotated[Path, typer.Option(help="The file the model is written to.")],
    train: Annotated[
        Path | None, typer.Option(help="The file to learn from; for --pool opinion, to find shares on if there is no --dev.")
    ] = None,
    dev: Annotated[Path | None, typer.Option(help="Held-out sentences: training stops when their F1 rises no more.")] = None,
    pool: Annotated[str | None, typer.Option(help=f"Train a pool: {', '.join(POOLS)} (a single expert if not given).")] = None,
    expert: Annotated[
        str | None, typer.Option(help=f"What learns: {', '.join(TAGGERS)} (crf if not given, maxent for --pool elitist).")
    ] = None,
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
    patience: Annotated[
        int | None, typer.Option(min=0, help="Stop after so many dev scores without a better one; 0: never (5; elitist 25).")
    ] = None,
    l2: Annotated[float | None, typer.Option(help="The penalty l2/2·|w|² of the summed loss (1 if not given).")] = None,
    l1: Annotated[float | None, typer.Option(help="The penalty l1·|w| (not every trainer has it).")] = None,
    dropout: Annotated[
        float | None, typer.Option(help="Leave out this part of the features at random while sgd trains: 0.3 for a third.")
    ] = None,
    drop: Annotated[str | None, typer.Option(help="What --dropout leaves out together: features, templates, bags.")] = None,
    pairs: Annotated[str | None, typer.Option(help="Which features have weights for which labels: all, or observed.")] = None,
    min_count: Annotated[int | None, typer.Option(min=1, help="Features met fewer times are left out.")] = None,
    hash_size: Annotated[int | None, typer.Option(min=1, help="Hash the features to so many, without an index.")] = None,
    class_weight: Annotated[
        list[str] | None, typer.Option(help="LABEL=WEIGHT (may be given several times), or balanced.")
    ] = None,
    unknown_label: Annotated[str | None, typer.Option(help="The label of tokens whose label is not known.")] = None,
    no_induce: Annotated[bool, typer.Option("--no-induce", help="inducing: join no features to pairs.")] = False,
    strongest: Annotated[
        int | None, typer.Option(min=2, help="inducing: how many features are looked at after a mistake (3).")
    ] = None,
    slots: Annotated[int | None, typer.Option(min=1, help="inducing: how many pairs can be told apart (5,000,000).")] = None,
    beam: Annotated[int | None, typer.Option(min=1, help="inducing: how many sequences are kept while tagging (1).")] = None,
    bags: Annotated[
        list[str] | None,
        typer.Option(
            help="bagging: NAME=BAG,BAG for each member, or auto, random:N, sequential:N, positions, labels (each [bag] of the "
            "templates if not given)."
        ),
    ] = None,
    combine: Annotated[
        str | None,
        typer.Option(help="bagging: sequence-product (if not given), sequence-mixture, transition-product, transition-mixture."),
    ] = None,
    alpha: Annotated[
        str | None,
        typer.Option(
            help="The members' shares: uniform (if not given), numbers such as 0.4,0.6, or how they are found. bagging: dev, "
            "kfold, likelihood, em; elitist: learned; opinion: dev, likelihood, free."
        ),
    ] = None,
    experts: Annotated[int | None, typer.Option(min=2, help="elitist: how many experts (3).")] = None,
    penalty: Annotated[str | None, typer.Option(help="elitist: elitist (if not given) or l1.")] = None,
    strength: Annotated[float | None, typer.Option(help="elitist: the strength of the penalty (0.1).")] = None,
    mu: Annotated[
        float | None, typer.Option(help="elitist: how much each expert must predict well by itself, 0 to 1 (0).")
    ] = None,
    member: Annotated[list[Path] | None, typer.Option(help="opinion: a trained model (several times).")] = None,
    folds: Annotated[
        int | None,
        typer.Option(min=2, help="two-stage: in so many parts of documents the first stage is trained without them (5)."),
    ] = None,
    collapse: Annotated[bool, typer.Option("--collapse", help="Write the pool as the one expert that it is.")] = False,
    seed: Annotated[int | None, typer.Option(min=0, help="The same seed gives the same model, byte for byte (1).")] = None,
    threads: Annotated[int, typer.Option(min=1, help="How many threads; the model is the same.")] = 1,
    half: Annotated[bool, typer.Option("--half", help="Keep weights in half precision: a smaller file.")] = False,
    prune: Annotated[float | None, typer.Option(min=0, help="Leave out weights up to this magnitude.")] = None,
    no_names: Annotated[
        bool, typer.Option("--no-names", help="Leave out the names of features: smaller, but closed to inspect and --from.")
    ] = False,
    keep_resources: Annotated[
        str | None,
        typer.Option(metavar="yes|no", help="Whether the model holds its resources (yes), or refers to their files by path."),
    ] = None,
    log: Annotated[Path | None, typer.Option(help="Also write every epoch to this file, one line of JSON each.")] = None,
    columns: ColumnsOption = None,
    label: LabelOption = None,
    format: FormatOption = None,  # noqa: A002 - the option's name
    encoding: EncodingOption = "utf-8",
    json: JsonOption = False,
) -> None:
    """Train a tagger, or a pool of taggers, and write it to one file.

    Ctrl-C keeps the best model so far.

    \b
    Examples:
      tagpool train --train train.conll --dev dev.conll --model ner.tagpool --columns word,pos,chunk,label
      tagpool train --train train.conll --model pos.tagpool --features mine.txt --expert maxent --l2 0.5
      tagpool train --train train.conll --model m.tagpool --features bags.txt --dropout 0.3 --drop bags
      tagpool train --train train.conll --dev dev.conll --model pos.tagpool --expert inducing --features pos
      tagpool train --train more.conll --model better.tagpool --from ner.tagpool
    \b
    Pools:
      tagpool train --pool bagging --features bags.txt --alpha dev --train train.conll --dev dev.conll --model bagged.tagpool
      tagpool train --pool elitist --experts 3 --train train.conll --dev dev.conll --model elitist.tagpool
      tagpool train --pool opinion --member a.tagpool --member b.tagpool --alpha likelihood --dev dev.conll --model ab.tagpool
      tagpool train --pool two-stage --features ner --train documents.conll --dev dev.conll --model two.tagpool
    """
    WholeFile.check(model)
    if log is not None and log.resolve() == model.resolve():
        raise InputError(f"--log {log}: expected another file than the model's")
    written = TrainingLog(log)
    options = Options(
        pool=pool,
        expert=expert,
        features=features,
        use=use,
        without=without,
        from_=from_,
        trainer=trainer,
        epochs=epochs,
        patience=patience,
        l2=l2,
        l1=l1,
        dropout=dropout,
        drop=drop,
        pairs=pairs,
        min_count=min_count,
        hash_size=hash_size,
        class_weight=class_weight,
        unknown_label=unknown_label,
        no_induce=no_induce,
        strongest=strongest,
        slots=slots,
        beam=beam,
        seed=seed,
        threads=threads,
        bags=bags,
        combine=combine,
        alpha=alpha,
        experts=experts,
        penalty=penalty,
        strength=strength,
        mu=mu,
        member=member,
        collapse=collapse,
        folds=folds,
        half=half,
        prune=prune,
        no_names=no_names,
        keep_resources=keep_resources,
        log=log,
    )
    options.check()
    if train is None and pool != OPINION:
        raise InputError("--train is missing: the file to learn from")
    if train is None and dev is None and options.finds_shares:
        raise InputError(f"--alpha {alpha} needs sentences to find the shares on: --dev FILE")
    if pool == BAGGING and alpha == "dev" and dev is None:
        raise InputError("--alpha dev needs held-out sentences: --dev FILE, or --alpha kfold")
    learner: Learner = tagger_of(options) if pool is None else pool_of(options)
    with follower() as followed:
        run = Run(learner, options, followed, written)
        run.fit(Reader(columns, label, format, encoding), train, dev)
        run.save(model)
    written.close()
    if run.interrupted:
        raise KeyboardInterrupt(f"{run.kept()} was written to {model}")
    found = run.summary(model)
    print_json(found) if json else show(found)
