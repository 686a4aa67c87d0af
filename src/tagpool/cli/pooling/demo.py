"""``tagpool pool demo``: from the files of four experts to one tagger, on the built-in corpus."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

import typer

from tagpool.cli.console import output, print_json, print_table
from tagpool.cli.options import JsonOption
from tagpool.cli.progress import Follower
from tagpool.cli.records import write_records
from tagpool.corpus.builtin.corpus import builtin_corpus
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.formats import write_corpus
from tagpool.corpus.schemes import Span, spans, to_labels
from tagpool.errors import InputError, OutputError
from tagpool.evaluation.scores import score
from tagpool.experts.linear.crf import CRF
from tagpool.pools.choice.auto import choose_pool
from tagpool.pools.distillation import distill
from tagpool.pools.unsupervised.fitted import MAJORITY
from tagpool.pools.unsupervised.pool import UnsupervisedPool
from tagpool.pools.votes.pool import VotePool
from tagpool.report.plots import ranked_bars
from tagpool.wording import counted

Rows = list[list[str]]
_TITLES = {"Mr", "Mrs", "Ms", "Dr", "Professor", "President"}
_PLACES = {"in", "at", "from", "near", "to"}


def demo(
    sentences: Annotated[int, typer.Option(min=200, max=100_000, help="Sentences that the experts label.")] = 2000,
    gold: Annotated[int, typer.Option(min=10, help="Sentences with gold labels.")] = 100,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the corpus and the experts.")] = 1,
    results: Annotated[Path, typer.Option(help="Folder of the files, the pool, the tagger and the picture.")] = Path(
        "demo-results"
    ),
    json: JsonOption = False,
) -> None:
    """Combine four weak experts into one tagger, on built-in data.

    The experts are a rule, a word list, a careless annotator and a weak tagger. Their files are in the folder of the results.

    \b
    Examples:
      tagpool pool demo
    """
    if gold >= sentences:
        raise InputError(f"--gold {gold}: expected fewer than {counted(sentences, 'sentence')}")
    show: Callable[[str], object] = (lambda _: None) if json else output.print
    corpus = builtin_corpus(sentences, seed=seed)
    test = builtin_corpus(max(sentences // 4, 100), seed=seed, part="test")
    experts = {name: expert(corpus) for name, expert in _experts(seed).items()}
    test_experts = {name: expert(test) for name, expert in _experts(seed).items()}
    _write_files(results, corpus, experts, gold, seed)
    show(f"Four experts label {counted(sentences, 'sentence')}; {gold} of them are checked by hand (gold labels).")
    known = [row if number < gold else None for number, row in enumerate(corpus.labels)]
    with Follower() as progress:
        choice = choose_pool(experts, known, words=corpus, seed=seed, on_step=progress.step)
        majority = UnsupervisedPool(MAJORITY).fit(experts)
        without = UnsupervisedPool(seed=seed).fit(experts, words=corpus, on_step=progress.step)
        progress.step("distilling the pool into one tagger")
        teacher = without if isinstance(choice.pool, VotePool) else choice.pool  # votes have no probabilities
        tagger = distill(teacher, experts, corpus, gold=known)
        alone = CRF(seed=seed).fit(corpus[:gold])
    choice.pool.save(results / "names.pool")
    tagger.save(results / "names.tagpool")
    rows = {f"expert: {name}": labels for name, labels in test_experts.items()}
    rows |= {
        "majority": majority.predict(test_experts),
        "pool without gold labels": without.predict(test_experts, words=test),
        f"tagger trained on {counted(gold, 'gold sentence')}": alone.predict(test),
        f"pool with {counted(gold, 'gold sentence')}": choice.pool.predict(test_experts, words=test.words),
        "distilled tagger, no expert needed": tagger.predict(test),
    }
    scores = {name: 100 * score(test.labels, labels).f1 for name, labels in rows.items()}
    facts: dict[str, Any] = {"f1": scores, "chosen": choice.name, "tokens_per_second": _speed(tagger, test)}
    if json:
        print_json(facts)
        return
    print_table(["F1 on new sentences", "%"], [[name, f"{value:.1f}"] for name, value in scores.items()])
    show(choice.reason())
    show(f"the distilled tagger labels {facts['tokens_per_second']:,.0f} tokens per second")
    _draw(results / "pool.png", scores)
    _show_commands(results, " ".join(f"{results / name}.conll" for name in experts))


def _show_commands(results: Path, names: str) -> None:
    """Print the commands that do the same."""
    output.print("The same with commands:")
    output.print_line(f"  tagpool pool fit --gold {results / 'gold.conll'} {names} --model {results / 'names.pool'}")
    output.print_line(
        f"  tagpool pool distill {results / 'names.pool'} {names} --gold {results / 'gold.conll'} "
        f"--model {results / 'names.tagpool'}"
    )


def _experts(seed: int) -> dict[str, Callable[[Corpus], Rows]]:
    """Return four weak experts. The list has half of the names; the tagger learned from 150 other sentences."""
    other = builtin_corpus(800, seed=seed + 1, part="dev", unseen=0.0)
    names = {
        tuple(words[span.start : span.end]): span.type
        for words, labels in zip(other.words, other.labels, strict=True)
        for span in spans(labels)
    }
    listed = dict(sorted(names.items())[::2])
    weak = CRF("word[-1..1]\nsuffix(word, 1..3)[0]\nshape(word, short)[0]", seed=seed).fit(other[:150])
    return {
        "rule": lambda corpus: [_rule(words) for words in corpus.words],
        "list": lambda corpus: [_look_up(words, listed) for words in corpus.words],
        "annotator": lambda corpus: _careless(corpus, seed),
        "tagger": lambda corpus: weak.predict(corpus),
    }


def _rule(words: list[str]) -> list[str]:
    """A capitalised word after a title is a person, after a preposition a place."""
    labelled = []
    for at, (before, word) in enumerate(pairwise(words), 1):
        if word[:1].isupper() and (before.strip(".") in _TITLES or before in _PLACES):
            labelled.append(Span(at, at + 1, "LOC" if before in _PLACES else "PER"))
    return list(to_labels(labelled, len(words), "bio2"))


def _look_up(words: list[str], names: dict[tuple[str, ...], str]) -> list[str]:
    """Label the longest names of the list."""
    labelled, at = [], 0
    while at < len(words):
        length = next((size for size in (4, 3, 2, 1) if at + size <= len(words) and tuple(words[at : at + size]) in names), 0)
        if length:
            labelled.append(Span(at, at + length, names[tuple(words[at : at + length])]))
        at += max(length, 1)
    return list(to_labels(labelled, len(words), "bio2"))


def _careless(corpus: Corpus, seed: int) -> Rows:
    """An annotator who overlooks a third of the names, and mistakes the type of a fifth."""
    chance = random.Random(seed)
    types = sorted({span.type for row in corpus.labels for span in spans(row)})
    rows = []
    for row in corpus.labels:
        seen = [span for span in spans(row) if chance.random() > 1 / 3]
        seen = [Span(span.start, span.end, chance.choice(types) if chance.random() < 0.2 else span.type) for span in seen]
        rows.append(list(to_labels(seen, len(row), "bio2")))
    return rows


def _write_files(folder: Path, corpus: Corpus, experts: dict[str, Rows], gold: int, seed: int) -> None:
    """Write the files of the experts and of the gold sentences, and one with the answers of a language model."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder}: creating the folder failed: {error.strerror}; choose another with --results") from None
    words = Corpus.from_lists(word=corpus.words, label=corpus.labels)
    write_corpus(words[:gold], folder / "gold.conll")
    for name, labels in experts.items():
        write_corpus(words.with_labels(labels), folder / f"{name}.conll")
    write_records(folder / "llm.jsonl", [_answer(*pair) for pair in zip(corpus.words, _careless(corpus, seed + 1), strict=True)])


def _answer(words: list[str], labels: list[str]) -> dict[str, Any]:
    """Return entities as a language model names them: by their text, without offsets."""
    named = [{"text": " ".join(words[span.start : span.end]), "type": span.type} for span in spans(labels)]
    return {"text": " ".join(words), "entities": named}


def _speed(tagger: Any, corpus: Corpus) -> float:
    tagger.predict(corpus)
    begin = time.process_time()
    tagger.predict(corpus)
    return corpus.token_count / max(time.process_time() - begin, 1e-9)


def _draw(path: Path, scores: dict[str, float]) -> None:
    try:
        names = ranked_bars(path, scores, "F1 on new sentences, %", "Four weak experts, combined")
    except InputError as error:  # without matplotlib
        output.print(f"no picture: {error.message}")
        return
    output.print_line(f"picture: {path.parent / names[0]}")
