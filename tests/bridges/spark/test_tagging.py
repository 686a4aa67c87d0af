"""Data frames of PySpark with two local workers: the labels are those of the tagger. ``make scale`` runs this."""

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

# A process of its own: Spark starts Java, and warns about versions of other libraries.
SCRIPT = """
import json, os, sys
from pyspark.sql import SparkSession
from tagpool import builtin_corpus
from tagpool.bridges import spark

tagger = spark.tag(sys.argv[1], confidences="p")
options = {"spark.ui.enabled": "false", "spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1"}
builder = SparkSession.builder.master("local[2]")
for name, value in options.items():
    builder = builder.config(name, value)
session = builder.getOrCreate()
session.sparkContext.setLogLevel("OFF")
session.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", 16)
words = builtin_corpus(200, part="test").words
frame = session.createDataFrame([{"n": n, "tokens": one} for n, one in enumerate(words)]).repartition(5)
rows = frame.mapInArrow(tagger, tagger.schema(frame.schema)).collect()
result = {"labels": {row.n: list(row.labels) for row in rows}, "p": {row.n: list(row.p) for row in rows}}

def loads(batches):
    import pyarrow
    from tagpool.bridges.batches import _load
    for batch in tagger(batches):
        count = _load.cache_info().misses
        yield pyarrow.RecordBatch.from_pydict({"pid": [os.getpid()] * len(batch), "loads": [count] * len(batch)})

result["loads"] = [(row.pid, row.loads) for row in frame.mapInArrow(loads, "pid long, loads long").distinct().collect()]
try:
    frame.withColumnRenamed("tokens", "text").mapInArrow(tagger, tagger.schema(frame.schema)).collect()
except Exception as error:
    result["error"] = str(error)
session.stop()
print(json.dumps(result))
"""


def test_a_data_frame(tmp_path: Path) -> None:
    path = tmp_path / "ner.tagpool"
    tagger = CRF("ner").fit(builtin_corpus(100))
    tagger.save(path)
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, path], capture_output=True, text=True, check=False, env=environment, timeout=600
    )
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout.splitlines()[-1])
    words = builtin_corpus(200, part="test").words
    expected = tagpool.load(path).predict(words)
    assert [result["labels"][str(number)] for number in range(200)] == expected
    assert all(len(result["p"][str(number)]) == len(words[number]) for number in range(200))
    assert all(0 < probability <= 1 for row in result["p"].values() for probability in row)
    assert {count for _, count in result["loads"]} == {1}
    assert "no column 'tokens'; the columns are n (int64), text (list<utf8>)" in result["error"]
