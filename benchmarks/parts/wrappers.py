"""Other libraries that train or read CRFsuite's models: sklearn-crfsuite, chaine, and crfs (Rust), which only tags."""

from __future__ import annotations

import importlib
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pycrfsuite
from measure import fastest
from peers import Features
from table import Row, speedup
from tasks import Task

from tagpool.compat import pycrfsuite as drop_in

_ITERATIONS = 30
_SETTINGS = {"c2": 1.0, "max_iterations": _ITERATIONS}
_MISSING = "not installed; `make bench` installs it where it has a wheel"


def wrappers(tasks: list[Task]) -> Iterator[Row]:
    """Train and tag with the same strings: L-BFGS with c2 = 1 and a fixed number of iterations."""
    for task in tasks:
        corpus = task.read("train")
        features, labels = task.features(corpus)(), corpus.labels
        test = task.features(task.read("test"))()
        with tempfile.TemporaryDirectory() as folder:
            trainers = {
                "tagpool": lambda folder=folder, features=features, labels=labels: _train(drop_in, folder, features, labels),
                "python-crfsuite": lambda folder=folder, features=features, labels=labels: _train(
                    pycrfsuite, folder, features, labels
                ),
            }
            for name, create in (("sklearn-crfsuite", _sklearn), ("chaine", _chaine)):
                if (train := create(folder, features, labels)) is None:
                    yield Row(f"{task.name}: {name}", "–", _MISSING)
                else:
                    trainers[name] = train
            best = fastest(trainers, rounds=2)
            for name in list(trainers)[1:]:
                yield speedup(
                    f"{task.name}: training, the drop-in against {name}",
                    best[name].cpu / best["tagpool"].cpu,
                    f"{_ITERATIONS} iterations of L-BFGS on the same strings, in turns, minimum of 2: {best['tagpool']} against "
                    f"{best[name]}",
                )
            taggers = _taggers(folder, test)
            if "chaine" in trainers:
                predict = importlib.import_module("chaine").Model(f"{folder}/chaine").predict
                rows = [[dict.fromkeys(token, True) for token in sentence] for sentence in test]
                taggers["chaine"] = lambda predict=predict, rows=rows: predict(rows)
            best = fastest(taggers, rounds=5)
            for name in list(taggers)[1:]:
                yield speedup(
                    f"{task.name}: tagging, the drop-in against {name}",
                    best[name].cpu / best["tagpool"].cpu,
                    f"the test sentences as strings, minimum of 5: {best['tagpool']} against {best[name]}",
                )


def _train(module: Any, folder: str, features: list[Features], labels: list[list[str]]) -> None:
    trainer = module.Trainer("lbfgs", _SETTINGS, verbose=False)
    for sentence, tags in zip(features, labels, strict=True):
        trainer.append(sentence, tags)
    trainer.train(str(Path(folder) / module.__name__))


def _sklearn(folder: str, features: list[Features], labels: list[list[str]]) -> Callable[[], object] | None:
    try:
        library = importlib.import_module("sklearn_crfsuite")
    except ImportError:
        return None
    return lambda: library.CRF(model_filename=f"{folder}/sklearn", **_SETTINGS).fit(features, labels)


def _chaine(folder: str, features: list[Features], labels: list[list[str]]) -> Callable[[], object] | None:
    try:
        library = importlib.import_module("chaine")
    except ImportError:
        return None
    rows = [[dict.fromkeys(token, True) for token in sentence] for sentence in features]
    importlib.import_module("chaine.logging").set_verbosity(0)
    return lambda: library.Trainer("lbfgs", **_SETTINGS).train(rows, labels, model_filepath=f"{folder}/chaine")


def _taggers(folder: str, test: list[Features]) -> dict[str, Callable[[], object]]:
    """Return functions that tag with the same model file."""
    path = str(Path(folder) / pycrfsuite.__name__)
    result: dict[str, Callable[[], object]] = {}
    for name, module in (("tagpool", drop_in), ("python-crfsuite", pycrfsuite)):
        tagger = module.Tagger()
        tagger.open(path)
        result[name] = lambda tagger=tagger: [tagger.tag(sentence) for sentence in test]
    try:
        model = importlib.import_module("crfs").Model.open(path)
    except ImportError:
        return result
    result["crfs"] = lambda: [model.tag(sentence) for sentence in test]
    return result
