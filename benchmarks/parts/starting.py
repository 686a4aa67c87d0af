"""Import time."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from measure import fastest_processes
from table import Row, fraction
from tasks import Task

_CODE = {
    "bare": "pass",
    "tagpool": "import tagpool",
    "pycrfsuite": "import pycrfsuite",
    "core": "from tagpool import Corpus, Encoder",
}


def starting(tasks: list[Task]) -> Iterator[Row]:
    best = fastest_processes({name: [sys.executable, "-c", code] for name, code in _CODE.items()})
    shown = "; ".join(f"`{_CODE[name]}` {best[name].wall * 1e3:.0f} ms" for name in ("bare", "tagpool", "pycrfsuite"))
    yield fraction(
        "import tagpool / import pycrfsuite",
        best["tagpool"].wall / best["pycrfsuite"].wall,
        f"whole processes, wall time, minimum of 20: {shown}",
    )
    yield Row(
        "… with the native core loaded (Corpus, Encoder)",
        f"{best['core'].wall / best['pycrfsuite'].wall:.2f}×",
        f"{best['core'].wall * 1e3:.0f} ms",
    )
