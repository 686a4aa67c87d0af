"""Compare speed and memory of two installations of tagpool: the same tasks, in turns, in fresh processes.

    TAGPOOL_DATA=FOLDER python benchmarks/compare.py OLD_PYTHON NEW_PYTHON [--rounds 5] [--only NAME]

The table has the minimum CPU time of each side and the ratio new / old. Peak memory is that of the whole process.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from measure import HERE, data_folder, peak_memory

import tagpool
from tagpool.compat import pycrfsuite

Work = Callable[[], object]
Prepare = Callable[[Path], Work]
Build = Callable[[], Any]


POS = "word[-1..1]\nsuffix(word, 1..3)[0]\nlabel[-1]\nlabel[-2] & label[-1]"
BAGS = "word[0]\n[a]\nshape(word)[-1..1]\n[b]\nword[-1..1]"
CHUNKS = str(HERE / "templates" / "crfsuite.txt")


def read(name: str, columns: str) -> Any:
    """Read a corpus below the data folder."""
    data = data_folder()
    if data is None:
        raise SystemExit("set TAGPOOL_DATA to the folder of the corpora")
    return tagpool.read_corpus(data / name, columns=columns)


def chunk_train() -> Any:
    """Read CoNLL-2000."""
    return read("conll2000/train.txt.gz", "word,pos,label")


def name_train() -> Any:
    """Read CoNLL-2003."""
    return read("conll2003/eng.train.gz", "word,pos,chunk,label")


def fit(build: Build, corpus: Callable[[], Any] = name_train) -> Prepare:
    """Measure training without reading."""

    def prepare(_: Path) -> Work:
        train = corpus()
        return lambda: build().fit(train)

    return prepare


def tag(build: Build, corpus: Callable[[], Any], as_lists: bool = False) -> Prepare:
    """Measure tagging five times in a running process."""

    def prepare(_: Path) -> Work:
        train = corpus()
        model, sentences = build().fit(train), train.column("word") if as_lists else train
        model.predict(sentences)
        return lambda: [model.predict(sentences) for _ in range(5)]

    return prepare


def save_quick_model(folder: Path) -> Path:
    """Train for one epoch and save the model."""
    path = folder / "model.tagpool"
    tagpool.CRF("ner", trainer=tagpool.SGD(epochs=1)).fit(name_train()).save(path)
    return path


def start_cold(folder: Path) -> Work:
    """Measure ten processes that load a model and tag one sentence."""
    code = f"import tagpool; tagpool.load({str(save_quick_model(folder))!r}).predict([['Ann', 'moved', 'to', 'Oslo']])"
    return lambda: [subprocess.run([sys.executable, "-c", code], check=True) for _ in range(10)]


def tag_file(folder: Path) -> Work:
    """Measure the command on a JSONL file."""
    words = folder / "words.jsonl"
    words.write_text("".join(json.dumps({"tokens": list(s.words)}) + "\n" for s in name_train()))
    arguments = ["-m", "tagpool", "tag", save_quick_model(folder), words, "-o", folder / "tagged.jsonl"]
    return lambda: subprocess.run([sys.executable, *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)


def drop_in_sentences() -> list[tuple[list[list[str]], list[str]]]:
    """Return attributes and labels of CoNLL-2000, as users of python-crfsuite write them."""
    train = chunk_train()
    rows = zip(train.column("word"), train.column("pos"), train.labels, strict=True)
    return [([[f"w={w}", f"p={p}", f"s={w[-3:]}"] for w, p in zip(ws, ps, strict=True)], ls) for ws, ps, ls in rows]


def train_drop_in(c1: float) -> Prepare:
    """Measure training through the python-crfsuite drop-in."""

    def prepare(folder: Path) -> Work:
        sentences = drop_in_sentences()

        def train() -> None:
            trainer = pycrfsuite.Trainer("lbfgs", {"c1": c1, "c2": 1.0, "max_iterations": 40}, verbose=False)
            for attributes, labels in sentences:
                trainer.append(attributes, labels)
            trainer.train(str(folder / "model.crfsuite"))

        return train

    return prepare


def tag_drop_in(folder: Path) -> Work:
    """Measure tagging through the python-crfsuite drop-in."""
    train_drop_in(0.0)(folder)()
    tagger = pycrfsuite.Tagger()
    tagger.open(str(folder / "model.crfsuite"))
    sentences = [attributes for attributes, _ in drop_in_sentences()]
    return lambda: [tagger.tag(attributes) for attributes in sentences]


def bagging() -> Any:
    """Return an unfitted bagging pool; version 0.1 has another name for it."""
    kind = tagpool.BaggingPool if hasattr(tagpool, "BaggingPool") else tagpool.FeatureBagging
    return kind(tagpool.CRF(BAGS))


def quick() -> Any:
    """Return an unfitted CRF with one epoch."""
    return tagpool.CRF("ner", trainer=tagpool.SGD(epochs=1))


TASKS: dict[str, Prepare] = {
    "read": lambda _: name_train,
    "chunks, SGD": fit(lambda: tagpool.CRF(CHUNKS, l2=0.3, pairs="observed"), chunk_train),
    "names, SGD": fit(lambda: tagpool.CRF("ner", l2=2.0)),
    "names, dropout": fit(lambda: tagpool.CRF("ner", trainer=tagpool.SGD(epochs=3, dropout=0.3))),
    "chunks, L-BFGS": fit(lambda: tagpool.CRF(CHUNKS, trainer=tagpool.LBFGS(iterations=15)), chunk_train),
    "names, L-BFGS": fit(lambda: tagpool.CRF("ner", trainer=tagpool.LBFGS(iterations=10))),
    "chunks, OWL-QN": fit(lambda: tagpool.CRF(CHUNKS, l1=0.5, trainer=tagpool.OWLQN(iterations=10)), chunk_train),
    "names, MaxEnt, FOBOS": fit(lambda: tagpool.MaxEnt("ner", trainer=tagpool.FOBOS(epochs=3))),
    "names, perceptron": fit(lambda: tagpool.CRF("ner", trainer=tagpool.Perceptron(epochs=3))),
    "names, elitist pool": fit(lambda: tagpool.ElitistPool("ner", epochs=3, step=0.1)),
    "names, bagging": fit(bagging),
    "chunks, inducing": fit(lambda: tagpool.InducingTagger(POS, epochs=3), chunk_train),
    "names, tagging a corpus": tag(quick, name_train),
    "names, tagging lists": tag(quick, name_train, as_lists=True),
    "chunks, inducing, tagging": tag(lambda: tagpool.InducingTagger(POS, epochs=1), chunk_train),
    "cold start": start_cold,
    "tagpool tag": tag_file,
    "drop-in, training": train_drop_in(0.0),
    "drop-in, training, l1": train_drop_in(0.1),
    "drop-in, tagging": tag_drop_in,
}


def run_side(name: str) -> None:
    """Run one task with the installed tagpool; print its CPU time and peak memory as JSON."""
    with tempfile.TemporaryDirectory() as folder:
        work = TASKS[name](Path(folder))
        begun, children = time.process_time(), _children()
        work()
        cpu = time.process_time() - begun + _children() - children
    print(json.dumps({"cpu": cpu, "peak": peak_memory()}))


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Compare, or run one task as one of the two sides."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", help="Python interpreter of the first installation")
    parser.add_argument("new", help="Python interpreter of the second installation")
    parser.add_argument("--rounds", type=int, default=5, help="runs of each task on each side (default: 5)")
    parser.add_argument("--only", default="", help="run only tasks whose name contains this text")
    parser.add_argument("--task", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.task:
        run_side(arguments.task)
        return
    print("| task | old, CPU s | new, CPU s | new / old | peak memory, new / old |\n|---|---|---|---|---|")
    for name in TASKS:
        if arguments.only not in name:
            continue
        best: dict[str, dict[str, float]] = {}
        for _ in range(arguments.rounds):
            for python in (arguments.old, arguments.new):
                command = [python, __file__, "x", "x", "--task", name]
                result = json.loads(
                    subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()[-1]
                )
                best[python] = {key: min(value, best.get(python, result)[key]) for key, value in result.items()}
        old, new = best[arguments.old], best[arguments.new]
        ratios = f"{new['cpu'] / old['cpu']:.2f} | {new['peak'] / old['peak']:.2f}"
        print(f"| {name} | {old['cpu']:.3f} | {new['cpu']:.3f} | {ratios} |", flush=True)


if __name__ == "__main__":
    main()
