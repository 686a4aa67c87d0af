"""Parallel work for ThreadSanitizer, which tools/find_races.py runs: ``race_scenarios.py NAME THREADS`` runs one scenario.

Only threads of tagpool and of Python are started here; results are checked by other tests.
"""

from __future__ import annotations

import contextlib
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import tagpool as t
from tagpool import _native
from tagpool.compat import pycrfsuite, sklearn_crfsuite
from tagpool.tagging.labeller import Labeller

WINDOW = "word[-1..1]\nsuffix(word, 1..3)[0]"
BAGS = "word[-1..1]\n[shapes]\nshape(word)[-1..1]\n[endings]\nsuffix(word, 1..3)[0]\n"
TRANSITIONS = f"{WINDOW}\nlabel[-1] & word[0]"
RICH = f"{BAGS}ngrams(word, 2..3)[0]\ncasing(word)[0]\nelsewhere(word)[0]\ngazetteer(cities)[0]\nembedding(vectors)[0]"
SCENARIOS: dict[str, Callable[[int], None]] = {}


def scenario(work: Callable[[int], None]) -> Callable[[int], None]:
    """Register a scenario, a function of the number of threads."""
    SCENARIOS[work.__name__] = work
    return work


def at_once(*works: Callable[[], object]) -> None:
    """Run each work in its own Python thread, beginning together; raise the first error."""
    barrier, errors = threading.Barrier(len(works)), []

    def run(work: Callable[[], object]) -> None:
        barrier.wait()
        try:
            work()
        except BaseException as error:
            errors.append(error)

    started = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in started:
        thread.start()
    for thread in started:
        thread.join()
    if errors:
        raise errors[0]


def corpus(count: int = 60, seed: int = 1) -> t.Corpus:
    """Sentences, several of which form a document."""
    plain = t.builtin_corpus(count, seed=seed)
    return t.Corpus.from_columns({"word": plain.words, "label": plain.labels}, documents=range(0, len(plain), 10))


def items(sentences: t.Corpus) -> list[tuple[list[dict[str, Any]], list[str]]]:
    """Items and labels of each sentence, as python-crfsuite expects them."""
    rows = zip(sentences.words, sentences.labels, strict=True)
    return [([{"w": word, "low": word.lower(), "caps": word[0].isupper()} for word in words], list(tags)) for words, tags in rows]


def fit(learner: Any, *, dev: bool = True) -> Any:
    """Train, with the score on a dev set after each epoch, and tag."""
    learner.fit(corpus(), dev=corpus(20, seed=2) if dev else None)
    learner.predict(corpus(20, seed=3))
    return learner


@scenario
def planted_in_a_pool(threads: int) -> None:
    """A race between threads of tagpool, which must be found."""
    _native.race(threads, 1)


@scenario
def planted_between_callers(threads: int) -> None:
    """A race between Python threads, which must be found."""
    at_once(*[lambda: _native.race(1, threads)] * threads)


@scenario
def sgd(threads: int) -> None:
    fit(t.CRF(WINDOW, threads=threads, trainer=t.SGD(epochs=3)))
    fit(t.MaxEnt(WINDOW, threads=threads, pairs="observed", class_weight="balanced", trainer=t.SGD(epochs=2, step=0.1, batch=4)))
    fit(t.CRF(TRANSITIONS, threads=threads, trainer=t.SGD(epochs=2)))


@scenario
def dropout(threads: int) -> None:
    for drop in ("features", "templates", "bags"):
        fit(t.CRF(BAGS, threads=threads, trainer=t.SGD(epochs=2, dropout=0.3, drop=drop)), dev=False)
    fit(t.CRF(TRANSITIONS, threads=threads, trainer=t.SGD(epochs=2, dropout=0.3)), dev=False)


@scenario
def lbfgs(threads: int) -> None:
    for templates in (WINDOW, TRANSITIONS):
        fit(t.CRF(templates, threads=threads, trainer=t.LBFGS(iterations=6)))
    fit(t.MaxEnt(WINDOW, threads=threads, pairs="observed", trainer=t.LBFGS(iterations=6, warm_up=0)))


@scenario
def owlqn(threads: int) -> None:
    for learner in (t.CRF, t.MaxEnt):
        fit(learner(WINDOW, l1=0.5, l2=0.1, threads=threads, trainer=t.OWLQN(iterations=6)))


@scenario
def fobos(threads: int) -> None:
    fit(t.CRF(WINDOW, threads=threads, l1=0.1, trainer=t.FOBOS(epochs=2)))
    fit(t.MaxEnt(TRANSITIONS.rsplit("\n", 1)[0], threads=threads, trainer=t.FOBOS(epochs=2, penalty="group", strength=0.1)))


@scenario
def perceptron(threads: int) -> None:
    fit(t.CRF(TRANSITIONS, threads=threads, trainer=t.Perceptron(epochs=2)))
    fit(t.MaxEnt(WINDOW, threads=threads, trainer=t.Perceptron(epochs=2)))


@scenario
def inducing(threads: int) -> None:
    fit(t.InducingTagger(f"{WINDOW}\nlabel[-1]\nlabel[-2] & label[-1]", epochs=2, beam=2, slots=5000, threads=threads))
    fit(t.InducingTagger("pos", epochs=2, threads=threads), dev=False)


@scenario
def elitist(threads: int) -> None:
    fit(t.ElitistPool(WINDOW, expert="crf", epochs=2, threads=threads))
    fit(t.ElitistPool(WINDOW, expert="maxent", penalty="l1", weights="learned", epochs=2, threads=threads))
    fit(t.ElitistPool(WINDOW, exact=False, experts=2, mu=0.3, epochs=2, threads=threads))


@scenario
def bagging(threads: int) -> None:
    crf = t.CRF(BAGS, trainer=t.SGD(epochs=2))
    fit(t.BaggingPool(crf, combine="sequence-product", weights="likelihood", threads=threads))
    fit(t.BaggingPool(crf, combine="transition-product", bags=t.RandomParts(4), threads=threads))
    fit(t.BaggingPool(crf, combine="sequence-mixture", weights="em", threads=threads))
    fit(
        t.BaggingPool(t.CRF(WINDOW, trainer=t.LBFGS(iterations=3)), bags=t.LabelWise(), weights="kfold", threads=threads),
        dev=False,
    )
    fit(t.BaggingPool(t.MaxEnt(WINDOW, trainer=t.SGD(epochs=1)), bags="auto", threads=threads))


@scenario
def opinion_and_two_stages(threads: int) -> None:
    members = [t.CRF(WINDOW, trainer=t.SGD(epochs=2)).fit(corpus()), t.MaxEnt(BAGS, trainer=t.SGD(epochs=2)).fit(corpus())]
    pool = t.OpinionPool(members, threads=threads)
    pool.predict_proba(corpus(20, seed=4))
    at_once(*[lambda: pool.predict(corpus(20, seed=5))] * threads)
    fit(t.TwoStageTagger(t.CRF(WINDOW, trainer=t.SGD(epochs=2)), folds=2, threads=threads), dev=False)


def rich_model(threads: int) -> Any:
    """A model whose templates use documents, lists and vectors."""
    cities, vectors = t.Gazetteer({"city": ["New York", "Oslo"]}), t.Embeddings(["Ann", "to"], [[1.0, 0.5], [0.0, 2.0]])
    resources = {"cities": cities, "vectors": vectors}
    return t.CRF(RICH, resources=resources, threads=threads, trainer=t.SGD(epochs=1)).fit(corpus())


@scenario
def tagging(threads: int) -> None:
    text = corpus(200, seed=6)
    history = t.InducingTagger("word[0]\nlabel[-1]", epochs=1, threads=threads).fit(corpus())
    transitions = t.CRF(TRANSITIONS, threads=threads, trainer=t.SGD(epochs=1)).fit(corpus())
    for model in (rich_model(threads), transitions, history):
        model.predict(text)
        model.predict(text.words)
    for model in (rich_model(threads), transitions):
        model.predict_proba(text)
        Labeller(model, nbest=2, probabilities=True).readings(text.native)


@scenario
def shared_model(threads: int) -> None:
    """Python threads tag with one model, inspect and save it, while others train on the corpus that it tags."""
    text = corpus(40, seed=7)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        rich_model(threads).save(path)
        fitted, loaded, mapped = rich_model(threads), t.load(path), t.load(path, mmap=True)
        for model in (fitted, loaded, mapped):
            at_once(
                *[lambda model=model: model.predict(text)] * threads,
                lambda model=model: model.predict_proba(text),
                lambda model=model: model.predict_marginals(text),
                lambda model=model: model.explain(text.words[0]),
                lambda model=model: str(model.describe(top=3)),
                lambda model=model: model.save(Path(folder) / "copy"),
                lambda: t.load(path).predict(text),
                lambda: t.CRF(WINDOW, threads=threads, trainer=t.SGD(epochs=2)).fit(text),
                lambda: t.MaxEnt(WINDOW, trainer=t.LBFGS(iterations=3)).fit(text),
            )
        inducing_tagger = t.InducingTagger(f"{WINDOW}\nlabel[-1]", epochs=2, threads=threads).fit(text)
        at_once(
            *[lambda: inducing_tagger.predict(text)] * threads,
            lambda: str(inducing_tagger.describe(top=3)),
            lambda: t.InducingTagger(WINDOW, epochs=1).fit(text),
        )


@scenario
def drop_in(threads: int) -> None:
    """The drop-in of python-crfsuite trains with every algorithm at the same time, and tags from several threads."""
    train, text = items(corpus(40)), items(corpus(20, seed=8))
    models: dict[str, bytes] = {}

    def fit_one(name: str, algorithm: str, **parameters: Any) -> None:
        trainer = pycrfsuite.Trainer(algorithm, parameters, verbose=False)
        for number, (sequence, labels) in enumerate(train):
            trainer.append(sequence, labels, number % 2)
        trainer.train("", holdout=1)
        models[name] = trainer.trained()

    for search in ("MoreThuente", "StrongBacktracking"):
        fit_one(search, "lbfgs", max_iterations=5, linesearch=search, **{"tagpool.threads": threads})
    fit_one("owlqn", "lbfgs", max_iterations=5, c1=0.5, **{"tagpool.threads": threads})
    at_once(
        lambda: fit_one("lbfgs", "lbfgs", max_iterations=5, **{"tagpool.threads": threads}),
        lambda: fit_one("l2sgd", "l2sgd", max_iterations=3),
        *[lambda name=name: fit_one(name, name, max_iterations=3) for name in ("ap", "pa", "arow")],
    )

    def tag(tagger: Any) -> None:
        for sequence, labels in text:
            tagger.set(sequence)
            tagger.tag()
            tagger.marginals()
            tagger.probability(["O"] * len(labels))

    def tag_with_own(name: str) -> None:
        tagger = pycrfsuite.Tagger()
        tagger.open_inmemory(models[name])
        tag(tagger)
        tagger.info()

    shared = pycrfsuite.Tagger()
    shared.open_inmemory(models["ap"])
    sequences = [sequence for sequence, _ in text]
    estimator = sklearn_crfsuite.CRF(max_iterations=3).fit([sequence for sequence, _ in train], [labels for _, labels in train])
    at_once(
        *[lambda: estimator.predict(sequences)] * threads,
        lambda: estimator.predict_marginals(sequences),
        lambda: sklearn_crfsuite.CRF("l2sgd", max_iterations=2).fit(sequences, [labels for _, labels in text]),
        *[lambda name=name: tag_with_own(name) for name in models],
        *[lambda: [shared.tag(sequence) for sequence in sequences]] * threads,
    )


@scenario
def shared_trainer(threads: int) -> None:
    """One trainer of the drop-in is used by several threads: instances that come during a training are refused."""
    train = items(corpus(30))
    for algorithm in ("lbfgs", "l2sgd", "ap"):
        trainer = pycrfsuite.Trainer(algorithm, {"max_iterations": 5}, verbose=False)

        def append(trainer: Any = trainer) -> None:
            for sequence, labels in train * 3:
                with contextlib.suppress(t.InputError):
                    trainer.append(sequence, labels)

        append()
        at_once(*[trainer.trained] * threads, append)


@scenario
def encoding(threads: int) -> None:
    """Python threads encode with one encoder, and fit encoders on one corpus."""
    text = corpus(40, seed=9)
    encoder = t.Encoder(TRANSITIONS, history=True).fit(corpus())
    by_name = t.GivenEncoder()
    by_name.fit_transform([sequence for sequence, _ in items(corpus())])
    at_once(
        *[lambda: encoder.transform(text)] * threads,
        *[lambda: t.Encoder(BAGS).fit_transform(text)] * threads,
        *[lambda: by_name.transform([sequence for sequence, _ in items(text)])] * threads,
        lambda: encoder.feature_names,
        lambda: encoder.describe(text, 0),
    )


@scenario
def clusters(threads: int) -> None:
    text = corpus(100, seed=10)
    at_once(*[lambda: t.Clusters.brown(text, k=20)] * threads)


@scenario
def votes(threads: int) -> None:
    gold = corpus(60, seed=11).labels
    experts = {"gold": gold, "other": [["O"] * len(row) for row in gold], "late": [["O", *row[:-1]] for row in gold]}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pool"
        shared = t.VotePool("mvote", calibrate=True).fit(experts, gold)
        shared.save(path)
        works = [
            lambda method=method: t.VotePool(method).fit(experts, gold).predict(experts)
            for method in ("rand", "cv", "espboost", "sle")
        ]
        at_once(
            *works,
            *[lambda: shared.predict_with_confidence(experts)] * threads,
            *[lambda: t.load(path).predict(experts)] * threads,
        )


@scenario
def checkpoints(threads: int) -> None:
    """Trainers that write their state after every epoch."""
    with tempfile.TemporaryDirectory() as folder:
        for number, trainer in enumerate((t.SGD(epochs=2), t.LBFGS(iterations=3), t.FOBOS(epochs=2))):
            checkpoint = t.Checkpoint(Path(folder) / str(number), every=0)
            t.CRF(WINDOW, threads=threads, trainer=trainer).fit(corpus(30), checkpoint=checkpoint)
        pool = t.BaggingPool(t.CRF(BAGS, trainer=t.SGD(epochs=2)), threads=threads)
        pool.fit(corpus(30), checkpoint=t.Checkpoint(Path(folder) / "pool", every=0))


if __name__ == "__main__":
    SCENARIOS[sys.argv[1]](int(sys.argv[2]))
