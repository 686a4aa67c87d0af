"""One training by python-crfsuite, or by a drop-in for it, from a file to a model, alone in a process; prints its costs as JSON.

python crfsuite_trains.py chunk|ner TRAIN MODEL TITLES ITERATIONS [MODULE]
"""

from __future__ import annotations

import importlib
import json
import sys
import time
from pathlib import Path

import peers
from measure import peak_memory


def main(kind: str, train: str, model: str, titles: str, iterations: str, module: str = "pycrfsuite") -> None:
    pycrfsuite = importlib.import_module(module)
    known = frozenset(Path(titles).read_text().split("\n"))
    text = Path(train).read_text()
    sentences = peers.read_by_hand(text, len(text.split("\n", 1)[0].split()))
    trainer = pycrfsuite.Trainer("lbfgs", {"c2": 1.0, "max_iterations": int(iterations)}, verbose=False)
    for sentence in sentences:
        columns = list(zip(*sentence, strict=True))
        words = list(columns[0])
        features = peers.ner_features(words, known) if kind == "ner" else peers.chunk_features(words, list(columns[1]))
        trainer.append(features, columns[-1])
    begun = time.process_time()
    trainer.train(model)
    ended = time.process_time()
    log = trainer.logparser
    print(
        json.dumps(
            {
                "cpu": ended,
                "training": ended - begun,
                "peak": peak_memory(),
                "losses": [item["loss"] for item in log.iterations],
                "seconds": [item["time"] for item in log.iterations],
                "evaluations": sum(item.get("linesearch_trials", 0) for item in log.iterations),
            }
        )
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
