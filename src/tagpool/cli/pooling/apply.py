"""``tagpool pool apply`` and ``tagpool pool explain``."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from tagpool.cli.console import notes, output, print_json, print_table
from tagpool.cli.options import ColumnsOption, EncodingOption, JsonOption
from tagpool.cli.outputs import refuse_inputs, refuse_mixed_output
from tagpool.cli.pooling.expert_files import MapOption, expert_paths, parse_experts, read_expert_set, read_experts
from tagpool.cli.pooling.options import (
    ConfidenceFlag,
    ExpertsArgument,
    ExpertsFlag,
    PoolArgument,
    load_pool,
    load_probabilistic,
    write_labels,
)
from tagpool.cli.records import write_records
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.schemes import Scheme, Span, to_labels
from tagpool.errors import InputError
from tagpool.pools.stacked.pool import StackedPool
from tagpool.pools.votes.ballots import FloatArray
from tagpool.pools.votes.pool import VotePool
from tagpool.wording import counted


def apply(
    pool: PoolArgument,
    experts: ExpertsArgument,
    experts_follow: ExpertsFlag = False,
    to: Annotated[Path, typer.Option("--output", help="File of pooled labels; - is standard output.")] = Path("-"),
    confidence: ConfidenceFlag = False,
    precision: Annotated[
        float | None, typer.Option(metavar="RATE", help="Keep only spans for which this precision holds, such as 0.95.")
    ] = None,
    level: Annotated[float, typer.Option(help="Probability that the precision holds.")] = 0.95,
    review: Annotated[
        Path | None, typer.Option(metavar="FILE", help="JSONL file of the sentences with other spans, the least certain first.")
    ] = None,
    map_: MapOption = None,
    columns: ColumnsOption = None,
    encoding: EncodingOption = "utf-8",
    json: JsonOption = False,
) -> None:
    """Pool the labels of experts for new sentences.

    The words are those of the first expert. Experts of a stacked pool may be missing.

    \b
    Examples:
      tagpool pool apply names.pool --experts llm.jsonl spacy.jsonl rules.conll --output pooled.conll
      tagpool pool apply names.pool llm.jsonl spacy.jsonl --precision 0.95 --review check.jsonl --output sure.conll
    """
    for option, path in (("--output", to), ("--review", review)):
        if path is not None:
            refuse_inputs(option, path, [pool, *expert_paths(experts)])
    refuse_mixed_output(to, json)
    if review is not None and precision is None:
        raise InputError("--review needs --precision, such as --precision 0.95: it has the spans that are less certain")
    model = load_pool(pool)
    if precision is not None and not isinstance(model, StackedPool):
        raise InputError("--precision needs a stacked pool; fit one with --method stacking", source=pool)
    if isinstance(model, VotePool):
        corpus, predictions = _read_votes(model, experts, columns, encoding, map_)
        labels, values = model.predict_with_confidence(predictions, words=corpus.words)
    else:
        read = read_expert_set(experts, fewest=1, columns=columns, encoding=encoding, maps=map_ or [], unknown="allow")
        corpus, predictions = read.corpus, read.votes()
        _check_experts(model, list(read.labels))
        options: dict[str, Any] = {"words": corpus}
        if isinstance(model, StackedPool):
            options["confidence"] = read.confidence
            if precision is not None:
                summary = _write_precise(model, corpus, predictions, options, (precision, level), to, review)
                if json:
                    print_json(_counts(corpus, to) | summary)
                return
        labels, values = model.predict_with_confidence(predictions, **options)
    write_labels(corpus, labels, to, values if confidence else None)
    if json:
        print_json(_counts(corpus, to))


def _counts(corpus: Corpus, to: Path) -> dict[str, Any]:
    return {"output": str(to), "sentences": len(corpus), "tokens": corpus.token_count}


def _read_votes(pool: VotePool, experts: list[str], columns: str | None, encoding: str, maps: Any) -> tuple[Corpus, Any]:
    names = [expert.name for expert in parse_experts(experts)]
    corpus, predictions = read_experts(experts, columns, encoding, None if pool.unknown == "allow" else pool.labels_, maps or [])
    if set(predictions) != set(pool.experts_):
        raise InputError(
            f"expected the experts {', '.join(map(repr, pool.experts_))}, got {', '.join(map(repr, names))}; "
            f"name the files, such as {pool.experts_[0]}=FILE; an expert that is missing has a file whose labels are all ?"
        )
    pool.unknown = "allow"  # read_experts has refused unknown labels
    return corpus, predictions


def _check_experts(pool: Any, names: list[str]) -> None:
    """Raise an error if no expert is known; print a note on missing and new ones."""
    known = [name for name in names if name in pool.experts_]
    if not known:
        raise InputError(
            f"expected experts of the pool ({', '.join(pool.experts_)}), got {', '.join(names)}; "
            f"name the files, such as {pool.experts_[0]}=FILE"
        )
    missing = [name for name in pool.experts_ if name not in names]
    if missing:
        losses = getattr(pool, "missing_", {})
        costs = ", ".join(f"{name} ({100 * losses[name]:.1f} F1)" if name in losses else name for name in missing)
        notes.print_line(f"note: missing experts: {costs}")
    new = [name for name in names if name not in pool.experts_]
    if new:
        notes.print_line(f"note: {', '.join(new)}: not in the pool; fit it again to use new experts fully")


def _write_precise(
    pool: StackedPool,
    corpus: Corpus,
    predictions: Any,
    options: dict[str, Any],
    wanted: tuple[float, float],
    to: Path,
    review: Path | None,
) -> dict[str, Any]:
    """Write the spans above the threshold, and the sentences with others for review; return their numbers."""
    precision, level = wanted
    rows, words = pool.predict_spans(predictions, raw=True, **options), corpus.words
    values = np.array([value for row in rows for _, value in row])
    threshold = pool.threshold(precision, level=level, probabilities=values)
    lowest = math.inf if threshold is None else threshold.probability
    certain = [[span for span, value in row if value >= lowest] for row in rows]
    scheme = pool.fitted.scheme
    labels = [list(to_labels(row, len(sentence), scheme)) for row, sentence in zip(certain, words, strict=True)]
    write_labels(corpus, labels, to)
    rest = [(number, [(span, value) for span, value in row if value < lowest]) for number, row in enumerate(rows)]
    rest = sorted((item for item in rest if item[1]), key=lambda item: min(value for _, value in item[1]))
    if review is not None:
        write_records(review, [_review_record(words[number], rows[number], spans, scheme) for number, spans in rest])
    total, kept_count = sum(map(len, rows)), sum(map(len, certain))
    summary = {"spans": total, "kept_spans": kept_count, "sentences_to_review": len(rest)}
    if threshold is None:
        notes.print_line(_nothing_kept(pool, precision, level, values))
        return summary
    notes.print_line(
        f"kept {kept_count} of {counted(total, 'span')} (probability ≥ {threshold.probability:.3f}): precision at least "
        f"{precision:g} with probability {level:g} ({100 * threshold.precision:.1f}% on gold sentences); "
        f"{counted(len(rest), 'sentence')} to review" + ("" if review is None else f" in {review}")
    )
    return summary | {"lowest_probability": threshold.probability, "held_out_precision": 100 * threshold.precision}


def _nothing_kept(pool: StackedPool, precision: float, level: float, values: FloatArray) -> str:
    """Say that no span is certain enough, and what would help."""
    held_out = pool.fitted.spans
    best = held_out.best(level, values)
    highest = (
        "" if best is None or best.bound <= 0 else f"; the highest that they show is {math.floor(1000 * best.bound) / 1000:g}"
    )
    return (
        f"kept no spans, all are to review: the gold sentences of the pool ({counted(len(held_out.probability), 'span')} in "
        f"{counted(held_out.documents, 'document or sentence', 'documents or sentences')}) do not show a precision of "
        f"{precision:g} with probability {level:g}{highest}. Errors differ between documents: fit the pool with gold "
        "sentences of more documents, a few of each, or ask for a lower precision"
    )


def _review_record(
    words: list[str], spans: list[tuple[Span, float]], uncertain: list[tuple[Span, float]], scheme: Scheme
) -> dict[str, Any]:
    """Return a sentence with all of its labels, which can be corrected and used as gold, and the spans to look at."""
    return {
        "tokens": words,
        "labels": list(to_labels([span for span, _ in spans], len(words), scheme)),
        "uncertain": [
            {"token_start": span.start, "token_end": span.end - 1, "label": span.type, "probability": round(value, 4)}
            for span, value in uncertain
        ],
    }


def explain(
    pool: PoolArgument,
    experts: ExpertsArgument,
    experts_follow: ExpertsFlag = False,
    sentence: Annotated[int, typer.Option(min=1, help="Number of the sentence, from 1.")] = 1,
    map_: MapOption = None,
    columns: ColumnsOption = None,
    encoding: EncodingOption = "utf-8",
    json: JsonOption = False,
) -> None:
    """Show which expert decided each token of a sentence.

    An expert decides a token if the probability of the label is much lower without it.

    \b
    Examples:
      tagpool pool explain names.pool --experts llm.jsonl spacy.jsonl rules.conll --sentence 3
    """
    model = load_probabilistic(pool, "explain")
    read = read_expert_set(experts, fewest=1, columns=columns, encoding=encoding, maps=map_ or [], unknown="allow")
    _check_experts(model, list(read.labels))
    if sentence > len(read.corpus):
        raise InputError(f"--sentence {sentence}: there are {counted(len(read.corpus), 'sentence')}")
    explanation = model.explain(read.votes(), words=read.corpus, confidence=read.confidence, number=sentence - 1)
    if json:
        print_json(explanation.to_dict())
        return
    rows = []
    for token in explanation.tokens:
        by = token.decided_by
        reason = "" if by is None else f"{by} (−{100 * token.losses[by]:.0f})"
        rows.append(
            [token.word, token.label, f"{100 * token.probability:.0f}", reason, *(label or "?" for label in token.votes.values())]
        )
    print_table(["word", "label", "%", "decided by", *model.experts_], rows)
    output.print("decided by: the expert without which the probability falls most, in points")
