"""``tagpool pool compare``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from tagpool.cli.console import output, print_json, print_table
from tagpool.cli.inputs import with_expanded
from tagpool.cli.options import ColumnsOption, EncodingOption, JsonOption, LabelOption
from tagpool.cli.outputs import refuse_inputs
from tagpool.cli.pooling.expert_files import expert_paths, read_gold_experts
from tagpool.cli.pooling.fit import check_choices
from tagpool.cli.pooling.options import (
    ExpertsArgument,
    ExpertsFlag,
    GoldOption,
    KeyOption,
    SchemeOption,
    SeedOption,
    UnknownOption,
)
from tagpool.cli.progress import Follower
from tagpool.pools.votes.ballots import FloatArray
from tagpool.pools.votes.comparison import ComparisonRow, accuracy_by_type, compare
from tagpool.pools.votes.methods import METHODS
from tagpool.report.plots import heat_map

_SHADES = " ░▒▓█"


def compare_methods(
    experts: ExpertsArgument,
    gold: GoldOption,
    experts_follow: ExpertsFlag = False,
    key: KeyOption = "shared",
    scheme: SchemeOption = None,
    folds: Annotated[int, typer.Option(min=2, help="Cross-validation folds.")] = 5,
    draws: Annotated[int, typer.Option(min=100, max=1_000_000, help="Bootstrap draws for intervals and significance.")] = 2000,
    plot: Annotated[Path | None, typer.Option(help="PNG file: accuracy by expert and label type (needs tagpool[plots]).")] = None,
    unknown: UnknownOption = "error",
    seed: SeedOption = 1,
    columns: ColumnsOption = None,
    label: LabelOption = None,
    encoding: EncodingOption = "utf-8",
    json: JsonOption = False,
) -> None:
    """Compare the voting methods by cross-validation.

    Shows intervals, and significance against the best expert. tagpool pool fit
    compares stacking and pools without gold labels with them.

    \b
    Examples:
      tagpool pool compare --gold dev.conll --experts crf.conll spacy.jsonl other.conll --plot right.png
    """
    refuse_inputs("--plot", plot, [*with_expanded([gold]), *expert_paths(experts)])
    check_choices(key=key)
    known, predictions = read_gold_experts(experts, gold, columns, label, encoding, unknown)
    options: dict[str, Any] = {"key": key} | ({} if scheme is None else {"scheme": scheme})
    methods = [name for name, method in METHODS.items() if scheme is None or not method.draws_paths]
    options |= {"methods": methods, "folds": folds, "draws": draws, "seed": seed}
    with Follower() as progress:
        comparison = compare(predictions, known.labels, on_method=progress.step, **options)
    types, rates = accuracy_by_type(predictions, known.labels)
    if plot is not None:
        heat_map(plot, list(predictions), types, 100 * rates, "Accuracy of each expert by type of gold label, %")
    if json:
        percent = [[None if np.isnan(rate) else rate for rate in row] for row in (100 * rates).tolist()]
        print_json(
            {
                "best_expert": comparison.best,
                "experts": [_as_json(row) for row in comparison.experts],
                "methods": [_as_json(row) for row in comparison.methods],
                "accuracy": {"types": types, "rates": percent},
            }
        )
        return
    header = ["", "F1", "95% interval", "loss", f"against {comparison.best}", "p"]
    print_table(header, [_cells(row) for row in (*comparison.experts, *comparison.methods)])
    output.print(f"\nmethods: {folds}-fold cross-validation\n")
    _show_accuracy(list(predictions), types, rates)


def _cells(one: ComparisonRow) -> list[str]:
    low, high = (100 * end for end in one.score.intervals["f1"])
    p_value = "" if one.p_value is None else f"{one.p_value:.4f}{'*' if one.p_value < 0.05 else ''}"
    f1, difference = 100 * one.score.f1, 100 * one.difference
    return [one.name, f"{f1:.2f}", f"{low:.2f} – {high:.2f}", f"{one.loss:.4f}", f"{difference:+.2f}", p_value]


def _as_json(one: ComparisonRow) -> dict[str, object]:
    return {
        "name": one.name,
        "f1": 100 * one.score.f1,
        "accuracy": 100 * one.score.accuracy,
        "interval": [100 * end for end in one.score.intervals["f1"]],
        "loss": one.loss,
        "difference": 100 * one.difference,
        "p": one.p_value,
    }


def _show_accuracy(experts: list[str], types: list[str], rates: FloatArray) -> None:
    """Print a table whose cells are shaded by rank: the best expert of a column is darkest."""
    low, high = np.nanmin(rates, axis=0), np.nanmax(rates, axis=0)
    shades = np.where(high > low, (rates - low) / np.where(high > low, high - low, 1.0), 1.0) * (len(_SHADES) - 1)
    rows = [
        ["" if np.isnan(rate) else f"{_SHADES[round(shade)]} {100 * rate:.1f}" for rate, shade in zip(*row, strict=True)]
        for row in zip(rates.tolist(), shades.tolist(), strict=True)
    ]
    title = "accuracy by type of gold label (█ best expert, blank worst)"
    print_table(["accuracy, %", *types], [[name, *row] for name, row in zip(experts, rows, strict=True)], title=title)
