"""Options of ``tagpool reproduce``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from tagpool.errors import InputError
from tagpool.experiments.stored import Store, default_cache
from tagpool.experiments.study import Setting
from tagpool.report.plots import check_file

RESULTS = Path("docs") / "results"


@dataclass(frozen=True)
class RunOptions:
    """Options of the experiments."""

    quick: Annotated[bool, typer.Option("--quick", help="Part of the data and one seed: one or two minutes.")] = False
    seeds: Annotated[
        int | None, typer.Option(min=1, help="Number of seeds; figures are means over them (default: 3; pools: more samples).")
    ] = None
    threads: Annotated[int, typer.Option(min=1, help="Number of threads; does not change the figures.")] = 1
    data: Annotated[Path | None, typer.Option(envvar="TAGPOOL_DATA", help="Folder of the corpora.")] = None

    def setting(self, report: Callable[[str], object]) -> Setting:
        """Return the setting of a run without plots."""
        return Setting(self.data, self.quick, self.seeds, self.threads, report)


@dataclass(frozen=True)
class ResultOptions:
    """Options of the results: where they are written and stored."""

    target: Annotated[
        Path | None,
        typer.Option("--output", "-o", help=f"Folder for tables and plots (default: {RESULTS}; with --quick none)."),
    ] = None
    plots: Annotated[bool, typer.Option(help="Draw plots (needs tagpool[plots]).")] = True
    cached: Annotated[bool, typer.Option("--cached", help="Run nothing: use stored results of the same code and data.")] = False
    cache: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Folder of stored results (default: tagpool/experiments in the user's cache)."),
    ] = None

    def folder(self, run: RunOptions) -> Path | None:
        """Return the folder of pages; None for a quick run without one."""
        folder = self.target if self.target is not None else None if run.quick else RESULTS
        if folder is not None and folder.exists() and not folder.is_dir():
            raise InputError(f"--output {folder}: expected a folder")
        return folder

    def draws(self, folder: Path | None) -> bool:
        """Return whether plots are drawn; raise an error before long work if matplotlib is missing."""
        if not self.plots or folder is None:
            return False
        check_file(Path("plot.svg"))
        return True

    def store(self, setting: Setting, *, plots: bool) -> Store:
        """Return the stored results."""
        return Store(self.cache or default_cache(), setting, plots=plots)
