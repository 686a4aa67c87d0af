"""Use of hostile model files in child processes with limited memory and time."""

from __future__ import annotations

import contextlib
import os
import pickle
import random
import resource
import signal
import tempfile
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from oracles.crfsuite import written
from oracles.mutants import bombs, mutate

import tagpool
from tagpool import (
    CRF,
    SGD,
    BaggingPool,
    Corpus,
    ElitistPool,
    InducingTagger,
    MaxEnt,
    OpinionPool,
    StackedPool,
    TwoStageTagger,
    UnsupervisedPool,
    VotePool,
)
from tagpool.cli.model_conversion import read_model
from tagpool.compat.conversion import from_expert
from tagpool.compat.pycrfsuite.tagger import Tagger as CrfsuiteTagger
from tagpool.experts.saving import SaveOptions
from tagpool.features.embeddings import Embeddings
from tagpool.features.resources import AmbiguityClasses, Clusters, Gazetteer
from tagpool.pools.votes.automaton import Automaton

TEMPLATES = """
word[-1..1]
shape(word, short)[0] & lower(word)[-1]
suffix(word, 1..2)[0]
ngrams(word, 2..3, edges)[0]
orthography(word)[0]
digits(word)[0] & word[1]
disjunction(lower(word), -2..2)[0]
capitals(word, -1..1)[0]
casing(word)[0]
run(word)[0]
headline(word)[0]
elsewhere(casing(word), joined)[0]
elsewhere(word)[-1]
position[0]
bias[0]
[lexicons]
gazetteer(places)[-1..0]
cluster(brown, 2)[0]
ambiguity(classes)[0]
embedding(vectors)[0]
"""
RESOURCES = {
    "places": Gazetteer({"cities": ["Oslo", "New York"], "rivers": ["Nile"]}),
    "brown": Clusters({"moved": "0110", "to": "0111", "lives": "0100"}),
    "classes": AmbiguityClasses({"moved": "VBD_VBN", "to": "TO"}),
    "vectors": Embeddings(["moved", "to"], [[1.0, 0.5], [0.0, 2.0]]),
}
SENTENCES = [["Ann", "moved", "to", "New", "York", "."], ["Oslo"], ["In", "1999", "it", "rained", "on", "the", "Nile"]]
GIVEN = [[{"w": "Ann", "caps": True, "n": 2.5}, ["w:left", "small"]], [["w:Rain"]]]


def files() -> dict[str, bytes]:
    """A file of every kind of model."""
    corpus = tagpool.builtin_corpus(40, seed=3)
    documents = Corpus.from_columns({"word": corpus.words, "label": corpus.labels}, documents=range(0, len(corpus), 8))
    fast = SGD(epochs=2)
    crf = CRF(TEMPLATES, resources=RESOURCES, trainer=fast).fit(documents)
    transitions = CRF("word[0]\nlabel[-1] & word[0]", pairs="observed", trainer=fast).fit(corpus)
    inducing = InducingTagger("word[-1..0]\nlabel[-1]\nlabel[-2] & label[-1]\nlabel[-1] & word[0]", slots=5000, epochs=3, beam=2)
    maxent = MaxEnt("word[0]\nshape[0]", pairs="observed", trainer=fast).fit(corpus)
    bagged = BaggingPool(CRF("[a]\nword[0]\n[b]\nshape[0]", trainer=fast), combine="transition-product").fit(corpus)
    votes = {"one": [["A", "B"], ["B", "A"]] * 8, "two": [["A", "A"], ["B", "B"]] * 8}
    automaton = Automaton([("s", "a", 0), ("s", "b", 1), ("a", "end", 0), ("a", "end", 1), ("b", "end", 1)])
    taggers: dict[str, Any] = {
        "crf": crf,
        "transitions": transitions,
        "maxent": maxent,
        "given": CRF(trainer=fast).fit(GIVEN, [["PER", "O"], ["O"]]),
        "inducing": inducing.fit(corpus),
        "inducing given": InducingTagger(epochs=2).fit(GIVEN, [["PER", "O"], ["O"]]),
        "elitist": ElitistPool("word[0]\nshape[0]", expert="crf", epochs=2).fit(corpus),
        "bagging": bagged,
        "opinion": OpinionPool([maxent, OpinionPool([transitions, bagged])]),
        "two stages": TwoStageTagger(MaxEnt("word[0]", trainer=fast), folds=2).fit(documents),
    }
    blocks = {name: tagger.to_bytes(SaveOptions()) for name, tagger in taggers.items()}
    blocks["small"] = crf.to_bytes(SaveOptions(half=True, prune=0.01))
    for name, pool in {
        "votes": VotePool("rand", key="label", calibrate=True),
        "scheme": VotePool(key="position", scheme="bio2"),
        "automaton": VotePool(automaton=automaton),
    }.items():
        with tempfile.TemporaryDirectory() as folder:
            pool.fit(votes, votes["one"]).save(Path(folder) / "pool")
            blocks[name] = (Path(folder) / "pool").read_bytes()
    names = {"one": corpus.labels, "two": [["O"] * len(row) for row in corpus.labels]}
    blocks["stacked"] = StackedPool(l2=1.0, folds=2).fit(names, corpus).to_bytes()
    blocks["unsupervised"] = UnsupervisedPool("dawid-skene").fit(names).to_bytes()
    blocks["crfsuite"] = written(["A", "B", "C"], ["a", "b", "word=the dog"], [0.5, -1.0, 0.0] * 3, [0.25] * 9)
    return blocks


@contextlib.contextmanager
def errors_allowed() -> Iterator[None]:
    """A TagpoolError is the right end for a hostile file, but not one about memory: the limit of a file was exceeded."""
    try:
        yield
    except tagpool.OutOfMemoryError:
        raise
    except tagpool.TagpoolError:
        pass


def use(path: Path) -> None:
    """Load a model, and call everything that reads it."""
    if path.read_bytes()[:4] == b"lCRF":
        use_crfsuite(path)
        return
    model: Any = tagpool.load(path)
    if isinstance(model, VotePool):
        steps = [
            lambda: model.predict({"one": [["A", "B"]], "two": [["B", "B"]]}),
            lambda: model.predict_with_confidence({"one": [["A", "B"]], "two": [["B", None]]}),
            lambda: str(model.describe()),
        ]
    elif isinstance(model, StackedPool | UnsupervisedPool):
        experts: Any = {"one": [["O", "B-PER"], []], "two": [["O", None], None]}
        words = [["in", "Oslo"], []]
        steps = [
            lambda: model.predict_with_confidence(experts, words=words),
            lambda: isinstance(model, UnsupervisedPool) or model.predict_spans(experts, words=words),
            lambda: isinstance(model, UnsupervisedPool) or model.threshold(0.9),
            lambda: str(model.describe()),
            lambda: model.to_bytes(),
        ]
    else:
        sentences: Any = GIVEN if model.takes_features else SENTENCES
        corpus = None if model.takes_features else Corpus.from_columns({"word": SENTENCES}, documents=[0])
        steps = [
            lambda: model.predict(sentences),
            lambda: corpus is None or model.predict(corpus),
            lambda: model.predict_marginals(sentences),
            lambda: model.explain(sentences[0]),
            lambda: str(model.describe(top=3)),
            lambda: model.columns,
            lambda: model.summary_,
            lambda: model.without(templates="word[0]").predict(sentences),
            lambda: model.to_bytes(SaveOptions()),
            lambda: model.to_bytes(SaveOptions(half=True, prune=0.01)),
            lambda: pickle.loads(pickle.dumps(model)),
            lambda: model.merge().predict(sentences),
            lambda: from_expert(model.merge()).to_crfsuite(),
            lambda: from_expert(model.merge()).to_wapiti(),
        ]
    for step in steps:
        with errors_allowed():
            step()


def use_crfsuite(path: Path) -> None:
    """Open a CRFsuite file, and call everything that reads it."""
    tagger = CrfsuiteTagger()
    tagger.open(path)
    for step in (
        lambda: tagger.tag([["a", "b"], ["word=the dog"], ["c"]]),
        lambda: tagger.marginals(),
        lambda: tagger.probability(["A", "B", "A"]),
        lambda: tagger.info(),
        lambda: tagger.dump(str(path) + ".dump"),
        lambda: read_model(path, "CRFsuite").to_expert("CRFsuite").to_bytes(SaveOptions()),
        lambda: read_model(path, "CRFsuite").to_wapiti(),
    ):
        with errors_allowed():
            step()


@dataclass(frozen=True)
class Finding:
    """A mutant that did not end in success or a TagpoolError."""

    name: str
    seed: int
    problem: str


SECONDS, MEGABYTES = 10, 64


def _limit(size: int) -> None:
    """Allow this process the time and memory for one file: four times its size and 64 MB more than now."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    now = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    for kind, bound in (
        (resource.RLIMIT_AS, now + 4 * size + (MEGABYTES << 20)),
        (resource.RLIMIT_CPU, int(usage.ru_utime + usage.ru_stime) + SECONDS),
    ):
        resource.setrlimit(kind, (bound, resource.getrlimit(kind)[1]))


def _lift_limits() -> None:
    """Allow as much as before the first limit; a mutation itself may take more than its file may."""
    for kind in (resource.RLIMIT_AS, resource.RLIMIT_CPU):
        resource.setrlimit(kind, (resource.getrlimit(kind)[1],) * 2)


def _run_child(blocks: dict[str, bytes], seeds: range, report: int) -> None:
    """Use mutants until one ends the process; write the seed of each before its use."""
    signal.signal(signal.SIGXCPU, signal.SIG_DFL)
    with tempfile.TemporaryDirectory() as folder, os.fdopen(report, "wb", buffering=0) as pipe:
        path = Path(folder) / "model"
        for seed in seeds:
            pipe.write(f"{seed}\n".encode())
            try:
                _lift_limits()
                _, block = mutant(blocks, seed)
                path.write_bytes(block)
                _limit(len(block))
                with errors_allowed():
                    use(path)
            except BaseException:
                pipe.write(f"!{traceback.format_exc(-3)[-1500:]!r}\n".encode())


def mutant(blocks: dict[str, bytes], seed: int) -> tuple[str, bytes]:
    """The mutant with this number."""
    chance = random.Random(seed)
    name = list(blocks)[seed % len(blocks)]
    return name, mutate(blocks[name], chance)


def run_limited(work: Callable[[], object], size: int) -> int:
    """Do some work in a child process with the limits for a file of this size; return the exit status."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            _limit(size)
            work()
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    return os.waitpid(child, 0)[1]


def run(blocks: dict[str, bytes], seeds: range) -> Iterator[Finding]:
    """Use the mutants with these numbers; yield those that crash, hang, take too much memory, or raise other errors."""
    bombs()  # once, and not in every child
    names, first = list(blocks), seeds.start
    while first < seeds.stop:
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(read)
            try:
                _run_child(blocks, range(first, min(first + 200, seeds.stop)), write)
            finally:
                os._exit(0)
        os.close(write)
        with os.fdopen(read) as pipe:
            seed = first - 1
            for line in pipe:
                if line.startswith("!"):
                    yield Finding(names[seed % len(names)], seed, line[1:].strip())
                else:
                    seed = int(line)
        status = os.waitpid(child, 0)[1]
        if status:
            yield Finding(names[seed % len(names)], seed, f"ended by status {status}")
        first = seed + 1
