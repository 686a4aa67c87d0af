"""``tagpool pool compare``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.table import Table

from tagpool.cli.console import ColumnsOption, EncodingOption, JsonOption, LabelOption, output, print_json, print_table, table
from tagpool.cli.pooling.fit import (
    ExpertsArgument,
    ExpertsFlag,
    GoldOption,
    KeyOption,
    SchemeOption,
    Unknown,
    UnknownOption,
)
from tagpool.cli.pooling.reading import read_gold_experts
from tagpool.cli.progress import follower
from tagpool.corpus.formats import read_labelled
from tagpool.pools.votes.ballots import FloatArray
from tagpool.pools.votes.comparison import Compared, compare, right_where
from tagpool.pools.votes.methods import METHODS
from tagpool.report.plots import heat_map

_SHADES = " ░▒▓█"


def compare_methods(
    experts: ExpertsArgument,
    gold: GoldOption,
    experts_follow: ExpertsFlag = False,
    key: KeyOption = "shared",
    scheme: SchemeOption = None,
    folds: Annotated[int, typer.Option(min=2, help="Parts of the cross-validation.")] = 5,
    draws: Annotated[int, typer.Option(min=100, help="Bootstrap draws for intervals and significance.")] = 2000,
    plot: Annotated[Path | None, typer.Option(help="A PNG file: who is right where (needs tagpool[plots]).")] = None,
    unknown: UnknownOption = Unknown.error,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the parts and of the bootstrap.")] = 1,
    columns: ColumnsOption = None,
    label: LabelOption = None,
    encoding: EncodingOption = "utf-8",
    json: JsonOption = False,
) -> None:
    """Compare all methods by cross-validation, with intervals and significance against the best expert; show who is right where.

    \b
    Examples:
      tagpool pool compare --gold dev.conll --experts crf.conll spacy.jsonl other.conll --plot right.png
    """
    known = read_labelled(gold, columns=columns, label=label, encoding=encoding)
    said = read_gold_experts(experts, gold, known, columns, encoding, allow_unknown=unknown is Unknown.allow)
    parameters = {"key": key} | ({} if scheme is None else {"scheme": scheme})
    methods = [each for each in METHODS if scheme is None or each != "rand"]
    with follower() as followed:
        found = compare(said, known.labels, methods=methods, folds=folds, draws=draws, seed=seed, say=followed.step, **parameters)
    types, rates = right_where(said, known.labels)
    if plot is not None:
        heat_map(plot, list(said), types, 100 * rates, "How often each expert is right, in percent, by type of gold label")
    if json:
        print_json(
            {
                "best_expert": found.best,
                "experts": [_plain(each) for each in found.experts],
                "methods": [_plain(each) for each in found.methods],
                "right": {"types": types, "rates": [[None if np.isnan(v) else v for v in row] for row in rates.tolist()]},
            }
        )
        return
    header = ["", "F1", "95% interval", "loss", f"against {found.best}", "p"]
    print_table(table(header, [_row(each) for each in (*found.experts, *found.methods)]))
    output.print(f"\nmethods: labels of {folds} parts, each by a pool fitted on the others\n", highlight=False)
    print_table(_map(list(said), types, rates))


def _row(one: Compared) -> list[str]:
    low, high = (100 * end for end in one.score.intervals["f1"])
    p_value = "" if one.p_value is None else f"{one.p_value:.4f}{'*' if one.p_value < 0.05 else ''}"
    return [
        one.name,
        f"{100 * one.score.f1:.2f}",
        f"{low:.2f} – {high:.2f}",
        f"{one.loss:.4f}",
        f"{100 * one.difference:+.2f}",
        p_value,
    ]


def _plain(one: Compared) -> dict[str, object]:
    return {
        "name": one.name,
        "f1": 100 * one.score.f1,
        "accuracy": 100 * one.score.accuracy,
        "interval": [100 * end for end in one.score.intervals["f1"]],
        "loss": one.loss,
        "difference": 100 * one.difference,
        "p": one.p_value,
    }


def _map(experts: list[str], types: list[str], rates: FloatArray) -> Table:
    """A table whose cells are shaded by how an expert stands among the others."""
    rows = []
    low, high = np.nanmin(rates, axis=0), np.nanmax(rates, axis=0)
    for name, row in zip(experts, rates, strict=True):
        cells = [name]
        for column, rate in enumerate(row.tolist()):
            if np.isnan(rate):
                cells.append("")
                continue
            share = (rate - low[column]) / (high[column] - low[column]) if high[column] > low[column] else 1.0
            cells.append(f"{_SHADES[round(share * (len(_SHADES) - 1))]} {100 * rate:.1f}")
        rows.append(cells)
    return table(["right, %", *types], rows, title="who is right where (█ the best of the experts, blank the worst)")
