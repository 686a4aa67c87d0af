"""Bench of pools: every method on the same gold and test sentences.

The pool without gold labels does not depend on the gold sentences. It is fitted once, and all samples share its beliefs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from tagpool.corpus.schemes import Scheme, spans
from tagpool.errors import InputError
from tagpool.experiments.pool_data import GoldSample, Labels, PoolData
from tagpool.experiments.pool_peers import PEERS, VoteRegression
from tagpool.experiments.study import Row, sample_row
from tagpool.experts.linear.crf import CRF
from tagpool.pools.choice.auto import choose_with_stack
from tagpool.pools.stacked.pool import StackedPool
from tagpool.pools.stacked.sentences import StackSentences
from tagpool.pools.unsupervised.pool import UnsupervisedPool
from tagpool.pools.votes.pool import VotePool

Report = Callable[[str], object]
MAJORITY, DAWID_SKENE, CRF_EM = "majority", "Dawid–Skene, no gold", "CRF-EM, no gold"
BEST, WEIGHTED, STACKING, AUTO = "best expert", "mvote, key label, beta cv", "stacking", "auto"
WORDS, REGRESSION = "CRF on the gold words alone", "scikit-learn: LogisticRegression on votes"
BIO2_MAJORITY = "majority of VotePool"


def _vote_pool(method: str, key: str = "label", beta: float | str = 0.95, scheme: str | None = "bio2") -> VotePool:
    """Return a pool, by default with the legal decoding that the other pools have, too."""
    return VotePool(method, key=key, beta=beta, scheme=scheme, unknown="allow")


VOTES: dict[str, Callable[[], VotePool]] = {
    BIO2_MAJORITY: lambda: _vote_pool("majority"),
    BEST: lambda: _vote_pool("best"),
    WEIGHTED: lambda: _vote_pool("mvote", beta="cv"),
    "mvote, key label": lambda: _vote_pool("mvote"),
    "mvote, key shared": lambda: _vote_pool("mvote", "shared"),
    "espboost, key label": lambda: _vote_pool("espboost"),
    "espboost, key shared": lambda: _vote_pool("espboost", "shared"),
    "sle": lambda: _vote_pool("sle"),
    "sle, not decoded": lambda: _vote_pool("sle", scheme=None),  # better with few gold sentences
}
# Names of choose_pool, and those of the tables. Its weighted votes are decoded without a scheme, so they have no row.
_CHOICES = {"no gold labels": CRF_EM}


@dataclass(frozen=True, eq=False)
class Trial:
    """Results of a sample: labels of all sentences by method, the fitted stack, and the method that ``auto`` chose."""

    sample: GoldSample
    labels: dict[str, Labels]
    stack: StackedPool
    choice: str


@dataclass(frozen=True, eq=False)
class PoolBench:
    """Sentences with the beliefs of pools without gold labels; ``labels`` has the labels of methods without gold labels."""

    data: PoolData
    sentences: StackSentences
    unsupervised: UnsupervisedPool
    labels: dict[str, Labels]
    regression: VoteRegression | None
    notes: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, data: PoolData, report: Report, *, peers: bool = True) -> PoolBench:
        """Fit the pools without gold labels, and the peers that are installed."""
        experts, words = data.experts, data.words
        labels: dict[str, Labels] = {}
        pools = {
            MAJORITY: UnsupervisedPool("majority"),
            DAWID_SKENE: UnsupervisedPool("dawid-skene"),
            CRF_EM: UnsupervisedPool("crf-em"),
        }
        for name, pool in pools.items():
            report(name)
            pool.fit(experts, words=words)
            labels[name] = pool.predict(experts, words=words)
        notes: list[str] = []
        regression = None
        for name, peer in PEERS.items() if peers else ():
            report(name)
            try:
                labels[name] = peer(data)
            except InputError as error:
                notes.append(f"{name}: {error}.")
        try:
            regression = VoteRegression(data) if peers else None
        except InputError as error:
            notes.append(f"{REGRESSION}: {error}.")
        sentences = StackSentences(
            names=tuple(experts), words=words, experts=list(experts.values()), confidence={}, gold=[None] * len(data)
        )
        return cls(data, sentences.with_unsupervised(pools[CRF_EM]), pools[CRF_EM], labels, regression, notes)

    def run(self, sample: GoldSample, *, votes: bool = True, regression: bool = True) -> Trial:
        """Fit the methods with gold labels; ``votes`` and ``regression`` include those other than stacking."""
        data, rows = self.data, sample.rows(self.data)
        stack = self.fit_stack(sample)
        choice = choose_with_stack(stack, data.experts, rows)
        labels = dict(self.labels)
        labelled = data.select(sample.gold)
        for name, make in VOTES.items() if votes else ():
            labels[name] = make().fit(labelled.experts, labelled.gold).predict(data.experts)
        labels[STACKING] = stack.fitted.stack.predict(self.sentences.corpus())
        name = _CHOICES.get(choice.name, choice.name)
        labels[AUTO] = labels[name] if name in labels else choice.pool.predict(data.experts)
        if votes:
            labels[WORDS] = CRF().fit(labelled.words, labelled.gold).predict(data.words)
        if regression and self.regression is not None:
            labels[REGRESSION] = self.regression.predict(sample.gold)
        return Trial(sample, labels, stack, choice.name)

    def fit_stack(self, sample: GoldSample) -> StackedPool:
        """Fit a stack on gold sentences."""
        sentences = replace(self.sentences, gold=sample.rows(self.data))
        return StackedPool().fit_sentences(sentences, self.data.documents, Scheme.BIO2)

    def f1_without(self, trial: Trial) -> dict[str, float]:
        """Return the F1 that the stack loses when an expert is missing at test time, by expert."""
        sentences = self.sentences.select(trial.sample.test)
        test = self.data.select(trial.sample.test)
        complete = self.data.f1(trial.labels[STACKING], trial.sample.test)
        return {
            name: complete - test.f1(trial.stack.fitted.stack.predict(sentences.corpus(blank=number)))
            for number, name in enumerate(sentences.names)
        }

    def precision(self, trial: Trial, asked: float) -> tuple[float, float] | None:
        """Return the precision of the test spans above the threshold, and their share; None without a threshold."""
        test = self.data.select(trial.sample.test)
        predicted = trial.stack.predict_spans(test.experts, words=test.words, raw=True)
        values = np.array([value for row in predicted for _, value in row])
        threshold = trial.stack.threshold(asked, probabilities=values)
        if threshold is None:
            return None
        right = accepted = 0
        for row, gold in zip(predicted, test.gold, strict=True):
            correct = set(spans(gold))
            above = [span for span, probability in row if probability >= threshold.probability]
            accepted += len(above)
            right += sum(span in correct for span in above)
        return 100 * right / max(accepted, 1), 100 * accepted / max(len(values), 1)


class Figures:
    """F1 by method and condition, over samples."""

    def __init__(self) -> None:
        self._values: dict[tuple[str, str], list[float]] = {}

    def add(
        self, bench: PoolBench, labels: dict[str, Labels], condition: str, test: Sequence[int] | None = None
    ) -> dict[str, float]:
        """Add the F1 of all methods on test sentences (default: all); return them."""
        scores = {name: bench.data.f1(rows, test) for name, rows in labels.items()}
        for name, value in scores.items():
            self._values.setdefault((name, condition), []).append(value)
        return scores

    def rows(self, conditions: Sequence[str]) -> list[Row]:
        """Return the means and standard deviations, methods in the order of their first results with gold labels."""
        names = dict.fromkeys(name for name, condition in self._values if condition == conditions[-1])
        names |= dict.fromkeys(name for name, _ in self._values)
        return [
            sample_row(name, condition, self._values[name, condition])
            for name in names
            for condition in conditions
            if (name, condition) in self._values
        ]


def with_time_left(costs: Sequence[float], report: Report, texts: Sequence[str]) -> Iterator[int]:
    """Yield the numbers of jobs, and report each with the time that is left by the costs of the finished ones."""
    start = time.monotonic()
    for number, text in enumerate(texts):
        finished = sum(costs[:number])
        left = (time.monotonic() - start) / finished * sum(costs[number:]) if finished else None
        report(text if left is None else f"{text}; about {left / 60:.0f} min left")
        yield number
