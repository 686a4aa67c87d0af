"""Arguments for which there is no memory: an error, not the end of the process."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from injection import run_with_faults

CALLS = {
    "string": ("", "_native.Container.open('/nowhere/' + 'x' * 100)", "InputFault"),
    "vectors and tuples": ("", "_native.Columns.from_lists(['x' * 100] * 2, [[['a'], ['b']]], [0], [(0, 0, 'y' * 100)])", ""),
    "shared pointer": ("lexicon = _native.WordLexicon()", "_native.Step('lookup', 0, 0, lexicon)", None),
}


@pytest.mark.skipif(sys.platform != "linux", reason="needs LD_PRELOAD")
@pytest.mark.parametrize("name", CALLS)
def test_every_allocation_of_a_call_may_fail(tmp_path: Path, name: str) -> None:
    before, call, end = CALLS[name]
    *failed, last = run_with_faults(tmp_path, f"{before}\noutcomes(lambda: {call}, 'allocation')")
    assert len(failed) >= 1
    assert set(failed) == {"MemoryError: not enough memory"}
    assert end is None or last.startswith(f"end {end or 'no error'}")
