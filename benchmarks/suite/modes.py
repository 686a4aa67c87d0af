"""The comparisons of the suite. Each gives records: figures with the names of the corpus, the mode and the side."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import tagpool
from suite.measuring import Figures, Store, best_peer, measure, measure_held_out, measure_peer, with_minimum
from suite.processes import Cost, minimum
from suite.scoring import difference
from suite.sides import GIVEN, Commands, Program, Side, drop_in, peer
from suite.task import Task
from suite.templates import tutorial_templates
from suite.tutorial import DROP_IN_SETTINGS, TUTORIAL_SETTINGS

Record = dict[str, Any]
_COLD_STARTS = 5


@dataclass(frozen=True)
class Plan:
    """Choices of a run: seeds, trainings of each side for the time, options of ``tagpool train``, python-crfsuite or not."""

    seeds: int = 1
    repeat: int = 1
    repeat_peer: int = 1
    options: tuple[str, ...] = ()
    peers: bool = True
    held_out: bool = False
    store: Store = field(default_factory=Store)


def defaults(task: Task, plan: Plan) -> Iterator[Record]:
    """Compare pure defaults with the better of the tutorials' settings."""
    ours = Commands(options=plan.options)
    first = measure(ours, task)
    them = _best_tutorial(task, plan)
    costs = _train_in_turns(task, plan, [ours], them and them[0])
    for record in _seeds(task, plan, "defaults", ours, with_minimum(first, costs[0])):
        if them and record["seed"] == 1 and _has_labels(task, them[0]):
            record["difference"] = difference(task, *(side.labelled(task, "train", "test") for side in (ours, them[0])))
        yield record
    if them:
        yield _record(task, "defaults", them[0], with_minimum(them[1], costs[-1]))


def features(task: Task, plan: Plan) -> Iterator[Record]:
    """Compare on the tutorial's features: as templates, and as the strings themselves. Everything else has its default."""
    sides: list[Side] = [
        Commands("templates", ("--features", tutorial_templates(task.columns))),
        Program("strings", GIVEN, ""),
    ]
    first = [measure(side, task) for side in sides]
    them = _best_tutorial(task, plan)
    *ours, theirs = _train_in_turns(task, plan, sides, them and them[0])
    for side, figures, costs in zip(sides, first, ours, strict=True):
        yield from _seeds(task, plan, "features", side, with_minimum(figures, costs))
    if them:
        yield _record(task, "features", them[0], with_minimum(them[1], theirs))


def drop_ins(task: Task, plan: Plan) -> Iterator[Record]:
    """Compare the drop-in with python-crfsuite: the same program, features and settings."""
    for setting in DROP_IN_SETTINGS:
        us, them = drop_in(setting), peer(setting)
        first = measure(us, task)
        second = measure_peer(them, task, plan.store) if plan.peers else None
        costs = _train_in_turns(task, plan, [us], them if plan.peers else None)
        yield _record(task, "drop-in", us, {"setting": setting, **with_minimum(first, costs[0])})
        if second:
            yield _record(task, "drop-in", them, with_minimum(second, costs[1]))


def cold(task: Task) -> Iterator[Record]:
    """Measure new processes that load a model, which this run trained, and label a file with one sentence."""
    test = task.read("test")
    middle = sorted(range(len(test)), key=lambda number: len(test[number]))[len(test) // 2]
    tagpool.write_corpus(test.select([middle]), task.path("sentence"), columns=task.columns, separator="\t")
    sides = [Commands(), *(peer(setting) for setting in TUTORIAL_SETTINGS)]
    sides = [side for side in sides if side.model(task, "train").exists()][:2]
    rounds = [[side.tag(task, "train", "sentence") for side in sides] for _ in range(_COLD_STARTS)]
    for side, costs in zip(sides, zip(*rounds, strict=True), strict=True):
        yield _record(task, "cold", side, asdict(minimum(costs)))


MODES: dict[str, Callable[[Task, Plan], Iterator[Record]]] = {
    "defaults": defaults,
    "features": features,
    "drop-in": drop_ins,
}


def _record(task: Task, mode: str, side: Side, figures: Figures) -> Record:
    return {"corpus": task.name, "mode": mode, "side": side.name, "tokens": task.tokens, **figures}


def _has_labels(task: Task, side: Side) -> bool:
    """Return whether the side labelled the test sentences in this run: stored figures have no labels."""
    return side.labelled(task, "train", "test").exists()


def _best_tutorial(task: Task, plan: Plan) -> tuple[Program, Figures] | None:
    """Return python-crfsuite with the better of the tutorials' settings, unless the plan leaves it out."""
    return best_peer([peer(setting) for setting in TUTORIAL_SETTINGS], task, plan.store) if plan.peers else None


def _train_in_turns(task: Task, plan: Plan, ours: Sequence[Side], theirs: Side | None) -> list[list[Cost]]:
    """Train again for the time, after every side has trained once; return the costs of our sides, then of theirs."""
    counts = [(side, plan.repeat) for side in ours] + ([(theirs, plan.repeat_peer)] if theirs else [])
    costs: list[list[Cost]] = [[] for _ in (*ours, theirs)]
    for number in range(1, max(plan.repeat, plan.repeat_peer)):
        for (side, count), taken in zip(counts, costs, strict=False):
            if number < count:
                taken.append(side.train(task))
    return costs


def _seeds(task: Task, plan: Plan, mode: str, side: Side, first: Figures) -> Iterator[Record]:
    """Return a record for each seed; the first was measured before."""
    for seed in range(1, plan.seeds + 1):
        figures = first if seed == 1 else measure(side, task, seed=seed)
        if plan.held_out and not task.has_dev:
            figures = {**figures, "dev": measure_held_out(side, task, seed=seed)["dev"]}
        yield _record(task, mode, side, {"seed": seed, **figures})
