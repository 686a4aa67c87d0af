"""One CRF against pools, on sentences with capitals and on the same without."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tagpool.cli.console import output, print_table, table
from tagpool.cli.demonstration.experts import DRAWS, with_interval
from tagpool.corpus.corpus import Corpus
from tagpool.errors import InputError, OutputError
from tagpool.evaluation.scores import score
from tagpool.experts.linear.crf import CRF
from tagpool.optim.sgd import SGD
from tagpool.pools.bagging.pool import BaggingPool
from tagpool.pools.elitist.pool import ElitistPool
from tagpool.report.plots import bars

TEMPLATES = """\
bias
[cased]
word[-1..1]
word[-1] & word[0]
shape(word)[-1..1]
shape(word)[-1] & shape(word)[0]
prefix(word, 1..4)[0]
suffix(word, 1..4)[0]
[uncased]
lower(word)[-2..2]
lower(word)[-1] & lower(word)[0]
ngrams(lower(word), 2..4)[0]
"""

_SINGLE, _FOUND = "one CRF", "BaggingPool, shares from dev"
_TAGGERS: dict[str, Callable[[int], Any]] = {
    _SINGLE: lambda seed: CRF(TEMPLATES, seed=seed),
    "CRF, dropout of bags": lambda seed: CRF(TEMPLATES, seed=seed, trainer=SGD(dropout=0.3, drop="bags")),
    "ElitistPool of 3 CRFs": lambda seed: ElitistPool(TEMPLATES, expert="crf", epochs=10, seed=seed),
    "BaggingPool, equal shares": lambda seed: BaggingPool(CRF(TEMPLATES, seed=seed), seed=seed),
    _FOUND: lambda seed: BaggingPool(CRF(TEMPLATES, seed=seed), weights="dev", seed=seed),
}
_PLOT = "capitals"


def measured(train: Corpus, dev: Corpus, tests: dict[str, Corpus], seed: int) -> dict[str, dict[str, Any]]:
    """The F1 of every tagger on every test; all are trained on the same sentences and stop by the same dev set."""
    found: dict[str, dict[str, Any]] = {}
    for name, make in _TAGGERS.items():
        begun = time.perf_counter()
        tagger = make(seed).fit(train, dev=dev)
        row: dict[str, Any] = {"seconds": round(time.perf_counter() - begun, 3)}
        if isinstance(tagger, BaggingPool):
            row["shares"] = dict(zip(tagger.names_, tagger.weights_.tolist(), strict=True))
        for test, corpus in tests.items():
            result = score(corpus.labels, tagger.predict(corpus), draws=DRAWS, seed=1)
            row[test.replace(" ", "_")] = {"f1": 100 * result.f1, "interval": [100 * end for end in result.intervals["f1"]]}
        found[name] = row
    return found


def draw(found: dict[str, dict[str, Any]], tests: dict[str, Corpus], folder: Path) -> tuple[str | None, str | None]:
    """Draws a plot; returns its file, or why there is none."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        heights = {name: [row[test.replace(" ", "_")]["f1"] for test in tests] for name, row in found.items()}
        title = "Names in the built-in corpus, trained on sentences with capitals"
        files = bars(folder / _PLOT, list(tests), heights, "F1 in percent", title)
    except InputError as error:
        return None, str(error)
    except OSError as error:
        raise OutputError(f"{folder}: the plot cannot be written: {error.strerror or error}") from None
    return str(folder / files[0]), None


def show_pools(found: dict[str, dict[str, Any]], tests: dict[str, Corpus]) -> None:
    """The taggers as a table."""
    output.print(
        "\nOne CRF against pools, with two bags of features: [cased] and [uncased], which never sees a capital.\n",
        highlight=False,
        markup=False,
    )
    rows = [
        [name, *(with_interval(row[test.replace(" ", "_")]) for test in tests), f"{row['seconds']:.1f}"]
        for name, row in found.items()
    ]
    print_table(table(["F1 in percent, with 95% intervals", *tests, "seconds to train"], rows))
    output.print(f"\n{_verdict(found)}", highlight=False, markup=False)


def _verdict(found: dict[str, dict[str, Any]]) -> str:
    """What can be read off the table: who does best without capitals, and what that costs where there are some."""
    single = found[_SINGLE]
    best = max(found, key=lambda name: found[name]["without_capitals"]["f1"])
    gain, cost = (found[best][test]["f1"] - single[test]["f1"] for test in ("without_capitals", "with_capitals"))
    shares = ", ".join(f"{name} {share:.2f}" for name, share in found[_FOUND]["shares"].items())
    return (
        f"Without capitals the best is {best}: {gain:+.2f} F1 from {_SINGLE}, and {cost:+.2f} where there are capitals.\n"
        f"The shares found on a dev set that has lost as many capitals as the test: {shares}."
    )
