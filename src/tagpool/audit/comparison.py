"""Comparison of new texts with samples of the reference: alarm levels for the size of each text."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from tagpool.audit.drift_result import DriftRow
from tagpool.audit.resampling import Array, Resampler, tail_limit
from tagpool.audit.text_measures import LABELS, LABELS_ADVICE, RATIOS, TOKENS, UNKNOWN_WORDS, Measure, TextMeasures

_FEWEST = 0.5  # share of the samples in which a measure must exist, such as those with a span


class Comparison:
    """Compares texts with a reference.

    The reference is a sample, too: it differs from all such text by chance. So the differences between two samples count, one of
    the size of the text and one of the size of the reference.
    """

    def __init__(self, measures: TextMeasures, sampler: Resampler) -> None:
        self.measures, self.sampler = measures, sampler
        self.usual: Array = measures.reference.sum(axis=0)
        self.others = sampler.draw(sampler.token_count, stream=1)
        # The spread of n sampled units is that of the text times (n - 1) / n.
        count = sampler.unit_count
        self.widening = math.sqrt(count / (count - 1))

    def rows(self, texts: Mapping[str, Array | None], level: float) -> list[DriftRow]:
        """Return the rows of texts, given by their sums, with the strongest alarm first; None is a text without words.

        The limits are those at which no text raises an alarm with this probability if all are like the reference.
        """
        names = [*(measure.name for measure in RATIOS), LABELS]
        reasons = {(text, name): self._reason(name, sums) for text, sums in texts.items() for name in names}
        share = (1 - level) / max(1, sum(not reason for reason in reasons.values()))
        rows = []
        for text, sums in texts.items():
            tokens = 0 if sums is None else int(sums[TOKENS])
            samples = self.sampler.draw(min(tokens, self.sampler.token_count)) if sums is not None else None
            # A sample cannot be larger than the reference: the differences of larger texts are smaller by the root of the ratio.
            scale = min(1.0, math.sqrt(self.sampler.token_count / tokens)) if tokens else 1.0
            for name in names:
                reason = reasons[text, name]
                if reason or sums is None or samples is None:
                    rows.append(DriftRow(text, name, tokens, reason=reason))
                elif name == LABELS:
                    rows.append(self._labels(text, sums, samples, scale, share))
                else:
                    measure = next(one for one in RATIOS if one.name == name)
                    rows.append(self._ratio(measure, text, sums, samples, scale, share))
        return sorted(rows, key=lambda row: math.inf if row.strength is None else -row.strength)

    def _reason(self, name: str, sums: Array | None) -> str:
        """Return why a measure does not apply to a text; an empty text if it does."""
        if sums is None:
            return "no words"
        if name == LABELS:
            return ""
        measure = next(one for one in RATIOS if one.name == name)
        if not self.usual[measure.denominator]:
            return measure.absent
        if not sums[measure.denominator]:
            return "no spans in this text"
        values = measure.values(self.others)
        if np.isfinite(values).mean() < _FEWEST:
            return "too few spans in the reference"
        if np.ptp(values[np.isfinite(values)]) == 0:
            return "no unknown words in the reference; is it the training text?" if measure is UNKNOWN_WORDS else "no variation"
        return ""

    def _ratio(self, measure: Measure, text: str, sums: Array, samples: Array, scale: float, share: float) -> DriftRow:
        usual, value = float(measure.values(self.usual)), float(measure.values(sums))
        differences = scale * (measure.values(samples) - usual) - (measure.values(self.others) - usual)
        finite = differences[np.isfinite(differences)]
        tokens = int(sums[TOKENS])
        if len(finite) < _FEWEST * len(differences):
            return DriftRow(text, measure.name, tokens, reason="too few spans for the size of this text")
        room = self.widening * tail_limit(measure.sign * finite, share)
        if room <= 0:
            return DriftRow(text, measure.name, tokens, reason="no variation")
        strength = measure.sign * (value - usual) / room
        limit = min(max(usual + measure.sign * room, 0.0), 1.0)
        return DriftRow(text, measure.name, tokens, value, usual, limit, strength, advice=measure.advice)

    def _labels(self, text: str, sums: Array, samples: Array, scale: float, share: float) -> DriftRow:
        """Return the row of the distance between the shares of labels: half of the sum of the absolute differences."""
        shares = self.measures.shares
        usual = shares(self.usual)
        differences = scale * (shares(samples) - usual) - (shares(self.others) - usual)
        distances = self.widening * np.abs(differences).sum(axis=-1) / 2
        change = shares(sums) - usual
        value, middle = float(np.abs(change).sum() / 2), float(np.median(distances))
        limit = tail_limit(distances, share)
        tokens = int(sums[TOKENS])
        if limit <= middle:
            return DriftRow(text, LABELS, tokens, reason="no variation")
        largest = int(np.argmax(np.abs(change)))
        kind = self.measures.kinds[largest]
        detail = f"{kind} {100 * usual[largest]:.1f} → {100 * (usual + change)[largest]:.1f}"
        strength = (value - middle) / (limit - middle)
        return DriftRow(text, LABELS, tokens, value, middle, min(limit, 1.0), strength, detail=detail, advice=LABELS_ADVICE)
