"""``tagpool pool distill``: one tagger from a pool, which needs no expert at run time."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from tagpool.cli.console import output, print_json
from tagpool.cli.options import ColumnsOption, EncodingOption, JsonOption, LabelOption
from tagpool.cli.outputs import refuse_inputs
from tagpool.cli.pooling.expert_files import MapOption, expert_paths, read_expert_set
from tagpool.cli.pooling.options import ExpertsArgument, ExpertsFlag, PoolArgument, SeedOption, load_probabilistic
from tagpool.cli.progress import Follower
from tagpool.experts.linear.crf import CRF
from tagpool.pools.distillation import distill as distill_pool
from tagpool.pools.stacked.pool import StackedPool
from tagpool.wording import counted


def distill(
    pool: PoolArgument,
    experts: ExpertsArgument,
    model: Annotated[Path, typer.Option(help="File to write the tagger to.")],
    experts_follow: ExpertsFlag = False,
    gold: Annotated[str | None, typer.Option(metavar="FILE", help="Gold sentences, which get a higher weight.")] = None,
    gold_weight: Annotated[float, typer.Option(min=0.01, max=1e6, help="Weight of a gold sentence; others have 1.")] = 3.0,
    samples: Annotated[int, typer.Option(min=0, max=1000, help="Label sequences drawn per sentence; 0: the best one.")] = 8,
    features: Annotated[str, typer.Option(help="Templates of the tagger: a preset, a file, or text.")] = "auto",
    map_: MapOption = None,
    seed: SeedOption = 1,
    columns: ColumnsOption = None,
    label: LabelOption = None,
    encoding: EncodingOption = "utf-8",
    json: JsonOption = False,
) -> None:
    """Train one ordinary tagger on the labels of a pool.

    The tagger needs no expert at run time: use it with tagpool tag. It learns from all sentences of the experts.

    \b
    Examples:
      tagpool pool distill names.pool --experts llm.jsonl spacy.jsonl rules.conll --gold checked.conll --model names.tagpool
      tagpool tag names.tagpool new.txt
    """
    refuse_inputs("--model", model, [pool, *([gold] if gold else []), *expert_paths(experts)])
    fitted = load_probabilistic(pool, "distill")
    read = read_expert_set(
        experts, gold, fewest=1, columns=columns, label=label, encoding=encoding, maps=map_ or [], unknown="allow"
    )
    options: dict[str, Any] = {"confidence": read.confidence} if isinstance(fitted, StackedPool) else {}
    with Follower() as progress:
        progress.step("training the tagger")
        tagger = distill_pool(
            fitted,
            read.votes(),
            read.corpus,
            gold=read.gold,
            tagger=CRF(features, seed=seed),
            samples=samples,
            gold_weight=gold_weight,
            **options,
        )
    tagger.save(model)
    gold_count = sum(row is not None for row in read.gold)
    if json:
        print_json({"sentences": len(read.gold), "gold_sentences": gold_count, "labels": list(tagger.labels_)})
        return
    output.print(f"learned from {counted(len(read.gold), 'sentence')}, {gold_count} with gold labels")
    output.print_line(f"written: {model}")
