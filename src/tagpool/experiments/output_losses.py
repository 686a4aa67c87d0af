"""Losses of outputs whose lengths differ, such as pronunciations, and of pools of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np

from tagpool.evaluation.breakdown import levenshtein
from tagpool.experiments.paths_study import Losses, Numbers, Variant, folds_of, pool_labels
from tagpool.pools.votes.alignment import align_all
from tagpool.pools.votes.ballots import NOTHING, ballots_of

MEASURES = {"Hamming": 100.0, "edits": 1.0, "normalised edits": 100.0}  # scale of the figures: 100 for percent


def measure_outputs(
    predicted: Mapping[str, Sequence[list[str]]],
    gold: Sequence[list[str]],
    ways: Mapping[str, Mapping[str, Variant]],
    learned: int,
    folds: int,
    beta: float,
) -> dict[str, Losses]:
    """Return losses of the experts and of every variant, by measure.

    ``ways`` has the variants for outputs that are padded ("pad") and aligned ("align"). Each variant learns from ``learned``
    words, and is tested on all others, ``folds`` times.
    """
    results = {measure: Losses(len(gold)) for measure in MEASURES}
    for way, variants in ways.items():
        known = ballots_of(*align_all(predicted, gold, way))
        # Test words without gold labels, which would influence the columns of the alignment.
        tested = ballots_of(align_all(predicted, None, way)[0], None, labels=known.labels)
        for seed, (first, others) in enumerate(folds_of(len(gold), learned, folds), 1):
            rest = tested.select(others)
            for name, numbers in pool_labels(known.select(first), rest, variants, beta, seed):
                outputs = rest.cut([rest.labels[number] for number in numbers.tolist()])
                pooled = [tuple(phone for phone in item if phone != NOTHING) for item in outputs]
                _add(results, name if way == "pad" else f"{name}, aligned", others, [gold[item] for item in others], pooled)
    everything = np.arange(len(gold))
    for name, rows in predicted.items():
        _add(results, f"expert: {name}", everything, gold, [tuple(row) for row in rows])
    return results


def _add(
    results: dict[str, Losses], name: str, numbers: Numbers, gold: Sequence[list[str]], predicted: Sequence[tuple[str, ...]]
) -> None:
    lost = np.array([output_losses(right, selected) for right, selected in zip(gold, predicted, strict=True)])
    for losses, column in zip(results.values(), lost.T, strict=True):
        losses.add(name, numbers, column)


def output_losses(gold: Sequence[str], predicted: Sequence[str]) -> tuple[float, float, float]:
    """Return the losses of an output in the order of the measures.

    >>> output_losses(["K", "AE", "T"], ["AE", "T", "S", "IH"])
    (1.0, 3.0, 0.75)
    """
    return _cached(tuple(gold), tuple(predicted))


@lru_cache(maxsize=1 << 18)
def _cached(gold: tuple[str, ...], predicted: tuple[str, ...]) -> tuple[float, float, float]:
    """Return the losses; cached, since many methods predict the same."""
    longer = max(len(gold), len(predicted), 1)
    same = sum(one == other for one, other in zip(gold, predicted, strict=False))
    edits = float(levenshtein(gold, predicted))
    return (longer - same) / longer, edits, edits / longer
