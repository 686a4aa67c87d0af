"""One training from a file to a model by the program of python-crfsuite's tutorial, on a module with python-crfsuite's calls.

python -m suite.trains MODULE SETTING COLUMNS TRAIN MODEL DEV SEED

DEV (empty: none) and SEED are for ``suite.given`` only: python-crfsuite knows neither. Prints the CPU seconds of the calls of
the module, without reading the file and computing features.
"""

from __future__ import annotations

import importlib
import sys
import time

from suite.tutorial import SETTINGS, features, read


def main(module: str, setting: str, columns: str, train: str, model: str, dev: str, seed: str) -> None:
    names = columns.split(",")
    trainer = importlib.import_module(module).Trainer("lbfgs", SETTINGS.get(setting, {}), verbose=False)
    sentences = list(read(train, names))
    rows, labels = [features(sentence) for sentence in sentences], [sentence["label"] for sentence in sentences]
    begun = time.process_time()
    for features_of_sentence, labels_of_sentence in zip(rows, labels, strict=True):  # all in memory first, as in the tutorial
        trainer.append(features_of_sentence, labels_of_sentence)
    if module == "suite.given":
        trainer.choose(seed=int(seed), dev=[(features(one), one["label"]) for one in read(dev, names)] if dev else None)
    trainer.train(model)
    print(time.process_time() - begun)


if __name__ == "__main__":
    main(*sys.argv[1:])
