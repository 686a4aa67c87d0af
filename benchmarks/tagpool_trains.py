"""One training by tagpool, from a file to a model, in a process of its own; prints what it cost as JSON.

python tagpool_trains.py TEMPLATES TRAIN MODEL COLUMNS SETTINGS
"""

from __future__ import annotations

import json
import sys
import time

from measure import peak_memory

import tagpool


def main(templates: str, train: str, model: str, columns: str, settings: str) -> None:
    crf = tagpool.CRF(templates, **json.loads(settings))
    crf.fit(tagpool.read_corpus(train, columns=columns)).save(model)
    print(json.dumps({"cpu": time.process_time(), "peak": peak_memory()}))


if __name__ == "__main__":
    main(*sys.argv[1:])
