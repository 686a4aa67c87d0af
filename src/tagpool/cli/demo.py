"""``tagpool demo``: train a tagger, remove the capitals, train a robust tagger, combine noisy taggers."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import typer

from tagpool.cli.console import output, print_json
from tagpool.cli.options import JsonOption
from tagpool.corpus.builtin.corpus import builtin_corpus
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.formats import write_corpus
from tagpool.errors import InputError, OutputError
from tagpool.evaluation.scores import score
from tagpool.experts.linear.crf import CRF
from tagpool.optim.sgd import SGD
from tagpool.pools.votes.pool import VotePool
from tagpool.report.plots import bars
from tagpool.wording import counted

Scores = dict[str, dict[str, float]]  # F1 in percent by tagger and kind of text
EXAMPLE = ["Ann", "Smith", "from", "Oslo", "visited", "France", "on", "Monday", "."]

ROBUST_TEMPLATES = """\
bias
[cased]
word[-1..1]
shape(word)[-1..1]
suffix(word, 1..4)[0]
[uncased]
lower(word)[-2..2]
lower(word)[-1] & lower(word)[0]
lower(word)[0] & lower(word)[1]
suffix(lower(word), 1..4)[-1..1]
ngrams(lower(word), 2..4)[0]
"""

NOISY_TEMPLATES = {
    "words": "word[-1..1]",
    "prefixes": "prefix(word, 1..4)[-1..1]",
    "suffixes": "suffix(word, 1..4)[-1..1]",
    "shapes": "shape(word)[-2..2]\nlower(word)[-1]",
    "n-grams": "ngrams(lower(word), 2..4)[0]\nshape(word)[0]",
}


def demo(
    sentences: Annotated[
        int, typer.Option(min=10, max=1_000_000, help="Training sentences; dev and test have a quarter each.")
    ] = 4000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the built-in corpus and of training.")] = 1,
    write: Annotated[
        Path | None, typer.Option(help="Only write train.conll, dev.conll and test.conll into this folder, and stop.")
    ] = None,
    results: Annotated[Path, typer.Option(help="Folder of the picture.")] = Path("demo-results"),
    json: JsonOption = False,
) -> None:
    """Show what tagpool does on the built-in corpus.

    Trains a tagger, removes the capital letters, trains a robust tagger, and combines several noisy taggers.
    The picture needs matplotlib (tagpool[plots]).

    \b
    Examples:
      tagpool demo
      tagpool demo --write data      (then: tagpool train --train data/train.conll --dev data/dev.conll --model ner.tagpool)
    """
    quarter = max(sentences // 4, 1)
    corpora = {
        "train": builtin_corpus(sentences, seed=seed),
        "dev": builtin_corpus(quarter, seed=seed, part="dev"),
        "test": builtin_corpus(quarter, seed=seed, part="test"),
    }
    if write is not None:
        _write(corpora, write, json)
        return
    show: Callable[[str], None] = (lambda _: None) if json else output.print
    scores = _train(corpora, builtin_corpus(quarter, seed=seed, part="test", lowercase=1.0), seed, show)
    scores |= _combine(corpora, seed, show)
    picture, problem = _draw(scores, results)
    if json:
        print_json({"f1": scores, "picture": picture})
        return
    show(f"\nPicture: {picture}" if picture else f"\nNo picture: {problem}")
    show("Next: tagpool demo --write data, then tagpool train --help")


def _train(corpora: dict[str, Corpus], lower: Corpus, seed: int, show: Callable[[str], None]) -> Scores:
    """Train a CRF and a robust CRF; test them with and without capitals."""
    taggers = {
        "CRF": CRF("ner", seed=seed),
        "robust CRF": CRF(ROBUST_TEMPLATES, trainer=SGD(dropout=0.3, drop="bags"), seed=seed),
    }
    scores: Scores = {}
    show(f"1. Train a CRF on {counted(len(corpora['train']), 'sentence')}; 40% of the names in the test are new.\n")
    for name, tagger in taggers.items():
        begin = time.perf_counter()
        tagger.fit(corpora["train"], dev=corpora["dev"])
        show(f"   {counted(tagger._fitted().feature_count, 'feature')}, {time.perf_counter() - begin:.1f} seconds")
        for kind, corpus, words in (
            ("with capitals", corpora["test"], EXAMPLE),
            ("without capitals", lower, [word.lower() for word in EXAMPLE]),
        ):
            if name == "CRF" and corpus is lower:
                show("\n2. Remove the capitals: the tagger relied on them.\n")
            f1 = round(100 * score(corpus.labels, tagger.predict(corpus)).f1, 2)
            scores.setdefault(name, {})[kind] = f1
            show(f"   F1 {f1:5.1f}   {_brackets(words, tagger.predict([words])[0])}")
        if name == "CRF":
            show("\n3. Train a robust CRF: some steps leave out all features that see capitals.\n")
    return scores


def _combine(corpora: dict[str, Corpus], seed: int, show: Callable[[str], None]) -> Scores:
    """Combine noisy taggers by their labels alone."""
    size = max(len(corpora["train"]) // 10, 10)
    gold, test = corpora["dev"][:300], corpora["test"]
    show(f"\n4. Combine five noisy taggers, each with one kind of feature and {counted(size, 'sentence')}.")
    show(f"   The pool sees only their labels, and learns their weights from {counted(len(gold), 'sentence')}.\n")
    on_gold: dict[str, Sequence[Sequence[str]]] = {}
    on_test: dict[str, Sequence[Sequence[str]]] = {}
    for number, (name, templates) in enumerate(NOISY_TEMPLATES.items(), 1):
        tagger = CRF(templates, seed=seed).fit(builtin_corpus(size, seed=seed + number))
        on_gold[name], on_test[name] = tagger.predict(gold), tagger.predict(test)
    pool = VotePool(key="label", beta="cv", scheme="bio2").fit(on_gold, gold)
    on_test["all five"] = pool.predict(dict(on_test))
    scores = {name: 100 * score(test.labels, labels).f1 for name, labels in on_test.items()}
    for name, f1 in scores.items():
        show(f"   {name:9} F1 {f1:5.1f} {'█' * round(f1 / 2)}")
    return {name: {"with capitals": round(f1, 2)} for name, f1 in scores.items()}


def _brackets(words: Sequence[str], labels: Sequence[str]) -> str:
    """Return the words with their names in brackets.

    >>> _brackets(["Ann", "Smith", "left"], ["B-PER", "I-PER", "O"])
    '[Ann Smith PER] left'
    """
    parts: list[str] = []
    for i, (word, label) in enumerate(zip(words, labels, strict=True)):
        opening = "[" if label.startswith("B-") else ""
        closes = label != "O" and (i + 1 == len(labels) or not labels[i + 1].startswith("I-"))
        parts.append(opening + word + (f" {label[2:]}]" if closes else ""))
    return " ".join(parts)


def _draw(scores: Scores, folder: Path) -> tuple[str | None, str | None]:
    """Draw the scores; return the path of the picture, or the reason why it is missing."""
    kinds = ("with capitals", "without capitals")
    heights = {kind: [row.get(kind, float("nan")) for row in scores.values()] for kind in kinds}
    title = "Names in the built-in corpus: one tagger, a robust one, and five noisy ones combined"
    try:
        files = bars(folder / "demo", list(scores), heights, "F1 in percent", title)
    except InputError as error:
        return None, str(error)
    except OSError as error:
        raise OutputError(f"{folder}: writing the picture failed: {error.strerror or error}") from None
    return str(folder / files[-1]), None


def _write(corpora: dict[str, Corpus], folder: Path, json: bool) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder}: creating the folder failed: {error.strerror}") from None
    files = {str(folder / f"{name}.conll"): corpus for name, corpus in corpora.items()}
    for path, corpus in files.items():
        write_corpus(corpus, path)
        if not json:
            output.print_line(f"{counted(len(corpus), 'sentence')} written to {path}")
    if json:
        print_json({"files": {path: len(corpus) for path, corpus in files.items()}})
