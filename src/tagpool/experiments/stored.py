"""Results of experiments in a folder: stored after every run, found again by what determines them."""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from tagpool.corpus.files import write_bytes, write_text
from tagpool.errors import OutputError
from tagpool.experiments.catalogue import experiment
from tagpool.experiments.fingerprints import code_fingerprint, data_fingerprint, key_of
from tagpool.experiments.study import Row, Setting, Study, Table
from tagpool.experiments.study_page import study_page

_STUDY = "study.json"


@dataclass(frozen=True)
class Result:
    """The study of a run, its plots by file name, its command, and the seconds it took."""

    study: Study
    plots: Mapping[str, bytes]
    command: str
    seconds: float

    def write(self, folder: Path) -> list[str]:
        """Write the page and the plots to a folder; return their names."""
        name = f"{self.study.name}.md"
        _make(folder)
        write_text(folder / name, study_page(self.study, self.command))
        for plot, data in self.plots.items():
            write_bytes(folder / plot, data)
        return [name, *self.plots]


def run_experiment(name: str, setting: Setting, *, plots: bool) -> Result:
    """Run an experiment; its plots are drawn if ``plots``."""
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        study = experiment(name).run(replace(setting, plots=Path(folder) if plots else None))
        drawn = {plot: (Path(folder) / plot).read_bytes() for plot in study.plots}
    return Result(study, drawn, command_of(name, setting), time.monotonic() - start)


def command_of(name: str, setting: Setting) -> str:
    """Return the command of a run.

    >>> command_of("bagging-ner", Setting(seeds=5, threads=2))
    'tagpool reproduce bagging-ner --seeds 5 --threads 2'
    """
    parts = ["tagpool reproduce", name]
    parts += ["--quick"] if setting.quick else [] if setting.seeds is None else [f"--seeds {setting.seeds}"]
    parts += [] if setting.threads == 1 else [f"--threads {setting.threads}"]
    return " ".join(parts)


def default_cache() -> Path:
    """Return the folder of results: in the user's folder for caches."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tagpool" / "experiments"


class Store:
    """Results in a folder, one sub-folder for each.

    A result is found only by the same corpora and configuration, and the same code of its experiment: other code may have
    changed. Threads do not change figures.
    """

    def __init__(self, folder: Path, setting: Setting, *, plots: bool) -> None:
        self.folder = folder
        self.setting = setting
        self.plots = plots
        _make(folder)
        self._data = data_fingerprint(setting.data, folder)

    def find(self, name: str) -> Result | None:
        """Return the stored result of an experiment; None if it is missing or damaged."""
        place = self._place(name)
        try:
            stored = json.loads((place / _STUDY).read_bytes())
            study = _study(stored["study"])
            plots = {plot: (place / plot).read_bytes() for plot in study.plots}
            return Result(study, plots, str(stored["command"]), float(stored["seconds"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def save(self, name: str, result: Result) -> None:
        """Store a result; an interrupted one is not stored."""
        if not result.study.complete:
            return
        place = self._place(name)
        _make(place)
        for plot, data in result.plots.items():
            write_bytes(place / plot, data)
        stored = {
            "study": asdict(result.study),
            "command": result.command,
            "seconds": result.seconds,
            "configuration": self._configuration(name),
        }
        write_text(place / _STUDY, json.dumps(stored, ensure_ascii=False))  # last: a result is complete or absent

    def usual_seconds(self, name: str) -> float | None:
        """Return the seconds of the latest run with this configuration, of any code and corpora; None if unknown."""
        latest: tuple[float, float] | None = None
        for path in self.folder.glob(f"{name}@*/{_STUDY}"):
            try:
                stored, moment = json.loads(path.read_bytes()), path.stat().st_mtime
                if stored["configuration"] == self._configuration(name) and (latest is None or moment > latest[0]):
                    latest = moment, float(stored["seconds"])
            except (OSError, ValueError, KeyError, TypeError):
                continue
        return None if latest is None else latest[1]

    def _configuration(self, name: str) -> dict[str, Any]:
        setting = experiment(name).resolve(self.setting)
        return {"quick": setting.quick, "seeds": len(setting.seed_numbers()), "plots": self.plots}

    def _place(self, name: str) -> Path:
        one = experiment(name)
        code = code_fingerprint(f"experiments.{one.module}")
        return self.folder / f"{name}@{key_of(code, '' if one.generated else self._data, self._configuration(name))}"


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder}: making the folder failed: {error.strerror}; choose another one") from None


def _study(stored: dict[str, Any]) -> Study:
    rows, tables = [Row(**row) for row in stored["rows"]], [Table(**table) for table in stored["tables"]]
    return Study(**{**stored, "rows": rows, "tables": tables})
