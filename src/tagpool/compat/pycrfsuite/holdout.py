"""Scores on held-out sentences as CRFsuite counts and prints them: by label, item and instance."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tagpool import _native


class Holdout:
    """Instances of a group, which training does not use."""

    def __init__(self, instances: _native.Instances, group: int) -> None:
        self._instances, self._group = instances, group
        encoding, self._gold = instances.part(group, True)
        self._sentences = encoding.sentences()

    def lines(self, weights: _native.TrainedWeights) -> Iterator[str]:
        """Yield the lines of CRFsuite's report on weights."""
        predicted, labels = weights.label(self._instances, self._group), self._instances.labels()
        count, right = len(labels), self._gold == predicted
        matches, models, references = (
            np.bincount(numbers, minlength=count).tolist() for numbers in (self._gold[right], predicted, self._gold)
        )
        yield "Performance by label (#match, #model, #ref) (precision, recall, F1):\n"
        sums = np.zeros(3)
        for label, match, model, reference in zip(labels, matches, models, references, strict=True):
            rates = "******, ******, ******"
            if reference:
                scores = score_label(match, model, reference)
                sums += scores
                rates = ", ".join(f"{rate:.4f}" for rate in scores)
            yield f"    {label}: ({match}, {model}, {reference}) ({rates})\n"
        yield f"Macro-average precision, recall, F1: ({', '.join(f'{mean:f}' for mean in sums / count)})\n"
        whole = np.minimum.reduceat(right, self._sentences[:-1].astype(np.int64))
        for name, hits in (("Item", right), ("Instance", whole)):
            yield f"{name} accuracy: {hits.sum()} / {len(hits)} ({hits.mean():.4f})\n"


def score_label(match: int, model: int, reference: int) -> tuple[float, float, float]:
    """Return precision, recall and F1 of a label; 0/0 counts as 0.

    >>> score_label(1, 1, 2)
    (1.0, 0.5, 0.6666666666666666)
    """
    precision, recall = match / model if model else 0.0, match / reference
    return precision, recall, 2 * precision * recall / (precision + recall) if match else 0.0
