"""``tagpool reproduce NAME``: one experiment."""

from __future__ import annotations

from tagpool.cli.console import notes, output, print_json, print_table
from tagpool.cli.progress import Follower
from tagpool.cli.reproducing.options import ResultOptions, RunOptions
from tagpool.errors import InputError, TagpoolError
from tagpool.experiments.catalogue import experiment
from tagpool.experiments.stored import Result, run_experiment
from tagpool.experiments.study import Study


def reproduce_one(name: str, run: RunOptions, results: ResultOptions, *, json: bool) -> None:
    """Run an experiment and store its result; or show the stored one. Print it and write its page."""
    experiment(name)
    folder = results.folder(run)
    result = _result(name, run, results, plots=results.draws(folder))
    written = [] if folder is None else result.write(folder)
    if json:
        print_json(result.study.to_dict())
        return
    _show(result.study)
    if folder is not None:
        output.print_line("written: " + ", ".join(str(folder / file) for file in written))


def _result(name: str, run: RunOptions, results: ResultOptions, *, plots: bool) -> Result:
    with Follower() as progress:
        setting = run.setting(progress.step)
        if results.cached:
            stored = results.store(setting, plots=plots).find(name)
            if stored is None:
                raise InputError(f"no result of {name} is stored for this code, data and options; run without --cached")
            return stored
        result = run_experiment(name, setting, plots=plots)
    try:
        results.store(setting, plots=plots).save(name, result)
    except TagpoolError as error:  # the result itself is not lost
        notes.print_line(f"note: the result is not stored: {error}")
    return result


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
    for table in study.tables:
        print_table(table.header, [list(line) for line in table.lines], left=1, title=table.title)
    for note in study.notes:
        output.print(f"- {note}")
