"""``tagpool demo``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tagpool.cli.console import JsonOption, output, print_json
from tagpool.cli.demonstration.corpus import describe, show_corpus
from tagpool.cli.demonstration.experts import DRAWS, show_experts, trained
from tagpool.cli.demonstration.pools import draw, measured, show_pools
from tagpool.corpus.builtin.corpus import builtin_corpus
from tagpool.corpus.conll import write_conll
from tagpool.corpus.corpus import Corpus
from tagpool.errors import OutputError
from tagpool.evaluation.significance import paired_bootstrap
from tagpool.experts.linear.crf import CRF
from tagpool.experts.linear.maxent import MaxEnt

_RESULTS = Path("demo-results")


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
    results: Annotated[Path, typer.Option(help="The folder the plot is written to.")] = _RESULTS,
    json: JsonOption = False,
) -> None:
    """Train experts and pools on the built-in corpus, and show how they compare and where they break.

    The table is also drawn, where matplotlib is installed (tagpool[plots]).

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
    described = {name: describe(corpus, parts["train"]) for name, corpus in parts.items()}
    tests = {
        "test": parts["test"],
        "with capitals": builtin_corpus(quarter, seed=seed, part="test", unseen=unseen),
        "without capitals": builtin_corpus(quarter, seed=seed, part="test", unseen=unseen, lowercase=1.0),
    }
    if not json:
        show_corpus(described)
    experts = [trained(expert, parts, tests) for expert in (CRF("ner", seed=seed), MaxEnt("ner", seed=seed))]
    first, second = (each.pop("predicted") for each in experts)
    difference = paired_bootstrap(parts["test"].labels, second, first, draws=DRAWS, seed=seed)
    compared = {
        "difference": 100 * difference.difference,
        "interval": [100 * end for end in difference.interval],
        "p_bootstrap": difference.p_value,
    }
    if not json:
        show_experts(experts, compared)
    # The conditions from the best to the worst; dev loses as many capitals as the test.
    conditions = {name: tests[name] for name in ("with capitals", "test", "without capitals")}
    dev = builtin_corpus(quarter, seed=seed, part="dev", unseen=unseen, lowercase=lowercase)
    pools = measured(parts["train"], dev, conditions, seed)
    if not json:
        show_pools(pools, conditions)
    plot, missing = draw(pools, conditions, results)
    if json:
        told = {"corpus": described, "experts": {each["expert"]: each for each in experts}, "compare": compared}
        print_json(told | {"pools": pools, "plot": plot})
        return
    _print(f"\nThe same as a plot: {plot}" if plot else f"\nNo plot was drawn: {missing}")
    place = write or Path("data")
    written = f"train.conll, dev.conll and test.conll are in {write}." if write else f"Next: tagpool demo --write {place}"
    _print(
        f"\n{written}\nThen: tagpool train --train {place}/train.conll --dev {place}/dev.conll --model ner.tagpool\n"
        '      tagpool explain ner.tagpool "Ann Smith moved to Oslo."'
    )


def _print(text: str) -> None:
    output.print(text, highlight=False, markup=False)


def _write(parts: dict[str, Corpus], folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder}: cannot be made a folder: {error.strerror}") from None
    for name, corpus in parts.items():
        write_conll(corpus, folder / f"{name}.conll")
