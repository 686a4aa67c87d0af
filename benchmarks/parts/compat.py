"""The python-crfsuite drop-in against python-crfsuite: same calls, features and files."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from measure import HERE, fastest, fastest_processes
from table import Row, fraction, speedup
from tasks import TITLES, Task
from trained import by_the_drop_in, their_tagger, theirs

from tagpool.compat import pycrfsuite

_NEAR = 1e-4
_COLD = """
import sys
sys.path.insert(0, {folder!r})
import peers
{imports}
tagger = pycrfsuite.Tagger()
tagger.open({model!r})
tagger.tag(peers.{call})
"""
_IMPORTS = {"them": "import pycrfsuite", "tagpool": "from tagpool.compat import pycrfsuite"}


def compat(tasks: list[Task]) -> Iterator[Row]:
    for task in tasks:
        yield from _training(task)
        yield _tagging(task)
        yield _cold(task)


def _training(task: Task) -> Iterator[Row]:
    them, us = theirs(task), by_the_drop_in(task)
    yield speedup(
        f"{task.name}: python-crfsuite's own calls through the drop-in: training to the same objective",
        them.training / us.training,
        f"Trainer('lbfgs', c2=1).train() alone, with its own stopping rule, once each: {us.training:.3g} s CPU, "
        f"{len(us.losses)} iterations to {us.losses[-1]:.2f}; python-crfsuite {them.training:.3g} s, "
        f"{len(them.losses)} iterations to {them.losses[-1]:.2f}",
        unless="" if us.losses[-1] <= them.losses[-1] * (1 + _NEAR) else "but not the same objective",
    )
    yield fraction(
        f"{task.name}: peak memory of that",
        us.peak / them.peak,
        f"whole processes, which append sentence by sentence: {us.peak / 2**20:.0f} MB against {them.peak / 2**20:.0f} MB",
    )


def _tagging(task: Task) -> Row:
    features = task.features(task.read("test"))()
    them, us = their_tagger(task), pycrfsuite.Tagger()
    us.open(theirs(task).path)
    differing = sum(them.tag(item) != us.tag(item) for item in features)

    def newly_opened() -> pycrfsuite.Tagger:
        tagger = pycrfsuite.Tagger()
        tagger.open(theirs(task).path)
        return tagger

    def tags(tagger: Any) -> object:
        return [tagger.tag(item) for item in features]

    # The drop-in caches attributes, so new taggers are measured as well.
    best = fastest(
        {
            "us": lambda: tags(us),
            "them": lambda: tags(them),
            "us at first": lambda: tags(newly_opened()),
            "them at first": lambda: tags(their_tagger(task)),
        },
        7,
    )
    at_first = best["them at first"].cpu / best["us at first"].cpu
    tokens = sum(map(len, features))
    return speedup(
        f"{task.name}: tagging by one .crfsuite file, from given features (lists of strings)",
        best["them"].cpu / best["us"].cpu,
        f"Tagger.tag sentence by sentence, minimum of 7: {tokens / best['us'].cpu / 1e6:.3g}M tokens/s ({best['us']}) against "
        f"{tokens / best['them'].cpu / 1e6:.3g}M ({best['them']}); {at_first:.2g}× with taggers newly "
        f"opened each time; {differing} of {len(features)} sentences with other labels",
        unless="but not the same labels" if differing else "",
    )


def _cold(task: Task) -> Row:
    corpus = task.read("test")
    middle = sorted(corpus, key=len)[len(corpus) // 2]
    more = sorted(TITLES) if task.kind == "ner" else middle["pos"]
    call = f"{task.kind}_features({middle.words!r}, {more!r})"
    codes = {
        name: _COLD.format(folder=str(HERE), imports=imports, model=str(theirs(task).path), call=call)
        for name, imports in _IMPORTS.items()
    }
    best = fastest_processes({name: [sys.executable, "-c", code] for name, code in codes.items()})
    return fraction(
        f"{task.name}: cold start with a .crfsuite file: import, open, tag one sentence",
        best["tagpool"].wall / best["them"].wall,
        f"whole processes, wall time, minimum of 20: {best['tagpool']} against {best['them']}",
    )
