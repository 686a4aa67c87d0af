"""``tagpool reproduce all``: every experiment, and the page with every figure of the papers."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from tagpool.cli.console import output, print_json, print_table
from tagpool.cli.guard import was_interrupted
from tagpool.cli.progress import Follower, spell_time_left
from tagpool.cli.reproducing.options import ResultOptions, RunOptions
from tagpool.corpus.files import write_text
from tagpool.errors import InputError, TagpoolError
from tagpool.experiments.catalogue import ALL, EXPERIMENTS, experiment
from tagpool.experiments.printed.index_page import COUNTED, NAME, Finding, comparisons, counts, index_page
from tagpool.experiments.provenance import code_version, page_version
from tagpool.experiments.stored import Result, Store, command_of, run_experiment
from tagpool.experiments.study import Setting
from tagpool.experiments.study_page import read_page
from tagpool.wording import counted

_BY_THIS_CODE = "run by this code"


def reproduce_all(run: RunOptions, results: ResultOptions, only: str | None, *, json: bool) -> None:
    """Run the experiments that have no stored result; write their pages and the page of all figures."""
    names = [name.strip() for name in only.split(",")] if only is not None else list(EXPERIMENTS)
    for name in names:
        experiment(name)
    folder = results.folder(run)
    version = code_version()  # before pages are written
    with Follower() as progress:
        setting = run.setting(progress.step)
        store = results.store(setting, plots=results.draws(folder))
        missing = [] if results.cached else [name for name in dict.fromkeys(names) if store.find(name) is None]
        series = Series(store, missing, folder, progress)
        series.run()
    findings = {name: series.finding(name) for name in EXPERIMENTS}
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        write_text(folder / NAME, index_page(findings, version, command_of(ALL, setting)))
    _print(series, findings, version, json=json)
    if not json and folder is not None:
        output.print_line(f"written: {folder / NAME}")
    if series.failed:
        failed = "; ".join(f"{name}: {message}" for name, message in series.failed.items())
        raise TagpoolError(f"{counted(len(series.failed), 'experiment')} failed: {failed}")


@dataclass
class Series:
    """A run of experiments one after the other. ``failed`` has the message of each that failed."""

    store: Store
    names: Sequence[str]
    folder: Path | None
    progress: Follower
    failed: dict[str, str] = field(default_factory=dict)
    outcomes: dict[str, str] = field(default_factory=dict)
    _usual: dict[str, float | None] = field(default_factory=dict)
    _current: int = 0
    _start: float = 0.0

    def run(self) -> None:
        """Run the experiments; one that fails does not stop the others."""
        self._usual = {name: self.store.usual_seconds(name) for name in self.names}
        try:
            for number in range(len(self.names)):
                self._current = number
                self._run_current()
        except KeyboardInterrupt:
            finished = counted(len(self.outcomes), "experiment")
            raise KeyboardInterrupt(f"the results of {finished} are stored; run the same command to continue") from None

    def _run_current(self) -> None:
        name, self._start = self.names[self._current], time.monotonic()
        self.step("begins")
        try:
            result = run_experiment(name, replace(self.store.setting, report=self.step), plots=self.store.plots)
            if not result.study.complete:
                raise KeyboardInterrupt
            self.store.save(name, result)
        except Exception as error:
            if was_interrupted(error):
                raise KeyboardInterrupt from None
            self.failed[name] = str(error) if isinstance(error, TagpoolError) else f"{type(error).__name__}: {error}"
            self.progress.note(f"{name} failed: {self.failed[name]}")
        else:
            self.outcomes[name] = f"run in {result.seconds:.0f} s"

    def step(self, text: str) -> None:
        """Report a step with the number of the experiment and the time that is left."""
        elapsed = time.monotonic() - self._start
        name = self.names[self._current]
        left = spell_left([self._usual[other] for other in self.names[self._current :]], elapsed)
        self.progress.step(f"{self._current + 1} of {len(self.names)}, {left}: {name}: {text}")

    def finding(self, name: str) -> Finding:
        """Return the rows of an experiment: a result of this code, whose page is written; or the page that is there."""
        if name in self.failed:
            self.outcomes[name] = "failed"
            return Finding(reason=f"failed: {self.failed[name]}")
        result = self.store.find(name)
        if result is not None:
            self.outcomes.setdefault(name, "stored")
            return self._write(result)
        finding = Finding() if self.folder is None else finding_of_page(self.folder / f"{name}.md", self.store.setting)
        self.outcomes[name] = "not run" if finding.rows is None else "from its page"
        return finding

    def _write(self, result: Result) -> Finding:
        if self.folder is not None:
            result.write(self.folder)
        return Finding(tuple(result.study.rows), _BY_THIS_CODE, result.command)


def finding_of_page(path: Path, setting: Setting) -> Finding:
    """Return the figures of a page; none of a quick run for one that is not quick, or the other way round."""
    if not path.is_file():
        return Finding()
    try:
        page = read_page(path)
    except InputError as error:
        return Finding(reason=f"not run, and its page is no result: {error}")
    if page.quick != setting.quick:
        return Finding()
    version = page_version(path)
    return Finding(page.rows, f"page of {version}" if version else "page of an earlier run", page.command)


def spell_left(seconds: Sequence[float | None], elapsed: float) -> str:
    """Return the time left in words. ``seconds`` are those of earlier runs, None if unknown; the first one runs now.

    >>> spell_left([60.0, 90.0], 30.0), spell_left([None, 90.0], 30.0), spell_left([None], 1.0)
    ('about 2 min 0 s left', 'more than 1 min 30 s left', 'time left unknown')
    """
    first, *others = seconds
    known = [second for second in others if second is not None]
    known += [] if first is None else [max(first - elapsed, 0.0)]
    if not known:
        return "time left unknown"
    return f"{'about' if None not in seconds else 'more than'} {spell_time_left(sum(known))}"


def _print(series: Series, findings: Mapping[str, Finding], version: str, *, json: bool) -> None:
    figures = comparisons(findings)
    if json:
        experiments = {
            name: {"outcome": series.outcomes[name], "command": one.command or None, "reason": one.reason or None}
            for name, one in findings.items()
        }
        print_json({"version": version, "experiments": experiments, "figures": [one.to_dict() for one in figures]})
        return
    lines = [[name, series.outcomes[name], one.origin or one.reason] for name, one in findings.items()]
    print_table(["experiment", "result", "figures"], lines, left=3)
    print_table(COUNTED, counts(figures), title="Figures of the papers")
