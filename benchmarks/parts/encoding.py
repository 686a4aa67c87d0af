"""Reading and encoding corpora, against plain Python doing the same."""

from __future__ import annotations

from collections.abc import Iterator

import peers
from measure import Seconds, fastest, in_fresh_process
from table import Row, speedup
from tasks import TITLES, Task

import tagpool

_MEMORY = """
import json, sys, tagpool, numpy
corpus = tagpool.read_corpus(sys.argv[1], columns=sys.argv[2])
def status(field):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith(field))
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")  # forget the peak so far
before = status("VmRSS")
encoded = tagpool.Encoder("ner").fit_transform(corpus)
print(json.dumps({"bytes": status("VmHWM") - before, "occurrences": encoded.occurrence_count}))
"""


def _rate(tokens: int, seconds: Seconds) -> str:
    return f"{tokens / seconds.cpu / 1e6:.2f}M tokens/s"


def reading(tasks: list[Task]) -> Iterator[Row]:
    task = next(task for task in tasks if task.kind == "ner")
    path, tokens = task.path("train.conll"), task.read("train").token_count
    best = fastest(
        {
            "tagpool": lambda: tagpool.read_corpus(path, columns=task.columns),
            "hand": lambda: peers.read_by_hand(path.read_text(), len(task.columns)),
        }
    )
    yield Row(
        f"{task.name}: read CoNLL columns (4)",
        _rate(tokens, best["tagpool"]),
        "CPU time, minimum of 5",
    )
    yield Row("… against plain Python", f"{best['hand'].cpu / best['tagpool'].cpu:.1f}×", _rate(tokens, best["hand"]))


def encoding(tasks: list[Task]) -> Iterator[Row]:
    chunks, entities = tasks
    yield from _chunks(chunks)
    yield from _entities(entities)
    result = in_fresh_process(_MEMORY, str(entities.path("train.conll")), ",".join(entities.columns))
    item = result["bytes"] / result["occurrences"]
    yield Row(
        "… peak memory beyond the corpus",
        f"{result['bytes'] / 2**20:.0f} MB, {item:.1f} bytes an occurrence",
        f"a fresh process, {result['occurrences']:,} occurrences",
    )


def _chunks(task: Task) -> Iterator[Row]:
    corpus = task.read("train")
    words, tags = corpus.column("word"), corpus.column("pos")
    by_hand, _ = peers.crfsuite_by_hand(words, tags)
    by_templates, _ = peers.crfsuite_by_templates(words, tags)
    ours = tagpool.Encoder(task.templates)
    ours.fit(corpus)
    if not len(by_hand) == len(by_templates) == ours.feature_count:
        raise SystemExit(f"not the same features: {len(by_hand)}, {len(by_templates)}, {ours.feature_count}")
    best = fastest(
        {
            "tagpool": lambda: tagpool.Encoder(task.templates).fit_transform(corpus),
            "frozen": lambda: ours.transform(corpus),
            "templates": lambda: peers.crfsuite_by_templates(words, tags),
            "hand": lambda: peers.crfsuite_by_hand(words, tags),
        }
    )
    tokens = corpus.token_count
    yield Row(
        f"{task.name}: encode train, CRFsuite's template",
        _rate(tokens, best["tagpool"]),
        f"{ours.feature_count:,} features, numbered on the way; index frozen: {_rate(tokens, best['frozen'])}; minimum of 5",
    )
    for name, what in (("templates", "Python strings, by a list of templates"), ("hand", "Python strings, written out by hand")):
        yield speedup(
            f"{task.name}: encode train, against {what}", best[name].cpu / best["tagpool"].cpu, _rate(tokens, best[name])
        )


def _entities(task: Task) -> Iterator[Row]:
    corpus = task.read("train")
    words, tokens = corpus.column("word"), corpus.token_count
    ours = tagpool.Encoder(task.templates).fit(corpus)
    by_hand, _ = peers.ner_by_hand(words, TITLES)
    if len(by_hand) != ours.feature_count:
        raise SystemExit(f"not the same features: {len(by_hand)}, {ours.feature_count}")
    best = fastest(
        {
            "tagpool": lambda: tagpool.Encoder(task.templates).fit_transform(corpus),
            "hand": lambda: peers.ner_by_hand(words, TITLES),
        },
        rounds=3,
    )
    yield Row(
        f"{task.name}: encode train, preset ner",
        _rate(tokens, best["tagpool"]),
        f"{ours.feature_count:,} features, numbered on the way; minimum of 3",
    )
    yield Row(
        "… against Python strings, written out by hand",
        f"{best['hand'].cpu / best['tagpool'].cpu:.1f}×",
        _rate(tokens, best["hand"]),
    )
