"""The examples of the documentation that need Ray or Spark run. ``make scale`` runs this."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif("TAGPOOL_SCALE" not in os.environ, reason="make scale runs this")
PAGE = Path(__file__).parents[2] / "docs" / "reference" / "scale.md"
EXAMPLES = re.findall(r"^```py\n(.*?)^```", PAGE.read_text(), re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_an_example_runs(tmp_path: Path, number: int) -> None:
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable}
    command = [sys.executable, "-c", EXAMPLES[number]]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, env=environment, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "B-LOC" in done.stdout
