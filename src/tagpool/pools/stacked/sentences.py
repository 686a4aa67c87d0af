"""Sentences of a stack: words, labels of experts, gold labels, and what a pool without gold labels says about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from tagpool.corpus.corpus import Corpus
from tagpool.pools.stacked.table import Rows, bins_of, stack_corpus
from tagpool.pools.unsupervised.confusion import confusions, log_evidence, normalise
from tagpool.pools.unsupervised.decoding import LegalDecoder
from tagpool.pools.unsupervised.pool import UnsupervisedPool
from tagpool.pools.votes.ballots import FloatArray

ExpertRows = Sequence[Sequence[str | None] | None]
ConfidenceRows = Sequence[Sequence[float | None] | None]


@dataclass(frozen=True, eq=False)
class StackSentences:
    """Sentences with the labels of experts, in the order of ``names``; ``gold`` is None for sentences without gold labels.

    ``evidence`` has ln P(vote | label) of each expert, [experts][tokens][labels], and ``prior`` the probabilities of the word
    taggers; both are of the pool without gold labels.
    """

    names: tuple[str, ...]
    words: Rows
    experts: Sequence[ExpertRows]
    confidence: Mapping[int, ConfidenceRows]
    gold: Sequence[Sequence[str | None] | None]
    unsupervised: UnsupervisedPool | None = None
    evidence: Sequence[FloatArray] = ()
    prior: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))

    def __len__(self) -> int:
        return len(self.words)

    @property
    def offsets(self) -> FloatArray:
        """The first token of each sentence, and the number of tokens."""
        return np.concatenate(([0], np.cumsum([len(row) for row in self.words], dtype=np.int64)))

    def with_unsupervised(self, pool: UnsupervisedPool | None, added: Mapping[str, ExpertRows] | None = None) -> StackSentences:
        """Return the sentences with the beliefs of a pool without gold labels; ``added`` experts are new to it."""
        if pool is None:
            return self
        ballots = pool.ballots(dict(zip(self.names, self.experts, strict=True)), self.words)
        prior = pool.prior(ballots)
        evidence = [pool.evidence(ballots, name) for name in ballots.experts]
        sentences = replace(self, unsupervised=pool, evidence=evidence, prior=prior)
        if not added:
            return sentences
        new = pool.ballots(added, self.words).votes
        return replace(sentences, evidence=[*evidence, log_evidence(new, confusions(new, sentences.belief()))])

    def select(self, numbers: Sequence[int]) -> StackSentences:
        """Return some of the sentences."""
        offsets = self.offsets.astype(np.int64)
        tokens = (
            np.concatenate([np.arange(offsets[n], offsets[n + 1]) for n in numbers]) if len(numbers) else np.zeros(0, np.int64)
        )
        return replace(
            self,
            words=[self.words[n] for n in numbers],
            experts=[[rows[n] for n in numbers] for rows in self.experts],
            confidence={expert: [rows[n] for n in numbers] for expert, rows in self.confidence.items()},
            gold=[self.gold[n] for n in numbers],
            evidence=[part[tokens] for part in self.evidence],
            prior=self.prior[tokens] if self.unsupervised is not None else self.prior,
        )

    def belief(self, blank: int | None = None) -> FloatArray:
        """Return the probabilities of the pool without gold labels, without the expert ``blank``."""
        scores = np.log(self.prior)
        for number, part in enumerate(self.evidence):
            if number != blank:
                scores = scores + part
        return normalise(scores)

    def unsupervised_labels(self, blank: int | None = None) -> list[list[str]]:
        """Return the labels of the pool without gold labels."""
        return self._column(self.belief(blank))[0]

    def corpus(self, blank: int | None = None) -> Corpus:
        """Return the columns of the stack."""
        further = {}
        if self.unsupervised is not None:
            further["u"] = self._column(self.belief(blank))
            if self.unsupervised.fitted.taggers is not None:
                further["w"] = self._column(self.prior)
        return stack_corpus(self.words, self.experts, confidence=self.confidence, further=further, blank=blank)

    def _column(self, probabilities: FloatArray) -> tuple[list[list[str]], list[list[str]]]:
        """Return the labels of probabilities, and their bins."""
        assert self.unsupervised is not None
        fitted = self.unsupervised.fitted
        offsets = self.offsets.astype(np.uint32)
        best = LegalDecoder(fitted.labels, fitted.scheme).best(probabilities, offsets)
        names = [fitted.labels[number] for number in best.tolist()]
        bins = bins_of(probabilities[np.arange(len(best)), best])
        places = list(pairwise(offsets.tolist()))
        return [names[a:b] for a, b in places], [bins[a:b] for a, b in places]
