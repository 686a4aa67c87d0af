"""The operations whose events fail: calls of the library and commands, on a small corpus."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import tagpool
from operation import FOLDERS, Call, Command
from tagpool import CRF, BaggingPool, Checkpoint, Corpus, ElitistPool, InducingTagger, MaxEnt, TwoStageTagger, VotePool
from tagpool.compat import pycrfsuite
from tagpool.experts.saving import SaveOptions

TEMPLATES = "word[-1..1]\nshape(word)[0]\nsuffix(word, 1..2)[0]\nlabel[-1]"
PLAIN = "word[-1..0]\nshape(word)[0]"
BAGS = "word[0]\n[shapes]\nshape(word)[-1..1]\n[endings]\nsuffix(word, 1..2)[0]\n"
CHECKPOINT = "run"
WHOLE = SaveOptions()


@functools.cache
def sentences(count: int = 8) -> Corpus:
    """Return sentences with documents."""
    corpus = tagpool.builtin_corpus(count)
    columns = {"word": corpus.words, "label": corpus.labels}
    return Corpus.from_columns(columns, documents=range(0, len(corpus), 3))


def prepare(folder: Path) -> None:
    """Write the inputs of all operations."""
    for name in FOLDERS:
        (folder / name).mkdir()
    inputs = folder / "in"
    corpus = sentences()
    tagpool.write_corpus(corpus, inputs / "train.conll")
    tagpool.write_corpus(corpus, inputs / "train.jsonl")
    tagpool.write_corpus(corpus, inputs / "train.conll.gz")
    tagpool.write_corpus(sentences(4), inputs / "dev.conll")
    for name, templates in (("a", PLAIN), ("b", "shape(word)[0]")):
        model = CRF(templates, trainer="perceptron").fit(corpus)
        model.save(inputs / f"{name}.tagpool")
        model.save(inputs / f"{name}.small", names=False)
        predicted = Corpus.from_columns({"word": corpus.words, "label": model.predict(corpus)})
        tagpool.write_corpus(predicted, inputs / f"{name}.conll")
    InducingTagger(PLAIN, epochs=2).fit(corpus).save(inputs / "inducing.tagpool")
    BaggingPool(CRF(BAGS, trainer="perceptron")).fit(corpus).save(inputs / "bagging.tagpool")
    experts = {name: tagpool.read_corpus(inputs / f"{name}.conll").labels for name in ("a", "b")}
    VotePool().fit(experts, corpus.labels).save(inputs / "votes.pool")
    train_crfsuite(inputs, "lbfgs", inputs / "model.crfsuite")()
    (inputs / "bags.txt").write_text(BAGS)
    (inputs / "templates.txt").write_text(TEMPLATES)


def fit(make: Callable[[], Any], count: int = 8) -> Callable[[Path], Callable[[], bytes]]:
    """Return an operation that trains a learner."""

    def begin(_: Path) -> Callable[[], bytes]:
        corpus, dev = sentences(count), sentences(4)
        return lambda: bytes(make().fit(corpus, dev=dev).to_bytes(WHOLE))

    return begin


def refit(_: Path) -> Callable[[], bytes]:
    """Train a tagger that was trained before: a failure leaves the old model."""
    corpus = sentences()
    tagger = CRF(PLAIN, trainer="perceptron").fit(corpus)
    before = tagger.to_bytes(WHOLE)

    def run() -> bytes:
        try:
            return bytes(tagger.fit(corpus).to_bytes(WHOLE))
        finally:
            assert tagger.to_bytes(WHOLE) == before

    return run


def fit_with_checkpoint(folder: Path) -> Callable[[], bytes]:
    """Train with a checkpoint in ``out/run``, continuing the last training, and remove it."""
    corpus = sentences()

    def run() -> bytes:
        checkpoint = Checkpoint(folder / "out" / CHECKPOINT, every=0)
        model = CRF(PLAIN, trainer=tagpool.SGD(epochs=2)).fit(corpus, checkpoint=checkpoint).to_bytes(WHOLE)
        checkpoint.remove()
        return bytes(model)

    return run


def save(name: str) -> Callable[[Path], Callable[[], Any]]:
    """Return an operation that writes a model."""

    def begin(folder: Path) -> Callable[[], None]:
        model = tagpool.load(folder / "in" / name)
        return lambda: model.save(folder / "out" / "model")

    return begin


def load(*names: str, mmap: bool = False) -> Callable[[Path], Callable[[], Any]]:
    """Return an operation that reads models and tags with them."""

    def begin(folder: Path) -> Callable[[], list[Any]]:
        corpus = sentences()
        return lambda: [tagpool.load(folder / "in" / name, mmap=mmap).predict(corpus) for name in names]

    return begin


def tag(name: str) -> Callable[[Path], Callable[[], Any]]:
    """Return an operation that tags with one model in several ways."""

    def begin(folder: Path) -> Callable[[], list[Any]]:
        model, corpus = tagpool.load(folder / "in" / name).set_params(threads=2), sentences()
        words = [list(sentence) for sentence in corpus.words]

        def run() -> list[Any]:
            labels = [model.predict(corpus), model.predict(words), model.score(corpus)]
            if not model.has_probabilities:
                return labels
            best = [str(lattice.best_n(2)) for lattice in model.lattices(corpus)]
            return [*labels, best, [array.tobytes() for array in model.predict_marginals(corpus)], str(model.explain(words[0]))]

        return run

    return begin


def votes(folder: Path) -> Callable[[], Any]:
    """Fit a pool of votes with several methods, and apply it."""
    gold = sentences()
    experts = {name: tagpool.read_corpus(folder / "in" / f"{name}.conll").labels for name in ("a", "b")}
    methods = ("mvote", "cv", "fpl", "espboost", "sle")
    return lambda: [VotePool(method).fit(experts, gold.labels).predict(experts) for method in methods]


def corpus_files(folder: Path) -> Callable[[], Any]:
    """Read a corpus in three formats, and write it compressed."""

    def run() -> list[Any]:
        read = [tagpool.read_corpus(folder / "in" / f"train.{suffix}") for suffix in ("conll", "jsonl", "conll.gz")]
        labels = [corpus.labels for corpus in read]
        tagpool.write_corpus(read[0], folder / "out" / "corpus.gz", format="conll")  # last: an error leaves the old file
        return labels

    return run


def train_crfsuite(_: Path, algorithm: str, model: Path) -> Callable[[], None]:
    """Train through the python-crfsuite drop-in."""
    corpus = sentences()

    def run() -> None:
        trainer = pycrfsuite.Trainer(algorithm, verbose=False)
        for words, labels in zip(corpus.words, corpus.labels, strict=True):
            trainer.append([{"w": word, word[-2:]: 2.0} for word in words], list(labels))
        trainer.set_params({"max_iterations": 3})
        trainer.train(str(model))

    return run


def tag_crfsuite(folder: Path) -> Callable[[], Any]:
    """Tag through the python-crfsuite drop-in, with an open tagger and with a new one."""
    features = [[{"w": word, word[-2:]: 2.0} for word in words] for words in sentences().words]
    other = pycrfsuite.Tagger()
    other.open(str(folder / "in" / "model.crfsuite"))

    def run() -> list[Any]:
        tagger = pycrfsuite.Tagger()
        with tagger.open(str(folder / "in" / "model.crfsuite")):
            new = [tagger.tag(sentence) for sentence in features]
        other.set([["w=a"], ["w=b"]])
        return [
            new,
            [other.tag(sentence) for sentence in features],
            other.marginal(other.labels()[0], 0),
            other.info().transitions,
        ]

    return run


TRAIN = "train --train {in}/train.conll --dev {in}/dev.conll --model {out}/model"
SHORT = "--features {in}/templates.txt --set learner.trainer.epochs=2"

OPERATIONS: dict[str, Call | Command] = {
    "fit: sgd": Call(fit(lambda: CRF(TEMPLATES, trainer=tagpool.SGD(epochs=2, dropout=0.1)))),
    "fit: sgd, two threads": Call(fit(lambda: CRF(TEMPLATES, trainer=tagpool.SGD(epochs=2, batch=4), threads=2))),
    "fit: lbfgs": Call(fit(lambda: CRF(TEMPLATES, trainer=tagpool.LBFGS(iterations=3), threads=2))),
    "fit: owlqn": Call(fit(lambda: CRF(PLAIN, l1=0.1, trainer=tagpool.OWLQN(iterations=3)))),
    "fit: fobos": Call(fit(lambda: CRF(PLAIN, l1=0.1, trainer=tagpool.FOBOS(epochs=2)))),
    "fit: maxent": Call(fit(lambda: MaxEnt(PLAIN, trainer=tagpool.LBFGS(iterations=3)))),
    "fit: inducing": Call(fit(lambda: InducingTagger(PLAIN, epochs=2))),
    "fit: bagging": Call(fit(lambda: BaggingPool(CRF(BAGS, trainer="perceptron"), weights="dev", threads=2))),
    "fit: elitist": Call(fit(lambda: ElitistPool(PLAIN, experts=2, epochs=2))),
    "fit: two-stage": Call(fit(lambda: TwoStageTagger(CRF(PLAIN, trainer="perceptron"), folds=2), count=12)),
    "fit again": Call(refit),
    "fit with a checkpoint": Call(fit_with_checkpoint, folder=CHECKPOINT),
    "save": Call(save("a.tagpool"), "model"),
    "save: pool": Call(save("bagging.tagpool"), "model"),
    "load": Call(load("a.tagpool", "a.small", "inducing.tagpool")),
    "load: mapped": Call(load("a.tagpool", mmap=True)),
    "load: pool": Call(load("bagging.tagpool")),
    "tag": Call(tag("a.tagpool")),
    "tag: inducing": Call(tag("inducing.tagpool")),
    "read and write corpora": Call(corpus_files, "corpus.gz"),
    "votes": Call(votes),
    "crfsuite: train lbfgs": Call(lambda folder: train_crfsuite(folder, "lbfgs", folder / "out" / "model"), "model"),
    "crfsuite: train l2sgd": Call(lambda folder: train_crfsuite(folder, "l2sgd", folder / "out" / "model"), "model"),
    "crfsuite: train arow": Call(lambda folder: train_crfsuite(folder, "arow", folder / "out" / "model"), "model"),
    "crfsuite: tag": Call(tag_crfsuite),
    "$ train": Command(f"{TRAIN} {SHORT} --threads 2", "model"),
    "$ train, pool": Command(
        f"{TRAIN} --learner bagging --features {{in}}/bags.txt --set learner.expert.trainer.epochs=2 --threads 2", "model"
    ),
    "$ train, checkpoint": Command(
        f"{TRAIN} {SHORT} --checkpoint {{out}}/run --every 0", "model", folder=CHECKPOINT, resume="train --resume {out}/run"
    ),
    "$ tag": Command("tag {in}/a.tagpool {in}/train.conll -o {out}/tagged", "tagged"),
    "$ tag, jsonl": Command("tag {in}/a.tagpool {in}/train.jsonl -o {out}/tagged --threads 2", "tagged"),
    "$ tag, stdout": Command("tag {in}/a.tagpool - --format conll", stdin="train.conll"),
    "$ tag, stdout, unbuffered": Command("tag {in}/a.tagpool {in}/train.conll", unbuffered=True),
    "$ convert": Command("convert {in}/train.conll -o {out}/corpus.jsonl --scheme bioes", "corpus.jsonl"),
    "$ convert, stdout": Command("convert {in}/train.jsonl --to conll"),
    "$ convert crfsuite": Command("convert {in}/model.crfsuite -o {out}/model --to tagpool", "model"),
    "$ convert to crfsuite": Command("convert {in}/a.tagpool -o {out}/model --to crfsuite", "model"),
    "$ pool fit": Command("pool fit --gold {in}/train.conll {in}/a.conll {in}/b.conll --model {out}/pool", "pool"),
    "$ pool apply": Command("pool apply {in}/votes.pool {in}/a.conll {in}/b.conll --output {out}/pooled", "pooled"),
}
