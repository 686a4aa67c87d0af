"""Options of ``tagpool tag``: about label sequences, and for several files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from tagpool.cli.engine_options import LOCAL, EngineOptions
from tagpool.cli.option_fields import option
from tagpool.errors import InputError

if TYPE_CHECKING:
    from tagpool.bridges.ray.engine import Ray


@dataclass
class ReadingOptions:
    """Which label sequences of a sentence are written, and how."""

    nbest: int = option(default=0, min=0, max=100_000, help="Write the N best sequences of each sentence.")
    probabilities: bool = option("--probabilities", default=False, help="Write the probability of each label before it.")
    scheme: str | None = option(help="Only valid sequences of this scheme: iob1, bio2, bioes, bilou.")
    truecase: bool = option(
        "--truecase", default=False, help="Give sentences without capitals the usual ones, for the model only."
    )


@dataclass
class FolderOptions:
    """The number and the kind of workers, and the options of a run."""

    engine: str = option(
        default=LOCAL, metavar="local|ray", help="Workers for several files: local processes, or a Ray cluster (tagpool[ray])."
    )
    workers: int | None = option(help="Number of workers for several files; the labels are the same (default: 1, with Ray 2).")
    address: str | None = option(metavar="HOST:PORT", help="Ray cluster, or auto (default: Ray is started on this machine).")
    restart: bool = option("--restart", default=False, help="Label all files again, also those of an earlier run.")
    json: bool = option("--json", default=False, help="Print a summary of several files as JSON.")

    def create(self) -> Ray | None:
        """Return the choice of a Ray cluster; None for local processes."""
        if self.workers is not None and self.workers < 1:
            raise InputError(f"--workers {self.workers}: expected a whole number from 1")
        if self.engine == LOCAL and self.address is None:
            return None
        engine = EngineOptions(self.engine, None if self.engine == LOCAL else self.workers, self.address).create()
        return cast("Ray | None", engine)

    def first_option(self) -> str | None:
        """Return the first option that is given; None without any."""
        options = {
            "--engine": self.engine != LOCAL,
            "--workers": self.workers is not None,
            "--address": self.address is not None,
            "--restart": self.restart,
            "--json": self.json,
        }
        return next((name for name, is_given in options.items() if is_given), None)
