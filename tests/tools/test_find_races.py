"""Reports of ThreadSanitizer: those in tagpool count, those of Python and of the loader do not."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

OURS = "    #0 tagpool::add native/x.cpp:3 (_native.cpython-311.so+0x13)\n"
PYTHON = "    #0 memcpy (libtsan.so+0x5)\n    #1 list_resize (libpython3.11.so.1.0+0x2a)\n"
LOADER = "    #0 free (libtsan.so+0x4)\n    #1 _dl_deallocate_tls ../elf/dl-tls.c:682 (ld-linux-x86-64.so.2+0x11)\n"


def _tool() -> Any:
    spec = importlib.util.spec_from_file_location("find_races", Path(__file__).parents[2] / "tools" / "find_races.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["find_races"] = module  # for dataclasses
    spec.loader.exec_module(module)
    return module


find_races = _tool()


def report(first: str, second: str, created: str = PYTHON) -> str:
    return (
        "==================\nWARNING: ThreadSanitizer: data race (pid=7)\n"
        f"  Write of size 8 at 0x7b by thread T2:\n{first}\n  Previous atomic read of size 8 at 0x7b by main thread:\n{second}\n"
        f"  Thread T2 (tid=9, running) created by main thread at:\n{created}\n"
        "SUMMARY: ThreadSanitizer: data race\n==================\n"
    )


@pytest.mark.parametrize(
    ("first", "second", "counts"),
    [(OURS, OURS, True), (OURS, PYTHON, True), (PYTHON, OURS, True), (PYTHON, PYTHON, False), (LOADER, OURS, False)],
)
def test_an_access_in_tagpool_counts(first: str, second: str, counts: bool) -> None:
    log = (
        "some output\n" + report(first, second, created=OURS) + report(PYTHON, PYTHON) + "ThreadSanitizer: reported 2 warnings\n"
    )
    assert list(map(find_races.is_in_tagpool, find_races.reports_in(log))) == [counts, False]


def test_other_reports_count_if_they_name_tagpool() -> None:
    for stack, counts in ((OURS, True), (PYTHON, False)):
        text = f"WARNING: ThreadSanitizer: lock-order-inversion (potential deadlock) (pid=7)\n  Mutex M1 acquired here:\n{stack}"
        assert find_races.is_in_tagpool(text) == counts


def test_planted_races_come_first() -> None:
    names = find_races.scenario_names()
    assert [name.startswith(find_races.PLANTED) for name in names[:3]] == [True, True, False]
    assert {"sgd", "lbfgs", "owlqn", "fobos", "perceptron", "elitist", "inducing", "drop_in", "tagging", "shared_model"} <= set(
        names
    )
