"""``tagpool demo``."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer

from tagpool.cli.console import JsonOption, output, print_features, print_json, print_table, table
from tagpool.corpus.builtin.corpus import builtin_corpus
from tagpool.corpus.conll import write_conll
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.schemes import detect, spans
from tagpool.errors import OutputError
from tagpool.features.encoder import Encoder

_PARTS = ("train", "dev", "test")


def demo(
    sentences: Annotated[
        int, typer.Option(min=10, help="Sentences of the training part; dev and test have a quarter each.")
    ] = 4000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the built-in corpus.")] = 1,
    unseen: Annotated[
        float, typer.Option(min=0, max=1, help="Share of names in dev and test with words that training does not have.")
    ] = 0.4,
    lowercase: Annotated[float, typer.Option(min=0, max=1, help="Share of test sentences that lose their capitals.")] = 0.25,
    write: Annotated[Path | None, typer.Option(help="Also write train.conll, dev.conll and test.conll into this folder.")] = None,
    json: JsonOption = False,
) -> None:
    """Build the built-in corpus, describe it, and show it encoded.

    \b
    Examples:
      tagpool demo
      tagpool demo --write data      (then: tagpool features data/train.conll --features ner)
    """
    quarter = max(sentences // 4, 1)
    parts = {
        "train": builtin_corpus(sentences, seed=seed, part="train"),
        "dev": builtin_corpus(quarter, seed=seed, part="dev", unseen=unseen),
        "test": builtin_corpus(quarter, seed=seed, part="test", unseen=unseen, lowercase=lowercase),
    }
    if write is not None:
        _write(parts, write)
    described = {name: _describe(corpus, parts["train"]) for name, corpus in parts.items()}
    encoded = _encode(parts)
    if json:
        print_json({"corpus": described, "encoded": encoded["summary"]})
        return
    _show(parts, described, encoded, write)


def _write(parts: dict[str, Corpus], folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder}: cannot be made a folder: {error.strerror}") from None
    for name, corpus in parts.items():
        write_conll(corpus, folder / f"{name}.conll")


def _names(corpus: Corpus) -> Counter[tuple[str, str]]:
    """How often each name occurs as each type, whatever its capitals."""
    found: Counter[tuple[str, str]] = Counter()
    for words, labels in zip(corpus.words, corpus.labels, strict=True):
        found.update((" ".join(words[span.start : span.end]).lower(), span.type) for span in spans(labels))
    return found


def _describe(corpus: Corpus, train: Corpus) -> dict[str, Any]:
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


def _encode(parts: dict[str, Corpus]) -> dict[str, Any]:
    encoder = Encoder("ner")
    start = time.process_time()
    train = encoder.fit_transform(parts["train"])
    seconds = time.process_time() - start
    test = encoder.transform(parts["test"])
    everything = Encoder("ner").fit_transform(parts["test"]).occurrence_count
    summary = {
        "preset": "ner",
        "features": encoder.feature_count,
        "occurrences": train.occurrence_count,
        "tokens_per_second": round(train.token_count / max(seconds, 1e-9)),
        "known_in_test": test.occurrence_count / everything,
    }
    return {"summary": summary, "encoder": encoder}


def _show(parts: dict[str, Corpus], described: dict[str, Any], encoded: dict[str, Any], folder: Path | None) -> None:
    output.print("The built-in corpus: four types of names, ambiguous and unseen ones, lost capitals.\n", highlight=False)
    rows = [
        ["sentences", *(f"{described[part]['sentences']:,}" for part in _PARTS)],
        ["tokens", *(f"{described[part]['tokens']:,}" for part in _PARTS)],
        *([kind, *(f"{described[part]['names'].get(kind, 0):,}" for part in _PARTS)] for kind in described["train"]["names"]),
        ["names not met in training", *(f"{described[part]['names_not_in_training']:.0%}" for part in _PARTS)],
        ["names with several types", *(f"{described[part]['ambiguous_names']:,}" for part in _PARTS)],
        ["sentences without capitals", *(f"{described[part]['without_capitals']:.0%}" for part in _PARTS)],
    ]
    print_table(table(["", *_PARTS], rows))
    sentence = max(parts["train"][:50], key=lambda each: sum(label.startswith("B-") for label in each.labels or []))
    output.print("\nA sentence with its columns:\n")
    print_table(table(list(sentence.columns), zip(*sentence.columns.values(), strict=True), left=4))
    summary, encoder = encoded["summary"], encoded["encoder"]
    output.print(
        f"\nEncoded with the preset {summary['preset']}: {summary['features']:,} features, "
        f"{summary['occurrences']:,} occurrences, {summary['tokens_per_second']:,} tokens a second.\n"
        f"Of the features of the test part, training knows {summary['known_in_test']:.0%}: "
        "the rest is what new names and lost capitals take away.\n",
        highlight=False,
    )
    one = Corpus.from_lists(word=[sentence.words])
    described_token = next(i for i, label in enumerate(sentence.labels or []) if label != "O")
    output.print(f"The features of {sentence.words[described_token]!r}:", highlight=False, markup=False)
    print_features(encoder.describe(one, 0)[described_token])
    place = folder or Path("data")
    written = f"train.conll, dev.conll and test.conll are in {folder}." if folder else f"Next: tagpool demo --write {place}"
    output.print(
        f"\n{written}\nThen: tagpool features {place}/train.conll --features ner --summary", highlight=False, markup=False
    )
