"""Cost of pools: bags in parallel threads, an elitist pool, and a merged pool."""

from __future__ import annotations

import time
from collections.abc import Iterator

from measure import fastest, load_average, timed
from table import Row, fraction, speedup
from tasks import Task

import tagpool

_ROUNDS = 3
_EPOCHS = 10
_TEMPLATES = "ner-bagging"


def pools(tasks: list[Task]) -> Iterator[Row]:
    task = next(task for task in tasks if task.kind == "ner")
    train, test = task.read("train"), task.read("test")
    lexicons = {
        "lexicons": tagpool.Gazetteer({"titles": ["Mr.", "Mrs.", "President"], "places": ["New York", "Paris", "London"]})
    }
    expert = tagpool.CRF(_TEMPLATES, resources=lexicons, trainer=tagpool.SGD(epochs=_EPOCHS))
    bagging = tagpool.BaggingPool(expert, threads=2)
    walls = {"one": float("inf"), "bags": float("inf")}
    for _ in range(_ROUNDS):
        for name, tagger in (("one", expert), ("bags", bagging)):
            begun = time.perf_counter()
            tagger.fit(train)
            walls[name] = min(walls[name], time.perf_counter() - begun)
    yield fraction(
        f"{task.name}: training two bags on two cores, over one CRF on all features on one",
        walls["bags"] / walls["one"],
        f"{_TEMPLATES}, {_EPOCHS} epochs of SGD, wall time, minimum of {_ROUNDS}: {walls['bags']:.2f} s against "
        f"{walls['one']:.2f} s; load {load_average()}",
    )
    collapsed = bagging.merge()
    best = fastest({"collapsed": lambda: collapsed.predict(test), "one": lambda: expert.predict(test)}, rounds=9)
    yield speedup(
        f"{task.name}: tokens per second of the collapsed pool, over one CRF on all features",
        best["one"].cpu / best["collapsed"].cpu,
        f"minimum of 9: {best['collapsed']} against {best['one']}",
        unless="" if collapsed.predict(test) == bagging.predict(test) else "but not the pool's labels",
    )
    yield _elitist(task, train)


def _elitist(task: Task, train: tagpool.Corpus) -> Row:
    """Measure an epoch of each; encoding and building the model are subtracted."""
    seconds = {}
    for name, tagger in (
        ("one", lambda epochs: tagpool.MaxEnt("ner", l2=1.0, trainer=tagpool.FOBOS(epochs=epochs, step=0.1))),
        ("three", lambda epochs: tagpool.ElitistPool("ner", experts=3, epochs=epochs, step=0.1)),
    ):
        few, many = (min(timed(lambda n=n, make=tagger: make(n).fit(train)).cpu for _ in range(2)) for n in (1, 5))  # type: ignore[misc]
        seconds[name] = (many - few) / 4
    return fraction(
        f"{task.name}: an epoch of an elitist pool of 3 experts, over one of a MaxEnt by the same trainer",
        seconds["three"] / seconds["one"],
        f"preset ner, CPU time of the second to fifth epoch: {seconds['three']:.2f} s against {seconds['one']:.2f} s an epoch",
    )
