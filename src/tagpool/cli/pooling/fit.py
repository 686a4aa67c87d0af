"""``tagpool pool fit``, ``tagpool pool apply`` and ``tagpool pool estimate``."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from tagpool.cli.console import ColumnsOption, EncodingOption, JsonOption, LabelOption, output, print_json, print_table, table
from tagpool.cli.pooling.inspection import weights_of
from tagpool.cli.pooling.reading import first_corpus, named_experts, read_all, read_gold_experts
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.formats import read_labelled, write_corpus
from tagpool.errors import InputError, ModelError
from tagpool.pools.loading import load
from tagpool.pools.votes.ballots import FloatArray
from tagpool.pools.votes.keys import KEYS
from tagpool.pools.votes.methods import METHODS
from tagpool.pools.votes.pool import VotePool
from tagpool.pools.votes.reliability import estimate_reliability


class Unknown(str, Enum):
    """What becomes of labels that nobody else knows."""

    error = "error"
    allow = "allow"


ExpertsArgument = Annotated[
    list[str], typer.Argument(metavar="EXPERT...", help="The experts' files: FILE, NAME=FILE, or FILE@COLUMN of a CoNLL file.")
]
ExpertsFlag = Annotated[bool, typer.Option("--experts", help="May stand before the experts' files.")]
GoldOption = Annotated[Path, typer.Option(help="The file with the gold labels.")]
KeyOption = Annotated[str, typer.Option(help=f"Which tokens share weights: {', '.join(KEYS)}.")]
UnknownOption = Annotated[
    Unknown, typer.Option(help="Labels of an expert that neither gold nor another expert has: an error, or allowed.")
]
SchemeOption = Annotated[str | None, typer.Option(help="Allow only what this scheme does: iob1, bio2, bioes, bilou.")]


def fit(
    experts: ExpertsArgument,
    gold: GoldOption,
    model: Annotated[Path, typer.Option(help="The file the pool is written to.")],
    experts_follow: ExpertsFlag = False,
    method: Annotated[str, typer.Option(help=f"How they are pooled: {', '.join(METHODS)}.")] = "mvote",
    key: KeyOption = "shared",
    beta: Annotated[str, typer.Option(help="The factor of an error, between 0 and 1; cv chooses it.")] = "0.95",
    scheme: SchemeOption = None,
    calibrate: Annotated[bool, typer.Option("--calibrate", help="Make confidence the rate of right labels.")] = False,
    delta: Annotated[float, typer.Option(help="The probability with which the guarantees may fail.")] = 0.05,
    unknown: UnknownOption = Unknown.error,
    seed: Annotated[int, typer.Option(min=0, help="Seed of what is drawn.")] = 1,
    columns: ColumnsOption = None,
    label: LabelOption = None,
    encoding: EncodingOption = "utf-8",
    json: JsonOption = False,
) -> None:
    """Learn from gold labels whom to trust where, and write the pool to a file.

    The gold sentences must not be those that the experts were trained on. A label ? abstains.

    \b
    Examples:
      tagpool pool fit --gold dev.conll --experts crf.conll spacy.jsonl --model names.pool
      tagpool pool fit --gold all.conll all.conll@a all.conll@b --columns word,label,a,b --model names.pool
    """
    known = read_labelled(gold, columns=columns, label=label, encoding=encoding)
    said = read_gold_experts(experts, gold, known, columns, encoding, allow_unknown=unknown is Unknown.allow)
    pool = VotePool(
        method,
        key=key,
        beta=_beta(beta),
        delta=delta,
        scheme=scheme,
        calibrate=calibrate,
        unknown=unknown.value,
        seed=seed,
    )
    pool.fit(said, known)
    pool.save(model)
    loss, alone = pool.mean_loss(said, known), VotePool("best").fit(said, known).mean_loss(said, known)
    if json:
        print_json(
            {
                "method": method,
                "beta": pool.beta_,
                "sentences": len(known),
                "loss": loss,
                "best_expert": alone,
                "guarantees": pool.guarantees_.to_dict(),
                "weights": weights_of(pool),
            }
        )
        return
    weights = pool.weights_[-1] / max(pool.weights_[-1].sum(), 1e-300)
    rows = [[name, f"{weight:.3f}"] for name, weight in zip(pool.experts_, weights.tolist(), strict=True)]
    print_table(table(["expert", "weight, all tokens together"], rows))
    output.print(
        f"loss on the gold sentences {loss:.4f}, of the best expert {alone:.4f}\n{pool.guarantees_}\nwritten: {model}",
        highlight=False,
        markup=False,
    )


def apply(
    pool: Annotated[Path, typer.Argument(help="The pool, as tagpool pool fit wrote it.")],
    experts: ExpertsArgument,
    experts_follow: ExpertsFlag = False,
    to: Annotated[Path, typer.Option("--output", help="The file of pooled labels; - is standard output.")] = Path("-"),
    confidence: Annotated[bool, typer.Option("--confidence", help="Add a column with the confidence of each label.")] = False,
    columns: ColumnsOption = None,
    encoding: EncodingOption = "utf-8",
) -> None:
    """Pool what experts say of new sentences. Words are those of the first expert's file.

    \b
    Examples:
      tagpool pool apply names.pool --experts crf.conll spacy.jsonl --output pooled.conll
    """
    made = load(pool)
    if not isinstance(made, VotePool):
        raise ModelError("expected a path pool, as tagpool pool fit writes it, got a tagger; use tagpool tag", source=pool)
    given = named_experts(experts)
    corpus = first_corpus(given, columns, encoding)
    labels = None if made.unknown == "allow" else made.labels_
    said = read_all(given, corpus, columns, encoding, known=labels, why="the pool was fitted with")
    made.unknown = "allow"  # what is unknown was refused, with its line
    _write(corpus, *made.predict_with_confidence(said, words=corpus.words), to, confidence)


def estimate(
    experts: ExpertsArgument,
    experts_follow: ExpertsFlag = False,
    to: Annotated[Path | None, typer.Option("--output", help="The file of pooled labels; - is standard output.")] = None,
    chain: Annotated[bool, typer.Option(help="Labels depend on the one before.")] = True,
    confidence: Annotated[bool, typer.Option("--confidence", help="Add a column with the confidence of each label.")] = False,
    columns: ColumnsOption = None,
    encoding: EncodingOption = "utf-8",
    json: JsonOption = False,
) -> None:
    """Without gold labels: estimate how reliable experts are from their agreement (Dawid and Skene's model), and pool by that.

    It is an estimate only: experts that make the same mistakes look right to each other.

    \b
    Examples:
      tagpool pool estimate --experts crf.conll spacy.jsonl other.conll --output pooled.conll
    """
    given = named_experts(experts)
    corpus = first_corpus(given, columns, encoding)
    found = estimate_reliability(read_all(given, corpus, columns, encoding), chain=chain)
    if to is not None:
        _write(corpus, found.labels, found.confidence, to, confidence)
    if json:
        print_json({"accuracy": found.accuracy, "estimated": True})
    elif to is None or str(to) != "-":
        rows = [[name, f"{100 * rate:.2f}"] for name, rate in found.accuracy.items()]
        print_table(table(["expert", "estimated accuracy, %"], rows))


def _beta(text: str) -> float | str:
    if text == "cv":
        return text
    try:
        return float(text)
    except ValueError:
        raise InputError(f"--beta {text}: expected a number between 0 and 1, or cv") from None


def _write(corpus: Corpus, labels: list[list[str]], confidence: list[FloatArray], to: Path, with_confidence: bool) -> None:
    made = corpus.with_labels(labels)
    if with_confidence:
        numbers = [[f"{value:.4f}" for value in each.tolist()] for each in confidence]
        made = made.with_column("confidence", numbers)
    write_corpus(made, to)
