"""``tagpool pool fit``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from tagpool.cli.console import output, print_json, print_table
from tagpool.cli.inputs import with_expanded
from tagpool.cli.options import JsonOption, expand_options
from tagpool.cli.outputs import refuse_inputs
from tagpool.cli.pooling.expert_files import expert_paths, read_expert_set, read_gold_experts
from tagpool.cli.pooling.options import (
    AbstainOption,
    ExpertsArgument,
    ExpertsFlag,
    GoldOption,
    KeyOption,
    ReadingOptions,
    SchemeOption,
    SeedOption,
    abstaining,
)
from tagpool.cli.progress import Follower, follow_steps
from tagpool.config import Settings
from tagpool.errors import InputError
from tagpool.pools.choice.auto import PoolChoice, choose_pool
from tagpool.pools.expert_files.expert_labels import ExpertLabels
from tagpool.pools.stacked.inputs import document_numbers
from tagpool.pools.stacked.pool import StackedPool
from tagpool.pools.votes.description import weights_as_json
from tagpool.pools.votes.methods import METHODS
from tagpool.pools.votes.pool import VotePool
from tagpool.wording import counted

AUTO, STACKING = "auto", "stacking"
ALL_METHODS = (AUTO, STACKING, *METHODS)
# Parameters of a VotePool that are not options of their own, without those whose values are objects of Python.
_FURTHER = ("beta", "delta", "calibrate", "rounds", "epsilon", "online_rounds", "stop_early", "combine", "lengths")


@expand_options(reading=ReadingOptions)
def fit(
    experts: ExpertsArgument,
    gold: GoldOption,
    model: Annotated[Path, typer.Option(help="File to write the pool to.")],
    reading: ReadingOptions,
    experts_follow: ExpertsFlag = False,
    method: Annotated[
        str, typer.Option(help=f"auto, stacking, or a method of the path-expert paper: {', '.join(METHODS)}.")
    ] = AUTO,
    abstain: AbstainOption = None,
    key: KeyOption = "shared",
    scheme: SchemeOption = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help=f"Parameter of votes, such as pool.beta=0.9 ({', '.join(_FURTHER)})."),
    ] = None,
    seed: SeedOption = 1,
    json: JsonOption = False,
) -> None:
    """Learn from gold labels how to combine experts.

    Use gold sentences that the experts were not trained on. Experts may label many more sentences than gold has; these help, too.
    The default compares stacking, weighted votes, the best expert and the majority. A label ? abstains.

    \b
    Examples:
      tagpool pool fit --gold checked.conll --experts llm.jsonl spacy.jsonl rules.conll --model names.pool
      tagpool pool fit --gold all.conll all.conll@a all.conll@b --columns word,label,a,b --model names.pool
      tagpool pool fit --gold dev.conll crf.conll other.conll --method mvote --set pool.beta=cv --model votes.pool
    """
    refuse_inputs("--model", model, [*with_expanded([gold]), *expert_paths(experts)])
    if method not in ALL_METHODS:
        raise InputError(f"--method {method}: expected one of {', '.join(ALL_METHODS)}")
    check_choices(key=key)
    read = reading.arguments()
    if method in METHODS:
        if abstain:
            raise InputError("--abstain is for --method auto and stacking; mark abstentions of experts as ? in their files")
        pool = VotePool(method, key=key, scheme=scheme, unknown=reading.unknown, seed=seed, **_parse_further(set_ or []))
        known, predictions = read_gold_experts(experts, gold, **read)
        _fit_votes(pool, known, predictions, model, json)
        return
    if set_:
        raise InputError(f"--set is for methods of votes: add --method, one of {', '.join(METHODS)}")
    labels = read_expert_set(experts, gold, fewest=1, **read)
    _fit_stack(labels, method, model, {"abstain": abstaining(abstain), "seed": seed}, scheme=scheme, json=json)


def _fit_stack(
    labels: ExpertLabels, method: str, model: Path, options: dict[str, Any], *, scheme: str | None, json: bool
) -> None:
    """Fit a stack, or the best pool, and show the comparison."""
    gold_count = sum(row is not None for row in labels.gold)
    data: dict[str, Any] = {
        "words": labels.corpus,
        "documents": document_numbers(labels.corpus),
        "confidence": labels.confidence or None,
    }
    choice = None
    with Follower() as progress:
        data["on_step"] = progress.step
        if method == STACKING:
            pool: Any = StackedPool(scheme=scheme, **options).fit(labels.votes(), labels.gold, **data)
        else:
            choice = choose_pool(labels.votes(), labels.gold, scheme=scheme, **options, **data)
            pool = choice.pool
    pool.save(model)
    facts = {"method": method if choice is None else choice.name, "gold_sentences": gold_count, "sentences": len(labels.gold)}
    if json:
        print_json(facts | ({} if choice is None else _choice_json(choice)) | _stack_json(pool))
        return
    others = len(labels.gold) - gold_count
    output.print(
        f"{counted(len(labels.labels), 'expert')}, {counted(gold_count, 'gold sentence')}, "
        f"{counted(others, 'sentence')} without gold labels"
    )
    if choice is not None:
        _show_choice(choice)
    if isinstance(pool, StackedPool):
        _show_stack(pool)
    output.print_line(f"written: {model}")


def _show_choice(choice: PoolChoice) -> None:
    rows = []
    for candidate in choice.candidates:
        low, high = (100 * end for end in candidate.score.intervals["f1"])
        against = (
            ""
            if candidate is choice.candidates[0]
            else f"{100 * candidate.difference:+.1f} ± {100 * candidate.standard_error:.1f}"
        )
        rows.append([candidate.name, f"{100 * candidate.score.f1:.1f}", f"{low:.1f} – {high:.1f}", against])
    print_table(["method", "F1", "95% interval", f"against {choice.candidates[0].name}"], rows)
    output.print(choice.reason())
    if any(candidate.name == "no gold labels" and candidate.score.f1 == 1.0 for candidate in choice.candidates):
        output.print(
            "the gold labels are those of a pool without gold labels: if they come from pool suggest, correct them first"
        )
    if (outlook := choice.outlook()) is not None:
        output.print(outlook)


def _show_stack(pool: StackedPool) -> None:
    fitted = pool.fitted
    if fitted.missing:
        losses = ", ".join(f"{name} {100 * loss:.1f}" for name, loss in fitted.missing.items())
        output.print(f"F1 lost when one expert is missing: {losses}")
    if fitted.errors is not None:
        tokens, spans = (100 * fitted.errors[name] for name in ("tokens", "spans"))
        output.print(f"confidence: expected calibration error {tokens:.1f}% of tokens, {spans:.1f}% of spans")


def _choice_json(choice: PoolChoice) -> dict[str, Any]:
    return {
        "candidates": [
            {
                "name": candidate.name,
                "f1": 100 * candidate.score.f1,
                "interval": [100 * end for end in candidate.score.intervals["f1"]],
                "difference": 100 * candidate.difference,
                "standard_error": 100 * candidate.standard_error,
            }
            for candidate in choice.candidates
        ],
        "reason": choice.reason(),
        "learning_curve": None if choice.curve is None else [[count, 100 * f1] for count, f1 in choice.curve.points],
    }


def _stack_json(pool: Any) -> dict[str, Any]:
    if not isinstance(pool, StackedPool):
        return {}
    fitted = pool.fitted
    return {
        "f1": 100 * fitted.f1,
        "missing": {name: 100 * loss for name, loss in fitted.missing.items()},
        "calibration_error": fitted.errors,
    }


# Path experts -----------------------------------------------------------------------------------------------------------


def _fit_votes(pool: VotePool, known: Any, predictions: Any, model: Path, json: bool) -> None:
    experts_and_sentences = f"{counted(len(predictions), 'expert')} from {counted(len(known), 'sentence')}"
    with follow_steps(f"learning the weights of {experts_and_sentences}"):
        pool.fit(predictions, known)
    facts = {
        "method": pool.method,
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
