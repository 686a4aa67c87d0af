"""``tagpool pool estimate`` and ``tagpool pool suggest``: pools without gold labels, and the sentences to check first."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from tagpool.cli.console import notes, print_json, print_table
from tagpool.cli.options import ColumnsOption, EncodingOption, JsonOption
from tagpool.cli.outputs import refuse_inputs, refuse_mixed_output
from tagpool.cli.pooling.expert_files import MapOption, expert_paths, read_expert_set
from tagpool.cli.pooling.options import (
    AbstainOption,
    ConfidenceFlag,
    ExpertsArgument,
    ExpertsFlag,
    SchemeOption,
    SeedOption,
    abstaining,
    load_probabilistic,
    write_labels,
)
from tagpool.cli.progress import Follower
from tagpool.cli.records import write_records
from tagpool.errors import InputError
from tagpool.pools.beliefs import expected_errors
from tagpool.pools.checking_order import checking_order
from tagpool.pools.expert_files.expert_labels import ExpertLabels
from tagpool.pools.stacked.pool import StackedPool
from tagpool.pools.unsupervised.fitted import AUTO, METHODS
from tagpool.pools.unsupervised.pool import UnsupervisedPool
from tagpool.wording import counted


def estimate(
    experts: ExpertsArgument,
    experts_follow: ExpertsFlag = False,
    to: Annotated[Path | None, typer.Option("--output", help="File of pooled labels; - is standard output.")] = None,
    model: Annotated[Path | None, typer.Option(help="File to write the pool to.")] = None,
    method: Annotated[str, typer.Option(help=f"Method: {', '.join(METHODS)}.")] = AUTO,
    abstain: AbstainOption = None,
    map_: MapOption = None,
    scheme: SchemeOption = None,
    confidence: ConfidenceFlag = False,
    seed: SeedOption = 1,
    columns: ColumnsOption = None,
    encoding: EncodingOption = "utf-8",
    json: JsonOption = False,
) -> None:
    """Combine experts without gold labels.

    Labels on which experts agree train taggers of the words; these tell which expert is wrong elsewhere (expectation
    maximisation). Errors that most experts share stay.

    \b
    Examples:
      tagpool pool estimate --experts llm.jsonl spacy.jsonl rules.conll --output pooled.conll
      tagpool pool estimate crowd.jsonl@* --output pooled.conll --model crowd.pool
    """
    for option, path in (("--output", to), ("--model", model)):
        if path is not None:
            refuse_inputs(option, path, expert_paths(experts))
    refuse_mixed_output(to, json)
    if method not in METHODS:
        raise InputError(f"--method {method}: expected one of {', '.join(METHODS)}")
    read = _read(experts, map_, columns, encoding)
    with Follower() as progress:
        pool = UnsupervisedPool(method, abstain=abstaining(abstain), scheme=scheme, seed=seed)
        pool.fit(read.votes(), words=read.corpus, on_step=progress.step)
    if model is not None:
        pool.save(model)
    if to is not None:
        labels, values = pool.predict_with_confidence(read.votes(), words=read.corpus)
        write_labels(read.corpus, labels, to, values if confidence else None)
    if json:
        accuracy = {name: 100 * rate for name, rate in pool.accuracy_.items()}
        print_json({"accuracy": accuracy, "estimated": True, "abstaining": list(pool.abstaining_)})
    elif to is None or str(to) != "-":
        rows = [[name, f"{100 * rate:.2f}"] for name, rate in pool.accuracy_.items()]
        print_table(["expert", "estimated accuracy, %"], rows)


def suggest(
    experts: ExpertsArgument,
    experts_follow: ExpertsFlag = False,
    pool: Annotated[Path | None, typer.Option(help="Fitted pool; without one, a pool without gold labels is estimated.")] = None,
    count: Annotated[int, typer.Option("--count", min=1, help="Number of sentences.")] = 50,
    gold: Annotated[
        str | None, typer.Option(metavar="FILE", help="Sentences that were checked already, which are left out.")
    ] = None,
    to: Annotated[Path, typer.Option("--output", help="JSONL file with tokens and pooled labels; - is standard output.")] = Path(
        "-"
    ),
    map_: MapOption = None,
    columns: ColumnsOption = None,
    label: Annotated[str | None, typer.Option(help="Column of the gold labels.")] = None,
    encoding: EncodingOption = "utf-8",
    json: JsonOption = False,
) -> None:
    """Rank the sentences to check first.

    They show words and disagreements that are frequent and not checked yet, in few tokens. Correct the labels in the output, and
    use the file as --gold.

    \b
    Examples:
      tagpool pool suggest --experts llm.jsonl spacy.jsonl rules.conll --count 100 --output check.jsonl
    """
    refuse_mixed_output(to, json)
    refuse_inputs("--output", to, [*([pool] if pool else []), *([gold] if gold else []), *expert_paths(experts)])
    read = read_expert_set(
        experts, gold, fewest=1, columns=columns, label=label, encoding=encoding, maps=map_ or [], unknown="allow"
    )
    with Follower() as progress:
        if pool is None:
            _refuse_single(read)
            model = UnsupervisedPool().fit(read.votes(), words=read.corpus, on_step=progress.step)
        else:
            model = load_probabilistic(pool, "suggest")
    data: dict[str, Any] = {"words": read.corpus, "confidence": read.confidence}
    checked = [number for number, row in enumerate(read.gold) if row is not None]
    order = checking_order(model, read.votes(), checked=checked, count=count, **data)
    part = read.select(order)
    options: dict[str, Any] = {"confidence": part.confidence} if isinstance(model, StackedPool) else {}
    labels = model.predict(part.votes(), words=part.corpus, **options) if order else []
    wrong: list[float] = []
    if order:
        wrong = expected_errors(model, part.votes(), words=part.corpus, confidence=part.confidence).tolist()
    rows = list(zip(part.corpus.words, labels, wrong, strict=True))
    write_records(to, [{"tokens": words, "labels": row, "expected_errors": round(value, 3)} for words, row, value in rows])
    tokens = sum(map(len, labels))
    if json:
        print_json({"output": str(to), "sentences": len(order), "tokens": tokens, "expected_errors": round(sum(wrong), 3)})
        return
    notes.print_line(
        f"{counted(len(order), 'sentence')}, {counted(tokens, 'token')}, about {counted(round(sum(wrong)), 'wrong label')}"
    )


def _read(experts: list[str], maps: list[str] | None, columns: str | None, encoding: str) -> ExpertLabels:
    read = read_expert_set(experts, columns=columns, encoding=encoding, maps=maps or [], unknown="allow")
    _refuse_single(read)
    return read


def _refuse_single(read: ExpertLabels) -> None:
    if len(read.labels) < 2:
        raise InputError(f"expected two experts or more, got {len(read.labels)}: without gold labels, agreement is all there is")
