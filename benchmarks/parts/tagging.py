"""Tagging: from words, and from given features; in a running process, and in a new one."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

import peers
from measure import HERE, Seconds, fastest, fastest_processes
from table import Row, fraction, speedup
from tasks import TITLES, Task
from trained import our_score, ours, their_score, their_tagger, theirs

import tagpool

_OURS = """
import tagpool
model = tagpool.load({model!r})
model.predict([{sentence!r}])
"""
_THEIRS = """
import sys
sys.path.insert(0, {folder!r})
import pycrfsuite, peers
tagger = pycrfsuite.Tagger()
tagger.open({model!r})
tagger.tag(peers.{call})
"""


def tagging(tasks: list[Task]) -> Iterator[Row]:
    for task in tasks:
        corpus = task.read("test")
        features = task.features(corpus)
        tag, model = their_tagger(task).tag, tagpool.load(ours(task).path)
        sentences = task.inputs(corpus)

        def by_hand(features: Callable[[], list[peers.Features]] = features, tag: Callable[..., object] = tag) -> list[object]:
            peers.forget_words()
            return [tag(item) for item in features()]

        def by_us(model: tagpool.CRF = model, sentences: list[object] = sentences) -> object:
            return model.predict(sentences)

        best = fastest(
            {"tagpool": by_us, "columns": lambda model=model, corpus=corpus: model.predict(corpus), "them": by_hand}, rounds=7
        )
        scores = f"test F1 {our_score(task, 'test'):.2f} and {their_score(task, 'test'):.2f}"
        yield speedup(
            f"{task.name}: tokens → labels, extraction included",
            best["them"].cpu / best["tagpool"].cpu,
            f"the test sentences as Python lists of strings, minimum of 7: {_rate(corpus, best['tagpool'])} against "
            f"{_rate(corpus, best['them'])} (features by hand, then Tagger.tag); {scores}",
        )
        yield Row(
            "… from a Corpus, as it was read from a file",
            f"{best['them'].cpu / best['columns'].cpu:.1f}×",
            _rate(corpus, best["columns"]),
        )

        def load_and_tag(task: Task = task, corpus: tagpool.Corpus = corpus) -> object:
            return tagpool.load(ours(task).path).predict(corpus)

        first = fastest({"first": load_and_tag}, rounds=7)["first"]
        yield Row(
            "… the first call, with loading: no word is known yet",
            f"{best['them'].cpu / first.cpu:.1f}×",
            _rate(corpus, first),
        )
        yield _given(task, corpus, features(), tag)


def _given(task: Task, corpus: tagpool.Corpus, features: list[peers.Features], tag: Callable[..., object]) -> Row:
    train = task.read("train")
    model = tagpool.CRF(**task.settings).fit(task.features(train)(), train.labels)
    best = fastest(
        {"tagpool": lambda: model.predict(features), "them": lambda: [tag(item) for item in features]},
        rounds=7,
    )
    result = 100 * tagpool.score(corpus.labels, model.predict(features)).f1
    return speedup(
        f"{task.name}: tagging from given features (lists of strings)",
        best["them"].cpu / best["tagpool"].cpu,
        f"the same strings to both, minimum of 7: {_rate(corpus, best['tagpool'])} against {_rate(corpus, best['them'])}; "
        f"tagpool's model was trained on such strings, test F1 {result:.2f}",
    )


def _rate(corpus: tagpool.Corpus, seconds: Seconds) -> str:
    return f"{corpus.token_count / seconds.cpu / 1e6:.3g}M tokens/s ({seconds})"


def cold(tasks: list[Task]) -> Iterator[Row]:
    for task in tasks:
        corpus = task.read("test")
        middle = sorted(corpus, key=len)[len(corpus) // 2]
        words = middle.words
        if task.kind == "ner":
            sentence, call = words, f"ner_features({words!r}, {sorted(TITLES)!r})"
        else:
            sentence, call = {"word": words, "pos": middle["pos"]}, f"chunk_features({words!r}, {middle['pos']!r})"
        code = _OURS.format(model=str(ours(task).path), sentence=sentence)
        commands = {
            "tagpool": [sys.executable, "-c", code],
            "them": [
                sys.executable,
                "-c",
                _THEIRS.format(folder=str(HERE), model=str(theirs(task).path), call=call),
            ],
            "bare": [sys.executable, "-c", "pass"],
        }
        best = fastest_processes(commands)
        yield fraction(
            f"{task.name}: cold start: import, load the model, tag one sentence",
            best["tagpool"].wall / best["them"].wall,
            f"whole processes, a sentence of {len(middle)} tokens, wall time, minimum of 20: {best['tagpool']} against "
            f"{best['them']}; a bare Python takes {best['bare']}",
        )
