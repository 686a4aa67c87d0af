"""``tagpool reproduce``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tagpool.cli.console import output, print_json, print_table
from tagpool.cli.options import JsonOption
from tagpool.cli.progress import Follower
from tagpool.corpus.whole_file import WholeFile
from tagpool.errors import InputError
from tagpool.experiments.catalogue import EXPERIMENTS, experiment
from tagpool.experiments.study import Setting, Study

_RESULTS = Path("docs") / "results"


def reproduce(
    name: Annotated[str | None, typer.Argument(help="The experiment (default: list them).")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Part of the data and one seed: one or two minutes.")] = False,
    seeds: Annotated[int, typer.Option(min=1, help="Number of seeds; figures are means over them.")] = 3,
    threads: Annotated[int, typer.Option(min=1, help="Number of threads; does not change the figures.")] = 1,
    data: Annotated[Path | None, typer.Option(envvar="TAGPOOL_DATA", help="Folder of the corpora.")] = None,
    target: Annotated[
        Path | None,
        typer.Option("--output", "-o", help=f"Folder for the table and plots (default: {_RESULTS}; with --quick none)."),
    ] = None,
    plots: Annotated[bool, typer.Option(help="Draw plots (needs tagpool[plots]).")] = True,
    json: JsonOption = False,
) -> None:
    """Run an experiment of the papers on its corpora.

    The table has the figures of the paper and ours. Without a name, the command lists the experiments.

    \b
    Examples:
      tagpool reproduce undertraining --quick
      tagpool reproduce bagging-ner --threads 2
    """
    if name is None:
        contents = {key: one.what for key, one in EXPERIMENTS.items()}
        if json:
            print_json(contents)
        else:
            print_table(["experiment", "content"], [list(item) for item in contents.items()], left=2)
        return
    chosen = experiment(name)
    folder = target if target is not None else None if quick else _RESULTS
    if folder is not None and folder.exists() and not folder.is_dir():
        raise InputError(f"--output {folder}: expected a folder")
    with Follower() as progress:
        setting = Setting(data, quick, seeds, threads, progress.step, folder if plots else None)
        study = chosen.run(setting)
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        with WholeFile(folder / f"{name}.md") as file:
            file.write(study.markdown(_command(name, quick, seeds, threads)).encode())
    if json:
        print_json(study.to_dict())
        return
    _show(study)
    for table in study.tables:
        print_table(table.header, [list(line) for line in table.lines], left=1, title=table.title)
    for note in study.notes:
        output.print(f"- {note}")
    if folder is not None:
        output.print_line("written: " + ", ".join(str(folder / file) for file in (f"{name}.md", *study.plots)))


def _command(name: str, quick: bool, seeds: int, threads: int) -> str:
    parts = ["tagpool reproduce", name]
    parts += ["--quick"] if quick else [] if seeds == 3 else [f"--seeds {seeds}"]
    parts += [] if threads == 1 else [f"--threads {threads}"]
    return " ".join(parts)


def _show(study: Study) -> None:
    rows = [
        [
            row.row,
            row.metric,
            row.printed,
            f"{row.ours:.2f}{row.mark}",
            f"± {row.spread:.2f}" if row.spread is not None else "" if row.low is None else f"{row.low:.2f} to {row.high:.2f}",
        ]
        for row in study.rows
    ]
    print_table(["", "metric", "paper", "ours", "95% interval or ± standard deviation"], rows, left=2, title=study.title)
