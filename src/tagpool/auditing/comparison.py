"""Comparison of new texts with samples of the reference: alarm levels for the size of each text."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tagpool.auditing.drift_result import DriftRow
from tagpool.auditing.resampling import Array, Resampler
from tagpool.auditing.text_measures import LABELS, LABELS_ADVICE, RATIOS, TOKENS, UNKNOWN_WORDS, Measure, TextMeasures

_FEWEST = 0.5  # share of the samples in which a measure must exist, such as those with a span


@dataclass(frozen=True)
class TextSums:
    """Sums of the table of a text, and the number of its documents; None if they are not marked."""

    sums: Array
    documents: int | None = None


@dataclass(frozen=True)
class _Chance:
    """Samples of the size of a text, and the number of their units; ``share`` is the probability of a false alarm."""

    samples: Array
    scale: float
    units: float
    share: float


class Comparison:
    """Compares texts with a reference.

    The reference is a sample, too: it differs from all such text by chance. So the differences between two samples count, one of
    the size of the text and one of the size of the reference.
    """

    def __init__(self, measures: TextMeasures, sampler: Resampler) -> None:
        self.measures, self.sampler = measures, sampler
        self.usual: Array = measures.reference.sum(axis=0)
        self.others = sampler.draw(sampler.largest, stream=1)
        self.other_scale = math.sqrt(sampler.largest / sampler.token_count)

    def rows(self, texts: Mapping[str, TextSums | None], level: float) -> list[DriftRow]:
        """Return the rows of texts with the strongest alarm first; None is a text without words.

        The limits are those at which no text raises an alarm with this probability if all are like the reference.
        """
        names = [*(measure.name for measure in RATIOS), LABELS]
        reasons = {(text, name): self._reason(name, sums) for text, sums in texts.items() for name in names}
        share = (1 - level) / max(1, sum(not reason for reason in reasons.values()))
        rows = []
        for text, one in texts.items():
            if one is None:
                rows += [DriftRow(text, name, 0, reason=reasons[text, name]) for name in names]
                continue
            chance = self._chance(one, share)
            for name in names:
                if reason := reasons[text, name]:
                    rows.append(DriftRow(text, name, int(one.sums[TOKENS]), reason=reason))
                elif name == LABELS:
                    rows.append(self._labels(text, one.sums, chance))
                else:
                    measure = next(one for one in RATIOS if one.name == name)
                    rows.append(self._ratio(measure, text, one.sums, chance))
        return sorted(rows, key=lambda row: math.inf if row.strength is None else -row.strength)

    def _chance(self, text: TextSums, share: float) -> _Chance:
        """Draw samples of the size of a text.

        A sample has at most the documents of the text, since few long documents differ more than many short ones. It has a
        largest size: the differences of larger texts are smaller by the root of the ratio of their units.
        """
        tokens, largest = int(text.sums[TOKENS]), self.sampler.largest
        documents = text.documents if self.sampler.draws_documents else None
        samples = self.sampler.draw(min(tokens, largest), documents)
        units = self.sampler.units_in(tokens, documents)
        scale = math.sqrt(self.sampler.units_in(min(tokens, largest), documents) / units)
        return _Chance(samples, scale, units, share)

    def _reason(self, name: str, text: TextSums | None) -> str:
        """Return why a measure does not apply to a text; an empty text if it does."""
        if text is None:
            return "no words"
        if name == LABELS:
            return ""
        measure = next(one for one in RATIOS if one.name == name)
        if not self.usual[measure.denominator]:
            return measure.absent
        if not text.sums[measure.denominator]:
            return "no spans in this text"
        values = measure.values(self.others)
        if np.isfinite(values).mean() < _FEWEST:
            return "too few spans in the reference"
        if np.ptp(values[np.isfinite(values)]) == 0:
            return "no unknown words in the reference; is it the training text?" if measure is UNKNOWN_WORDS else "no variation"
        return ""

    def _ratio(self, measure: Measure, text: str, sums: Array, chance: _Chance) -> DriftRow:
        usual, value = float(measure.values(self.usual)), float(measure.values(sums))
        differences = chance.scale * (measure.values(chance.samples) - usual) - self.other_scale * (
            measure.values(self.others) - usual
        )
        finite = differences[np.isfinite(differences)]
        tokens = int(sums[TOKENS])
        if len(finite) < _FEWEST * len(differences):
            return DriftRow(text, measure.name, tokens, reason="too few spans for the size of this text")
        room = self.sampler.widening(chance.share) * self.sampler.limit(measure.sign * finite, chance.share, chance.units)
        if room <= 0:
            return DriftRow(text, measure.name, tokens, reason="no variation")
        strength = float(measure.sign * (value - usual) / room)
        limit = float(min(max(usual + measure.sign * room, 0.0), 1.0))
        return DriftRow(text, measure.name, tokens, value, usual, limit, strength, advice=measure.advice)

    def _labels(self, text: str, sums: Array, chance: _Chance) -> DriftRow:
        """Return the row of the distance between the shares of labels: half of the sum of the absolute differences."""
        shares = self.measures.shares
        usual = shares(self.usual)
        differences = chance.scale * (shares(chance.samples) - usual) - self.other_scale * (shares(self.others) - usual)
        distances = np.abs(differences).sum(axis=-1) / 2
        change = shares(sums) - usual
        value, middle = float(np.abs(change).sum() / 2), float(np.median(distances))
        room = self.sampler.widening(chance.share) * (self.sampler.limit(distances, chance.share, chance.units) - middle)
        tokens = int(sums[TOKENS])
        if room <= 0:
            return DriftRow(text, LABELS, tokens, reason="no variation")
        largest = int(np.argmax(np.abs(change)))
        kind = self.measures.kinds[largest]
        detail = f"{kind} {100 * usual[largest]:.1f} → {100 * (usual + change)[largest]:.1f}"
        limit, strength = float(min(middle + room, 1.0)), float((value - middle) / room)
        return DriftRow(text, LABELS, tokens, value, middle, limit, strength, detail=detail, advice=LABELS_ADVICE)
