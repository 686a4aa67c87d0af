"""Scores on held-out sentences as CRFsuite counts them: by label, item and instance."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tagpool import _native


class LabelScore(NamedTuple):
    """Number of times a label is right, predicted and true; rates are None if it is never true."""

    match: int
    model: int
    ref: int
    precision: float | None
    recall: float | None
    f1: float | None


@dataclass(frozen=True)
class Holdout:
    """Encoded held-out sentences with their gold labels."""

    labels: list[str]
    attributes: int
    encoding: _native.Encoding
    gold: NDArray[np.int32]

    def scores(self, training: _native.TrainingSet, weights: NDArray[Any]) -> dict[str, Any]:
        """Return the scores of weights under the names of python-crfsuite."""
        count, states = len(self.labels), training.cell_count
        edges = np.zeros(count * (count + 2), np.float32)
        edges[training.edges()] = weights[states:]
        pairs = training.cell_features(), training.cell_labels(), weights[:states].astype(np.float32)
        model = _native.Model.of_encoded(self.attributes, self.labels, *pairs, edges)
        return count_scores(self.labels, self.gold, model.tag_encoding(self.encoding, 1), self.encoding.sentences())


def count_scores(
    labels: list[str], gold: NDArray[np.int32], predicted: NDArray[np.int32], sentences: NDArray[np.uint32]
) -> dict[str, Any]:
    """Return counts and rates of predictions.

    >>> gold, predicted = np.array([0, 0, 1], np.int32), np.array([0, 1, 1], np.int32)
    >>> scores = count_scores(["a", "b"], gold, predicted, np.array([0, 2, 3], np.uint32))
    >>> scores["scores"]["a"], scores["item_accuracy"], scores["instance_accuracy"]
    (LabelScore(match=1, model=1, ref=2, precision=1.0, recall=0.5, f1=0.6666666666666666), Fraction(2, 3), Fraction(1, 2))
    """
    count = len(labels)
    right = gold == predicted
    matches = np.bincount(gold[right], minlength=count).tolist()
    models, references = np.bincount(predicted, minlength=count).tolist(), np.bincount(gold, minlength=count).tolist()
    scores = {label: _score(*counts) for label, counts in zip(labels, zip(matches, models, references, strict=True), strict=True)}
    whole = np.minimum.reduceat(right, sentences[:-1].astype(np.int64))
    out: dict[str, Any] = {"scores": scores}
    for name in ("precision", "recall", "f1"):
        out[f"avg_{name}"] = sum(getattr(score, name) or 0.0 for score in scores.values()) / count
    for name, hits in (("item", right), ("instance", whole)):
        good, total = int(hits.sum()), len(hits)
        out[f"{name}_accuracy"] = Fraction(good, total)
        out[f"{name}_accuracy_float"] = good / total
        out[f"{name}_accuracy_count"] = (good, total)
    return out


def _score(match: int, model: int, reference: int) -> LabelScore:
    if reference == 0:
        return LabelScore(match, model, reference, None, None, None)
    precision, recall = match / model if model else 0.0, match / reference
    return LabelScore(match, model, reference, precision, recall, 2 * precision * recall / (precision + recall) if match else 0.0)
