"""Two experts on the built-in corpus."""

from __future__ import annotations

import time
from typing import Any

from tagpool.cli.console import output, print_table, table
from tagpool.corpus.corpus import Corpus
from tagpool.evaluation.breakdown import vocabulary_breakdown, vocabulary_of
from tagpool.evaluation.scores import score
from tagpool.experts.linear.expert import Expert

DRAWS = 1000


def trained(expert: Expert, parts: dict[str, Corpus], tests: dict[str, Corpus]) -> dict[str, Any]:
    """How an expert does on each test."""
    begun = time.perf_counter()
    expert.fit(parts["train"], dev=parts["dev"])
    seconds = time.perf_counter() - begun
    model = expert._fitted()
    vocabulary = vocabulary_of(parts["train"].words)
    found: dict[str, Any] = {
        "expert": expert.kind,
        "features": model.feature_count,
        "weights": model.weight_count,
        "epochs": expert.summary_["epochs"],
        "seconds": round(seconds, 3),
        "dev_f1": 100 * expert.summary_["dev"],
    }
    for name, corpus in tests.items():
        predicted = expert.predict(corpus)
        result = score(corpus.labels, predicted, draws=DRAWS, seed=1)
        known = vocabulary_breakdown(corpus.words, corpus.labels, predicted, vocabulary)
        found[name.replace(" ", "_")] = {
            "f1": 100 * result.f1,
            "interval": [100 * end for end in result.intervals["f1"]],
            "known_words_f1": 100 * known.in_vocabulary.f1,
            "unknown_words_f1": 100 * known.out_of_vocabulary.f1,
        }
        if name == "test":
            found["predicted"] = predicted
    return found


def show_experts(trained: list[dict[str, Any]], compared: dict[str, Any]) -> None:
    """The experts side by side."""
    output.print("\nTwo experts, trained with the preset ner; F1 in percent, with 95% intervals.\n", highlight=False)
    rows: list[list[str]] = [
        ["features", *(f"{each['features']:,}" for each in trained)],
        ["weights", *(f"{each['weights']:,}" for each in trained)],
        ["seconds to train", *(f"{each['seconds']:.1f}" for each in trained)],
        ["dev F1", *(f"{each['dev_f1']:.2f}" for each in trained)],
        ["test F1", *(with_interval(each["test"]) for each in trained)],
    ]
    for name in ("with capitals", "without capitals"):
        rows.append([f"the same {name}", *(with_interval(each[name.replace(" ", "_")]) for each in trained)])
    for name in ("known", "unknown"):
        rows.append([f"test, tokens of {name} words", *(f"{each['test'][f'{name}_words_f1']:.2f}" for each in trained)])
    print_table(table(["", *(each["expert"] for each in trained)], rows))
    low, high = compared["interval"]
    output.print(
        f"\nOn the test part the CRF is {compared['difference']:+.2f} F1 from the MaxEnt "
        f"(95% interval {low:+.2f} – {high:+.2f}, paired bootstrap).\n"
        "Both lean on capitals and on words they have met: where these are missing, they break.",
        highlight=False,
    )


def with_interval(one: dict[str, Any]) -> str:
    """An F1 with its 95% interval."""
    low, high = one["interval"]
    return f"{one['f1']:.2f} ({low:.2f} – {high:.2f})"
