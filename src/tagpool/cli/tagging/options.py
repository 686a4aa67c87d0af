"""Options of ``tagpool tag`` for folders."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tagpool.cli.option_fields import option

Engine = Literal["local", "ray"]


@dataclass(frozen=True)
class FolderOptions:
    """How many workers label the files of a folder, and where."""

    engine: Engine = option(default="local", help="Workers for several files: processes of this machine, or a Ray cluster.")
    workers: int | None = option(
        default=None, min=1, help="Number of workers for several files; does not change the labels (default: 1, with Ray 2)."
    )
    address: str | None = option(default=None, help="Address of a running Ray cluster (default: start one on this machine).")
    restart: bool = option("--restart", default=False, help="Label all files again, also those of an earlier run.")
    json: bool = option("--json", default=False, help="Print a summary of several files as JSON.")

    def first_option(self) -> str | None:
        """Return the first option that is given; None without any."""
        given = {
            "--engine": self.engine != "local",
            "--workers": self.workers is not None,
            "--address": self.address is not None,
            "--restart": self.restart,
            "--json": self.json,
        }
        return next((name for name, is_given in given.items() if is_given), None)
