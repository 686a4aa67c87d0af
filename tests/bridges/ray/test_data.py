"""Batches of Ray Data on two actors: the labels are those of the tagger. ``make scale`` runs this."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import tagpool
from tagpool import CRF, builtin_corpus

pytestmark = pytest.mark.skipif("TAGPOOL_SCALE" not in os.environ, reason="make scale runs this")

SCRIPT = """
import json, sys
import pyarrow
import ray
from tagpool import builtin_corpus
from tagpool.bridges.ray import Tag

words = builtin_corpus(200, part="test").words
ray.init(num_cpus=3, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
data = ray.data.from_arrow(pyarrow.table({"n": range(200), "tokens": words})).repartition(5)
result = {}
for form in ("numpy", "pandas", "pyarrow"):
    options = {"batch_format": form, "batch_size": 30, "concurrency": 2}
    labelled = data.map_batches(Tag, fn_constructor_args=[sys.argv[1]], fn_constructor_kwargs={"confidences": "p"}, **options)
    result[form] = {row["n"]: (list(row["labels"]), list(row["p"])) for row in labelled.take_all()}
print(json.dumps(result))
"""


def test_a_dataset(tmp_path: Path) -> None:
    path = tmp_path / "ner.tagpool"
    CRF("ner").fit(builtin_corpus(100)).save(path)
    done = subprocess.run([sys.executable, "-c", SCRIPT, path], capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout.splitlines()[-1])
    words = builtin_corpus(200, part="test").words
    expected = tagpool.load(path).predict(words)
    for rows in result.values():
        assert [rows[str(number)][0] for number in range(200)] == expected
        assert all(len(rows[str(number)][1]) == len(words[number]) for number in range(200))
