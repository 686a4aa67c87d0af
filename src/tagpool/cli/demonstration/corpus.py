"""The built-in corpus, described."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tagpool.cli.console import output, print_table, table
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.schemes import detect, spans

PARTS = ("train", "dev", "test")


def _names(corpus: Corpus) -> Counter[tuple[str, str]]:
    """How often each name occurs as each type, whatever its capitals."""
    found: Counter[tuple[str, str]] = Counter()
    for words, labels in zip(corpus.words, corpus.labels, strict=True):
        found.update((" ".join(words[span.start : span.end]).lower(), span.type) for span in spans(labels))
    return found


def describe(corpus: Corpus, train: Corpus) -> dict[str, Any]:
    """What is in a part of it."""
    names, known = _names(corpus), {name for name, _ in _names(train)}
    kinds: Counter[str] = Counter()
    for (_, kind), count in names.items():
        kinds[kind] += count
    types_of: Counter[str] = Counter(name for name, _ in names)
    unknown = sum(count for (name, _), count in names.items() if name not in known)
    without_capitals = sum(not any(word != word.lower() for word in words) for words in corpus.words)
    return {
        "sentences": len(corpus),
        "tokens": corpus.token_count,
        "scheme": detect(corpus.labels).description,
        "names": dict(sorted(kinds.items())),
        "names_not_in_training": unknown / max(sum(names.values()), 1),
        "ambiguous_names": sum(count > 1 for count in types_of.values()),
        "without_capitals": without_capitals / len(corpus),
    }


def show_corpus(described: dict[str, Any]) -> None:
    """Its parts as a table."""
    output.print("The built-in corpus: four types of names, ambiguous and unseen ones, lost capitals.\n", highlight=False)
    rows = [
        ["sentences", *(f"{described[part]['sentences']:,}" for part in PARTS)],
        ["tokens", *(f"{described[part]['tokens']:,}" for part in PARTS)],
        *([kind, *(f"{described[part]['names'].get(kind, 0):,}" for part in PARTS)] for kind in described["train"]["names"]),
        ["names not met in training", *(f"{described[part]['names_not_in_training']:.0%}" for part in PARTS)],
        ["names with several types", *(f"{described[part]['ambiguous_names']:,}" for part in PARTS)],
        ["sentences without capitals", *(f"{described[part]['without_capitals']:.0%}" for part in PARTS)],
    ]
    print_table(table(["", *PARTS], rows))
