"""python-crfsuite with the features and settings of its tutorial, in plain Python as the tutorial has them.

As a program, this module trains and tags; it needs no other part of tagpool.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tagpool.errors import InputError
from tagpool.experiments.users_processes import TRAIN, Labels, file_of, serve

CRFSUITE = "python-crfsuite"
SETTINGS = {"c1": 0.1, "c2": 0.1, "max_iterations": 100, "feature.possible_transitions": True}
"""The settings of sklearn-crfsuite's tutorial, with a better F1 than those of python-crfsuite's tutorial (c1 = 1, c2 = 0.001)."""
_DOCUMENT = "-DOCSTART-"


def check_installed() -> None:
    """Raise an error if python-crfsuite is not installed."""
    if importlib.util.find_spec("pycrfsuite") is None:
        raise InputError("python-crfsuite is not installed: pip install python-crfsuite")


class Crfsuite:
    """Trains and tags with python-crfsuite. Its trainer knows neither dev sentences nor seeds."""

    def fit(self, name: str, files: Path, model: Path, seed: int) -> None:
        """Train from files and write the model."""
        trainer = _library().Trainer("lbfgs", SETTINGS, verbose=False)
        for words, labels in read(file_of(files, TRAIN)):
            trainer.append(features(words), labels)
        trainer.train(str(model))

    def load(self, model: Path) -> Callable[[list[list[str]]], Labels]:
        """Return a function that labels sentences."""
        tagger = _library().Tagger()
        tagger.open(str(model))
        return lambda sentences: [tagger.tag(features(words)) for words in sentences]

    def words(self, path: Path) -> list[list[str]]:
        """Return the words of a file."""
        return [words for words, _ in read(path)]


def read(path: Path) -> list[tuple[list[str], list[str]]]:
    """Return the words and labels of the sentences of a file."""
    sentences: list[tuple[list[str], list[str]]] = []
    rows: list[list[str]] = []
    for line in [*path.read_text("utf-8").split("\n"), ""]:
        if line.startswith(_DOCUMENT):
            continue
        if line:
            rows.append(line.split("\t"))
        elif rows:
            sentences.append(([row[0] for row in rows], [row[-1] for row in rows]))
            rows = []
    return sentences


def features(words: Sequence[str]) -> list[list[str]]:
    """Return the features of every word.

    >>> features(["Oslo"])[0][:4]
    ['bias', 'word.lower=oslo', 'word[-3:]=slo', 'word[-2:]=lo']
    """
    return [_features_at(words, place) for place in range(len(words))]


def _features_at(words: Sequence[str], place: int) -> list[str]:
    word = words[place]
    result = [
        "bias",
        "word.lower=" + word.lower(),
        "word[-3:]=" + word[-3:],
        "word[-2:]=" + word[-2:],
        f"word.isupper={word.isupper()}",
        f"word.istitle={word.istitle()}",
        f"word.isdigit={word.isdigit()}",
    ]
    for offset, edge in ((-1, "BOS"), (1, "EOS")):
        if not 0 <= place + offset < len(words):
            result.append(edge)
            continue
        word = words[place + offset]
        result += [
            f"{offset:+}:word.lower={word.lower()}",
            f"{offset:+}:word.istitle={word.istitle()}",
            f"{offset:+}:word.isupper={word.isupper()}",
        ]
    return result


def _library() -> Any:
    check_installed()
    return importlib.import_module("pycrfsuite")


if __name__ == "__main__":
    serve(Crfsuite(), sys.argv[1:])
