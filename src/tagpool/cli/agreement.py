"""``tagpool agreement``."""

from __future__ import annotations

import json as json_
from pathlib import Path
from typing import Annotated, Any

import typer

from tagpool.cli.console import notes, print_json, print_table
from tagpool.cli.options import ColumnsOption, EncodingOption, JsonOption
from tagpool.cli.outputs import refuse_inputs, refuse_mixed_output
from tagpool.cli.pooling.expert_files import MapOption, expert_paths, read_expert_set
from tagpool.corpus.files import write_text
from tagpool.errors import InputError
from tagpool.evaluation.agreement import Agreement, Dispute, as_record
from tagpool.evaluation.agreement import agreement as measure
from tagpool.evaluation.significance import Interval
from tagpool.pools.expert_files.expert_labels import ExpertLabels
from tagpool.wording import counted


def agreement(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...",
            help="Files of the annotators: FILE, NAME=FILE, FILE@NAME, or FILE@* for all annotators of a file.",
        ),
    ],
    disputes: Annotated[
        Path | None, typer.Option(help="JSONL file of the sentences in dispute, most disputed first; - is standard output.")
    ] = None,
    map_: MapOption = None,
    draws: Annotated[int, typer.Option(min=1, help="Bootstrap samples of the sentences, for the intervals.")] = 1_000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the random numbers.")] = 1,
    columns: ColumnsOption = None,
    encoding: EncodingOption = "utf-8",
    json: JsonOption = False,
) -> None:
    """Measure the agreement of annotators.

    F1 of the spans of each pair, and Krippendorff's alpha of the tokens for all types and each type, with 95% intervals.
    Sentences are matched by their text.

    \b
    Examples:
      tagpool agreement ann.jsonl bob.jsonl carl.conll
      tagpool agreement 'label-studio.json@*' --disputes disputes.jsonl
    """
    if disputes is not None:
        refuse_inputs("--disputes", disputes, expert_paths(files))
    refuse_mixed_output(disputes, json, "--disputes")
    if len(files) < 2 and not files[0].endswith("@*"):
        advice = "name the files of two annotators or more, or all annotators of a file, as FILE@*"
        raise InputError(f"there is no agreement of one annotator; {advice}", source=files[0])
    read = read_expert_set(files, columns=columns, encoding=encoding, maps=map_ or [], unknown="allow")
    result = measure(read.labels, draws=draws, seed=seed)
    if disputes is not None:
        lines = [json_.dumps(_record(one, read), ensure_ascii=False) + "\n" for one in result.disputes]
        write_text(disputes, "".join(lines))
    if json:
        print_json(as_record(result))
    elif str(disputes) != "-":
        _print(result)
        sentences = f"{len(result.disputes):,} of {counted(len(read.corpus), 'sentence')} in dispute"
        notes.print_line(sentences if disputes is None else f"{sentences} written to {disputes}")


def _record(one: Dispute, read: ExpertLabels) -> dict[str, Any]:
    """Return a sentence with the labels of its annotators, in a form that ``FILE@*`` reads."""
    words = read.corpus[one.sentence].words
    rows = {name: rows[one.sentence] for name, rows in read.labels.items()}
    return {
        "tokens": words,
        "workers": {name: row for name, row in rows.items() if row is not None},
        "differences": round(one.differences, 3),
        "disputed": [
            {"text": " ".join(words[span.start : span.end]), **vars(span), "annotators": list(span.annotators)}
            for span in one.spans
        ],
        "sentence": one.sentence + 1,
    }


def _print(result: Agreement) -> None:
    pairs = [
        [pair.first, pair.second, f"{pair.sentences:,}", _number(pair.f1, 100, 2), _ends(pair.interval, 100, 2)]
        for pair in result.pairs
    ]
    print_table(["annotator", "annotator", "sentences", "F1, %", "95% interval"], pairs, left=2)
    rows = [
        [one.type or "all types", f"{one.tokens:,}", _number(one.alpha, 1, 3), _ends(one.interval, 1, 3)]
        for one in (result.overall, *result.types)
    ]
    print_table(["type", "tokens", "alpha", "95% interval"], rows)


def _number(value: float | None, factor: float, digits: int) -> str:
    return "–" if value is None else f"{factor * value:.{digits}f}"


def _ends(interval: Interval | None, factor: float, digits: int) -> str:
    return "–" if interval is None else " – ".join(f"{factor * end:.{digits}f}" for end in interval)
