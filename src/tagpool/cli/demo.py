"""``tagpool demo``."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer

from tagpool.cli.console import JsonOption, output, print_json, print_table, table
from tagpool.corpus.builtin.corpus import builtin_corpus
from tagpool.corpus.conll import write_conll
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.schemes import detect, spans
from tagpool.errors import OutputError
from tagpool.evaluation.breakdown import vocabulary_breakdown, vocabulary_of
from tagpool.evaluation.scores import score
from tagpool.evaluation.significance import paired_bootstrap
from tagpool.experts.crf import CRF
from tagpool.experts.expert import Expert
from tagpool.experts.maxent import MaxEnt

_PARTS = ("train", "dev", "test")
_DRAWS = 1000


def demo(
    sentences: Annotated[
        int, typer.Option(min=10, help="Sentences of the training part; dev and test have a quarter each.")
    ] = 4000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the built-in corpus and of training.")] = 1,
    unseen: Annotated[
        float, typer.Option(min=0, max=1, help="Share of names in dev and test with words that training does not have.")
    ] = 0.4,
    lowercase: Annotated[float, typer.Option(min=0, max=1, help="Share of test sentences that lose their capitals.")] = 0.25,
    write: Annotated[Path | None, typer.Option(help="Also write train.conll, dev.conll and test.conll into this folder.")] = None,
    json: JsonOption = False,
) -> None:
    """Train a CRF and a MaxEnt on the built-in corpus, and show how they compare and where they break.

    \b
    Examples:
      tagpool demo
      tagpool demo --write data      (then: tagpool train --train data/train.conll --dev data/dev.conll --model ner.tagpool)
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
    tests = {
        "test": parts["test"],
        "with capitals": builtin_corpus(quarter, seed=seed, part="test", unseen=unseen),
        "without capitals": builtin_corpus(quarter, seed=seed, part="test", unseen=unseen, lowercase=1.0),
    }
    if not json:
        _show_corpus(described)
    trained = [_train(expert, parts, tests) for expert in (CRF("ner", seed=seed), MaxEnt("ner", seed=seed))]
    first, second = (each.pop("predicted") for each in trained)
    difference = paired_bootstrap(parts["test"].labels, second, first, draws=_DRAWS, seed=seed)
    compared = {
        "difference": difference.difference,
        "interval": list(difference.interval),
        "p_bootstrap": difference.p_value,
    }
    if json:
        print_json({"corpus": described, "experts": {each["expert"]: each for each in trained}, "compare": compared})
        return
    _show_experts(trained, compared)
    place = write or Path("data")
    written = f"train.conll, dev.conll and test.conll are in {write}." if write else f"Next: tagpool demo --write {place}"
    output.print(
        f"\n{written}\nThen: tagpool train --train {place}/train.conll --dev {place}/dev.conll --model ner.tagpool\n"
        '      tagpool explain ner.tagpool "Ann Smith moved to Oslo."',
        highlight=False,
        markup=False,
    )


def _write(parts: dict[str, Corpus], folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder}: cannot be made a folder: {error.strerror}") from None
    for name, corpus in parts.items():
        write_conll(corpus, folder / f"{name}.conll")


# The corpus --------------------------------------------------------------------------------------------------------------


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


def _show_corpus(described: dict[str, Any]) -> None:
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


# The experts -------------------------------------------------------------------------------------------------------------


def _train(expert: Expert, parts: dict[str, Corpus], tests: dict[str, Corpus]) -> dict[str, Any]:
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
        "dev_f1": expert.summary_["dev"],
    }
    for name, corpus in tests.items():
        predicted = expert.predict(corpus)
        result = score(corpus.labels, predicted, draws=_DRAWS, seed=1)
        known = vocabulary_breakdown(corpus.words, corpus.labels, predicted, vocabulary)
        found[name.replace(" ", "_")] = {
            "f1": result.f1,
            "interval": list(result.intervals["f1"]),
            "known_words_f1": known.in_vocabulary.f1,
            "unknown_words_f1": known.out_of_vocabulary.f1,
        }
        if name == "test":
            found["predicted"] = predicted
    return found


def _show_experts(trained: list[dict[str, Any]], compared: dict[str, Any]) -> None:
    output.print("\nTwo experts, trained with the preset ner; F1 in percent, with 95% intervals.\n", highlight=False)
    rows: list[list[str]] = [
        ["features", *(f"{each['features']:,}" for each in trained)],
        ["weights", *(f"{each['weights']:,}" for each in trained)],
        ["seconds to train", *(f"{each['seconds']:.1f}" for each in trained)],
        ["dev F1", *(f"{each['dev_f1']:.2f}" for each in trained)],
        ["test F1", *(_with_interval(each["test"]) for each in trained)],
    ]
    for name in ("with capitals", "without capitals"):
        rows.append([f"the same {name}", *(_with_interval(each[name.replace(" ", "_")]) for each in trained)])
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


def _with_interval(one: dict[str, Any]) -> str:
    low, high = one["interval"]
    return f"{one['f1']:.2f} ({low:.2f} – {high:.2f})"
