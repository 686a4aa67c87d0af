"""Options that ``tagpool train`` and ``tagpool tune`` share, besides those of the learner (``settings.py``)."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

FileOption = partial(typer.Option, metavar="FILE")
TrainOption = Annotated[list[str] | None, FileOption(help="File, folder or pattern to learn from (repeatable).")]
DevOption = Annotated[
    list[str] | None, FileOption(help="Held-out file, folder or pattern: training stops when F1 stops rising (repeatable).")
]
