"""Train every learner, trainer and pool with two installations of tagpool, and compare the models tensor by tensor.

    python tools/compare_models.py OLD_PYTHON NEW_PYTHON TRAIN.conll DEV.conll [--only NAME]

OLD_PYTHON and NEW_PYTHON are the interpreters of two environments. Both train on the same files. Metadata of model files is not
compared, since it names parameters. The exit code is 1 if a tensor or a prediction differs.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import tagpool as t
from tagpool.compat import pycrfsuite

WINDOW = "word[-1..1]\nsuffix(word, 1..3)[0]\nshape(word)[-1..1]"
BAGS = "word[-1..1]\n[shapes]\nshape(word)[-1..1]\n[endings]\nsuffix(word, 1..3)[0]\n"
TRANSITIONS = WINDOW + "\nlabel[-1] & word[0]\nlabel[-1] & shape(word)[0]"
HISTORY = WINDOW + "\nlabel[-1]\nlabel[-2] & label[-1]"
COMBINATIONS = ("sequence-product", "sequence-mixture", "transition-product", "transition-mixture")
METHODS = ("mvote", "rand", "cv", "fpl", "fpl_cv", "espboost", "sle", "best", "majority")
KEYS = ("position", "shared", "label", "length")


def linear_experts() -> dict[str, Callable[[], Any]]:
    """Constructors of unfitted linear experts, by name."""
    trainers = {
        "sgd": t.SGD(epochs=4),
        "sgd-step": t.SGD(epochs=3, step=0.05, batch=4),
        "sgd-dropout": t.SGD(epochs=3, dropout=0.3),
        "sgd-dropout-templates": t.SGD(epochs=3, dropout=0.3, drop="templates"),
        "lbfgs": t.LBFGS(iterations=25),
        "lbfgs-cold": t.LBFGS(iterations=25, warm_up=0),
        "perceptron": t.Perceptron(epochs=4),
        "fobos": t.FOBOS(epochs=4),
        "fobos-elitist": t.FOBOS(epochs=4, penalty="group", strength=0.1),
    }
    cases: dict[str, Callable[[], Any]] = {}
    for name, trainer in trainers.items():
        for pairs in ("all", "observed"):
            cases[f"crf {name} {pairs}"] = lambda trainer=trainer, pairs=pairs: t.CRF(WINDOW, pairs=pairs, trainer=trainer)
        cases[f"maxent {name}"] = lambda trainer=trainer: t.MaxEnt(WINDOW, trainer=trainer)
    cases["crf owlqn"] = lambda: t.CRF(WINDOW, l1=0.5, l2=0.1, trainer=t.OWLQN(iterations=25))
    cases["maxent owlqn"] = lambda: t.MaxEnt(WINDOW, l1=0.5, l2=0.1, trainer=t.OWLQN(iterations=25))
    cases["crf sgd-dropout-bags"] = lambda: t.CRF(BAGS, trainer=t.SGD(epochs=3, dropout=0.4, drop="bags"))
    cases["crf ner default"] = lambda: t.CRF("ner")
    cases["crf class weight"] = lambda: t.CRF(WINDOW, class_weight="balanced", min_count=2, seed=7)
    cases["crf threads"] = lambda: t.CRF("ner", threads=2, trainer=t.SGD(epochs=2))
    for name in ("sgd", "lbfgs", "perceptron", "fobos"):
        cases[f"crf transitions {name}"] = lambda name=name: t.CRF(TRANSITIONS, trainer=trainers[name])
    return cases


def inducing_and_pools() -> dict[str, Callable[[], Any]]:
    """Constructors of unfitted inducing taggers and pools, by name. Version 0.1 has other names for some."""
    old = not hasattr(t, "BaggingPool")
    bagging = t.FeatureBagging if old else t.BaggingPool
    two_stage = t.TwoStage if old else t.TwoStageTagger
    weights = "alpha" if old else "weights"
    cases: dict[str, Callable[[], Any]] = {}
    cases["inducing"] = lambda: t.InducingTagger(HISTORY, epochs=4)
    cases["inducing pos"] = lambda: t.InducingTagger("pos", epochs=3)
    cases["inducing plain"] = lambda: t.InducingTagger(HISTORY, epochs=4, induce=False, average_from=None)
    cases["inducing beam"] = lambda: t.InducingTagger(HISTORY, epochs=3, beam=4, dual_averaging=False)
    crf = lambda templates=BAGS: t.CRF(templates, trainer=t.SGD(epochs=3))  # noqa: E731
    for combine in COMBINATIONS:
        cases[f"bagging {combine}"] = lambda combine=combine: bagging(crf(), combine=combine)
    for how in ("dev", "kfold", "likelihood"):
        cases[f"bagging {how}"] = lambda how=how: bagging(crf(), **{weights: how})
    cases["bagging em"] = lambda: bagging(crf(), combine="sequence-mixture", **{weights: "em"})
    for name, parts in (("random", "RandomParts"), ("sequential", "SequentialParts")):
        cases[f"bagging {name}"] = lambda parts=parts: bagging(crf(WINDOW), bags=getattr(t, parts)(2))
    cases["bagging positions"] = lambda: bagging(crf(WINDOW), bags=t.Positions())
    cases["bagging labels"] = lambda: bagging(crf(WINDOW), bags=t.LabelWise())
    cases["bagging auto"] = lambda: bagging(crf(WINDOW), bags="auto")
    cases["bagging maxent"] = lambda: bagging(t.MaxEnt(BAGS, trainer=t.SGD(epochs=3)))
    for expert in ("maxent", "crf"):
        for penalty in ("elitist", "l1"):
            cases[f"elitist {expert} {penalty}"] = lambda e=expert, p=penalty: t.ElitistPool(
                WINDOW, expert=e, penalty=p, epochs=4
            )
    cases["elitist mu"] = lambda: t.ElitistPool(WINDOW, mu=0.3, epochs=4)
    cases["elitist learned"] = lambda: t.ElitistPool(WINDOW, epochs=4, **{weights: "learned"})
    cases["elitist approximate"] = lambda: t.ElitistPool(WINDOW, epochs=4, exact=False, experts=2)
    cases["two-stage"] = lambda: two_stage(crf(WINDOW), folds=2)
    return cases


def digest(data: bytes) -> str:
    """Return a short checksum."""
    return hashlib.sha256(data).hexdigest()[:16]


def tensor_digests(path: Path) -> list[str]:
    """Return the sorted checksums of the tensors of a safetensors file; a member's file inside it counts tensor by tensor."""
    return sorted(_digests(path.read_bytes()))


def _digests(data: bytes) -> list[str]:
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    digests = []
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        begin, end = entry["data_offsets"]
        content = data[8 + size + begin : 8 + size + end]
        nested = len(content) > 16 and content[8:9] == b"{" and int.from_bytes(content[:8], "little") < len(content)
        digests += _digests(content) if nested else [f"{digest(content)}:{len(content)}"]
    return digests


def train_all(train_file: str, dev_file: str, only: str) -> dict[str, Any]:
    """Train everything with the installed tagpool; return checksums by name."""
    train, dev = t.read_corpus(train_file), t.read_corpus(dev_file)
    results: dict[str, Any] = {}
    labelled: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"

        def record(name: str, model: Any) -> None:
            model.save(path)
            labels = model.predict(dev)
            results[name] = {"tensors": tensor_digests(path), "labels": digest(json.dumps(labels).encode())}
            labelled[name] = labels

        for name, build in (linear_experts() | inducing_and_pools()).items():
            if only not in name:
                continue
            try:
                record(name, build().fit(train, dev=dev) if "default" in name or "dev" in name else build().fit(train))
            except t.TagpoolError as error:
                results[name] = {"error": type(error).__name__}
        if not only or only in "continue":
            model = t.CRF(WINDOW, trainer=t.SGD(epochs=2)).fit(train)
            record("continue", model.partial_fit(dev))
        if not only or only in "votes":
            experts = {n: labelled[n] for n in ("maxent sgd", "crf perceptron all", "inducing", "elitist l1") if n in labelled}
            record_votes(experts, dev, path, results)
        if not only or only in "drop-in":
            record_drop_in(train, dev, path, results)
    return results


def record_votes(experts: dict[str, Any], dev: Any, path: Path, results: dict[str, Any]) -> None:
    """Record the weights and labels of every voting method with every key."""
    pool = t.PathPool if hasattr(t, "PathPool") else t.VotePool
    for method in METHODS:
        for key in KEYS:
            try:
                fitted = pool(method, key=key).fit(experts, dev.labels)
                fitted.save(path)
                labels = digest(json.dumps(fitted.predict(experts)).encode())
                results[f"votes {method} {key}"] = {"tensors": tensor_digests(path), "labels": labels}
            except t.TagpoolError as error:
                results[f"votes {method} {key}"] = {"error": type(error).__name__}


def record_drop_in(train: Any, dev: Any, path: Path, results: dict[str, Any]) -> None:
    """Record the model files that the python-crfsuite drop-in writes."""

    def attributes(words: list[str]) -> list[list[str]]:
        return [["bias", "w=" + w, "s=" + w[-2:], "p=" + (words[i - 1] if i else "")] for i, w in enumerate(words)]

    settings = {
        "lbfgs": {"c1": 0.0, "c2": 0.5, "max_iterations": 20},
        "lbfgs-l1": {"c1": 0.3, "c2": 0.1, "max_iterations": 20},
        "l2sgd": {"c2": 0.5, "max_iterations": 5},
        "ap": {"max_iterations": 5},
        "pa": {"max_iterations": 5},
        "arow": {"max_iterations": 5},
    }
    for name, parameters in settings.items():
        trainer = pycrfsuite.Trainer(algorithm=name.partition("-")[0], params=parameters, verbose=False)
        for sentence, labels in zip(train, train.labels, strict=True):
            trainer.append(attributes(list(sentence.words)), labels)
        trainer.train(str(path))
        results[f"drop-in {name}"] = {"file": digest(path.read_bytes())}


def main() -> int:
    """Compare, or train as one of the two sides."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", help="Python interpreter, or a JSON file with its results")
    parser.add_argument("new", help="Python interpreter, or a JSON file with its results")
    parser.add_argument("train")
    parser.add_argument("dev")
    parser.add_argument("--only", default="", help="train only learners whose name contains this text")
    parser.add_argument("--side", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.side:
        Path(arguments.side).write_text(json.dumps(train_all(arguments.train, arguments.dev, arguments.only), indent=1))
        return 0
    sides = []
    for python in (arguments.old, arguments.new):
        if python.endswith(".json"):
            sides.append(json.loads(Path(python).read_text()))
            continue
        with tempfile.NamedTemporaryFile(suffix=".json") as file:
            subprocess.run([python, __file__, *sys.argv[1:], "--side", file.name], check=True)
            sides.append(json.loads(Path(file.name).read_text()))
    old, new = sides
    names = [name for name in old | new if arguments.only in name]
    different = [name for name in names if old.get(name) != new.get(name)]
    for name in different:
        print(f"different: {name}\n  before: {old.get(name)}\n  after:  {new.get(name)}")
    print(f"{len(names) - len(different)} of {len(names)} models are the same, tensor by tensor")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
