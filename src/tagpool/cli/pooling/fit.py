"""``tagpool pool fit``, ``tagpool pool apply`` and ``tagpool pool estimate``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from tagpool.cli.console import ColumnsOption, EncodingOption, JsonOption, LabelOption, output, print_json, print_table
from tagpool.cli.inputs import with_expanded
from tagpool.cli.outputs import refuse_inputs, refuse_mixed_output
from tagpool.cli.pooling.expert_files import expert_paths, parse_experts, read_experts, read_gold_experts
from tagpool.cli.progress import follow_steps
from tagpool.config import Settings
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.formats import write_corpus
from tagpool.errors import InputError, ModelError
from tagpool.pools.loading import load
from tagpool.pools.votes.ballots import FloatArray
from tagpool.pools.votes.description import weights_as_json
from tagpool.pools.votes.keys import KEYS
from tagpool.pools.votes.methods import METHODS
from tagpool.pools.votes.pool import VotePool
from tagpool.pools.votes.reliability import estimate_reliability
from tagpool.wording import counted

ExpertsArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="EXPERT...",
        help="Files of the experts: FILE, NAME=FILE, or FILE@COLUMN of a CoNLL file; a folder or pattern is one expert.",
    ),
]
ExpertsFlag = Annotated[bool, typer.Option("--experts", help="May precede the files of the experts.")]
GoldOption = Annotated[str, typer.Option(metavar="FILE", help="File, folder or pattern with gold labels.")]
KeyOption = Annotated[str, typer.Option(help=f"Tokens that share weights: {', '.join(KEYS)}.")]
UnknownOption = Annotated[Literal["error", "allow"], typer.Option(help="Labels that neither gold nor another expert has.")]
SchemeOption = Annotated[str | None, typer.Option(help="Tag scheme that labels must follow: iob1, bio2, bioes, bilou.")]
SeedOption = Annotated[int, typer.Option(min=0, help="Seed of the random numbers.")]
_ConfidenceFlag = Annotated[bool, typer.Option("--confidence", help="Add a column with the confidence of each label.")]
# Parameters of a VotePool that are not options of their own, without those whose values are objects of Python.
_FURTHER = ("beta", "delta", "calibrate", "rounds", "epsilon", "online_rounds", "stop_early", "combine", "lengths")


def fit(
    experts: ExpertsArgument,
    gold: GoldOption,
    model: Annotated[Path, typer.Option(help="File to write the pool to.")],
    experts_follow: ExpertsFlag = False,
    method: Annotated[str, typer.Option(help=f"Pooling method: {', '.join(METHODS)}.")] = "mvote",
    key: KeyOption = "shared",
    scheme: SchemeOption = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help=f"Parameter such as pool.beta=0.9 ({', '.join(_FURTHER)})."),
    ] = None,
    unknown: UnknownOption = "error",
    seed: SeedOption = 1,
    columns: ColumnsOption = None,
    label: LabelOption = None,
    encoding: EncodingOption = "utf-8",
    json: JsonOption = False,
) -> None:
    """Learn the weights of experts from gold labels.

    Use gold sentences that the experts were not trained on. A label ? abstains.

    \b
    Examples:
      tagpool pool fit --gold dev.conll --experts crf.conll spacy.jsonl --model names.pool
      tagpool pool fit --gold dev.conll --experts crf.conll spacy.jsonl --model names.pool --set pool.beta=cv
      tagpool pool fit --gold all.conll all.conll@a all.conll@b --columns word,label,a,b --model names.pool
    """
    refuse_inputs("--model", model, [*with_expanded([gold]), *expert_paths(experts)])
    check_choices(method=method, key=key)
    further = _parse_further(set_ or [])
    known, predictions = read_gold_experts(experts, gold, columns, label, encoding, unknown)
    pool = VotePool(method, key=key, scheme=scheme, unknown=unknown, seed=seed, **further)
    experts_and_sentences = f"{counted(len(predictions), 'expert')} from {counted(len(known), 'sentence')}"
    with follow_steps(f"learning the weights of {experts_and_sentences}"):
        pool.fit(predictions, known)
    facts = {
        "method": method,
        "beta": pool.beta_,
        "sentences": len(known),
        "loss": pool.mean_loss(predictions, known),
        "best_expert": VotePool("best").fit(predictions, known).mean_loss(predictions, known),
    }
    details = {"guarantees": pool.guarantees_.to_dict(), "weights": weights_as_json(pool)} if json else {}
    pool.save(model)  # after everything that may fail for lack of memory: an error leaves the old file
    if json:
        print_json(facts | details)
        return
    weights = pool.weights_[-1] / max(pool.weights_[-1].sum(), 1e-300)
    rows = [[name, f"{weight:.3f}"] for name, weight in zip(pool.experts_, weights.tolist(), strict=True)]
    print_table(["expert", "weight, all tokens together"], rows)
    output.print(f"loss on the gold sentences {facts['loss']:.4f}, best expert {facts['best_expert']:.4f}")
    output.print(str(pool.guarantees_))
    output.print_line(f"written: {model}")


def check_choices(**options: str) -> None:
    """Raise an error for the value of an option that is not one of its words."""
    for name, value in options.items():
        words = VotePool.parameters()[name].accepted_words()
        if value not in words:
            raise InputError(f"--{name} {value}: expected one of {', '.join(words)}")


def _parse_further(assignments: list[str]) -> dict[str, Any]:
    """Return the parameters of a pool from ``pool.KEY=VALUE`` options."""
    settings = Settings({}, {}, [("pool", name) for name in _FURTHER])
    settings.add_assignments(assignments, {"pool": "pool.beta=0.9"})
    settings.check_keys((), ("pool",))
    settings.check_keys(("pool",), _FURTHER)
    return settings.values(("pool",), VotePool, {})


def apply(
    pool: Annotated[Path, typer.Argument(help="Pool that tagpool pool fit wrote.")],
    experts: ExpertsArgument,
    experts_follow: ExpertsFlag = False,
    to: Annotated[Path, typer.Option("--output", help="File of pooled labels; - is standard output.")] = Path("-"),
    confidence: _ConfidenceFlag = False,
    columns: ColumnsOption = None,
    encoding: EncodingOption = "utf-8",
) -> None:
    """Pool the labels of experts for new sentences.

    The words are those of the first expert.

    \b
    Examples:
      tagpool pool apply names.pool --experts crf.conll spacy.jsonl --output pooled.conll
    """
    refuse_inputs("--output", to, [pool, *expert_paths(experts)])
    votes = load(pool)
    if not isinstance(votes, VotePool):
        raise ModelError("expected a pool that tagpool pool fit wrote, got a tagger; use tagpool tag", source=pool)
    names = [expert.name for expert in parse_experts(experts)]
    if set(names) != set(votes.experts_):
        raise InputError(
            f"expected the experts {', '.join(map(repr, votes.experts_))}, got {', '.join(map(repr, names))}; "
            f"name the files, such as {votes.experts_[0]}=FILE; an expert that is missing has a file whose labels are all ?"
        )
    corpus, predictions = read_experts(experts, columns, encoding, None if votes.unknown == "allow" else votes.labels_)
    votes.unknown = "allow"  # read_experts has refused unknown labels
    _write(corpus, *votes.predict_with_confidence(predictions, words=corpus.words), to, confidence)


def estimate(
    experts: ExpertsArgument,
    experts_follow: ExpertsFlag = False,
    to: Annotated[Path | None, typer.Option("--output", help="File of pooled labels; - is standard output.")] = None,
    chain: Annotated[bool, typer.Option(help="A label depends on the previous one.")] = True,
    confidence: _ConfidenceFlag = False,
    columns: ColumnsOption = None,
    encoding: EncodingOption = "utf-8",
    json: JsonOption = False,
) -> None:
    """Pool without gold labels, by estimated accuracy.

    The model is that of Dawid and Skene. Errors that experts share are counted as correct.

    \b
    Examples:
      tagpool pool estimate --experts crf.conll spacy.jsonl other.conll --output pooled.conll
    """
    refuse_inputs("--output", to, expert_paths(experts))
    refuse_mixed_output(to, json)
    corpus, predictions = read_experts(experts, columns, encoding)
    estimated = estimate_reliability(predictions, chain=chain)
    if to is not None:
        _write(corpus, estimated.labels, estimated.confidence, to, confidence)
    if json:
        print_json({"accuracy": estimated.accuracy, "estimated": True})
    elif to is None or str(to) != "-":
        rows = [[name, f"{100 * rate:.2f}"] for name, rate in estimated.accuracy.items()]
        print_table(["expert", "estimated accuracy, %"], rows)


def _write(corpus: Corpus, labels: list[list[str]], confidence: list[FloatArray], to: Path, with_confidence: bool) -> None:
    pooled = corpus.with_labels(labels)
    if with_confidence:
        pooled = pooled.with_column("confidence", [[f"{value:.4f}" for value in row.tolist()] for row in confidence])
    write_corpus(pooled, to)
