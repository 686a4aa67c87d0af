"""Choice of the pooling method: majority, weighted votes, the best expert, no gold labels, or stacking.

All are scored on the gold sentences by cross-validation. The majority is the reference: another method must be better by a
standard error, so that a few gold sentences do not lead to a worse pool. A single expert must be better by two, since the best of
many experts is best by chance, too. Stacking is preferred to other methods that are better by less than a standard error.

Expectation maximisation with word taggers learns nothing from gold, and is rarely worse than the majority. So it has a prior: its
gain is 5 ± 5 F1. It is taken if its gain is positive by the prior and the gold sentences together. With few gold sentences the
prior decides, with many it has no effect.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tagpool.corpus.corpus import Corpus
from tagpool.errors import InputError
from tagpool.evaluation.scores import Score, score
from tagpool.evaluation.significance import PairedBootstrap
from tagpool.pools.choice.learning_curve import LearningCurve, fit_curve
from tagpool.pools.stacked.held_out import HeldOut
from tagpool.pools.stacked.inputs import document_numbers, gold_label_rows
from tagpool.pools.stacked.pool import Confidence, StackedPool
from tagpool.pools.stacked.training import Labels, StackTraining, known_only
from tagpool.pools.unsupervised.fitted import MAJORITY
from tagpool.pools.unsupervised.pool import UnsupervisedPool, word_rows
from tagpool.pools.votes.ballots import LabelRows, Predictions, predictions_by_name
from tagpool.pools.votes.pool import VotePool
from tagpool.wording import counted

Pool = StackedPool | UnsupervisedPool | VotePool
_STACK, _WITHOUT_GOLD, _WEIGHTED, _BEST = "stacking", "no gold labels", "weighted votes", "best expert"
_MARGINS = {_BEST: 2.0}  # standard errors by which a method must be better than the majority
_PRIOR_GAIN, _PRIOR_SPREAD = 0.05, 0.05  # F1 of expectation maximisation minus that of the majority
_FEWEST_EXPERTS, _FEWEST_SENTENCES = 3, 300  # for which the prior holds
_DRAWS = 1000
_SHARES = (0.25, 0.5)
_FEWEST = 8  # sentences of a point of the learning curve


@dataclass(frozen=True)
class Candidate:
    """A method: its score on the gold sentences, and its difference from the majority with the standard error.

    ``has_prior`` is true for expectation maximisation on enough sentences.
    """

    name: str
    score: Score
    difference: float
    standard_error: float
    has_prior: bool = False

    @property
    def expected_gain(self) -> float:
        """The mean of the difference by the prior and the gold sentences.

        >>> Candidate("no gold labels", None, -0.02, 0.05, has_prior=True).expected_gain
        0.015
        """
        trust = self.standard_error**2 / (self.standard_error**2 + _PRIOR_SPREAD**2) if self.has_prior else 0.0
        return round(trust * _PRIOR_GAIN + (1 - trust) * self.difference, 12)

    @property
    def is_better(self) -> bool:
        """Whether it is better than the majority by more than chance, or by the prior."""
        if self.has_prior and self.expected_gain > 0:
            return True
        return self.difference > _MARGINS.get(self.name, 1.0) * self.standard_error and self.difference > 0


@dataclass(frozen=True, eq=False)
class PoolChoice:
    """The chosen pool, fitted on all gold sentences, and the methods that were compared."""

    pool: Pool
    name: str
    candidates: list[Candidate]
    curve: LearningCurve | None
    gold_sentences: int

    @property
    def chosen(self) -> Candidate:
        """The method that was chosen."""
        return next(candidate for candidate in self.candidates if candidate.name == self.name)

    def reason(self) -> str:
        """Say what was chosen, and why."""
        candidate, majority = self.chosen, self.candidates[0]
        if candidate is majority:
            return f"chosen: {self.name}, because no other method is better by more than chance"
        if candidate.difference <= candidate.standard_error:
            return (
                f"chosen: {self.name}, because the gold sentences are too few to tell the methods apart "
                f"({100 * candidate.score.f1:.1f} F1, {majority.name} {100 * majority.score.f1:.1f}, standard error of the "
                f"difference {100 * candidate.standard_error:.1f}), and it is usually better"
            )
        return (
            f"chosen: {self.name}, {100 * candidate.score.f1:.1f} F1 on gold sentences that it was not fitted on; "
            f"{majority.name} has {100 * majority.score.f1:.1f} "
            f"(difference {100 * candidate.difference:+.1f}, standard error {100 * candidate.standard_error:.1f})"
        )

    def outlook(self) -> str | None:
        """Say how much more gold data would help; None without a learning curve."""
        if self.curve is None:
            return None
        double, quadruple = (100 * self.curve.gain(factor) for factor in (2, 4))
        return (
            f"more gold sentences: about {double:+.1f} F1 with {2 * self.gold_sentences}, {quadruple:+.1f} with "
            f"{4 * self.gold_sentences} (learning curve of stacking)"
        )


def choose_pool(
    predictions: Predictions,
    gold: LabelRows | Corpus,
    *,
    words: Corpus | Iterable[Iterable[str]] | None = None,
    documents: Sequence[int] | None = None,
    confidence: Confidence | None = None,
    on_step: Callable[[str], object] = lambda _: None,
    **parameters: Any,
) -> PoolChoice:
    """Fit the pool that is best by cross-validation on the gold sentences.

    The arguments are those of ``StackedPool.fit``, and ``parameters`` those of :class:`StackedPool`.

    >>> from tagpool import builtin_corpus
    >>> gold = builtin_corpus(60)
    >>> capitals = [["B-PER" if word.istitle() else "O" for word in words] for words in gold.words]
    >>> nothing = [["O"] * len(words) for words in gold.words]
    >>> choose_pool({"capitals": capitals, "nothing": nothing}, gold).name
    'stacking'
    """
    if isinstance(gold, Corpus):
        words = gold if words is None else words
        documents = document_numbers(gold) if documents is None else documents
        gold = gold.labels
    gold_rows = gold_label_rows(gold)
    by_name = predictions_by_name(predictions)
    words = word_rows(words)
    stack = StackedPool(**parameters)
    stack.fit(by_name, gold_rows, words=words, documents=documents, confidence=confidence, on_step=on_step)
    on_step("comparing with other methods")
    choice = choose_with_stack(stack, by_name, gold_rows)
    assert stack.held_out_ is not None
    return replace(choice, curve=_curve(stack.held_out_, stack, on_step))


def choose_with_stack(stack: StackedPool, by_name: Mapping[str, Any], gold_rows: Sequence[Any]) -> PoolChoice:
    """Compare a fitted stack with the other methods, by its cross-validation; the result has no learning curve."""
    held_out, seed = stack.held_out_, stack.seed
    assert held_out is not None
    training = held_out.training
    votes = dict(zip(training.gold.names, training.gold.experts, strict=True))
    # Only the lengths count: no expert may have labels for a sentence.
    columns = zip(gold_rows, *by_name.values(), strict=True)
    words = [["_"] * max(0 if row is None else len(row) for row in rows) for rows in columns]
    majority = UnsupervisedPool(MAJORITY, scheme=stack.fitted.scheme.value).fit(by_name, words=words)
    labels = {"majority" if len(votes) > 1 else next(iter(votes)): majority.predict(votes, words=training.gold.words)}
    if stack.fitted.unsupervised is not None:
        labels[_WITHOUT_GOLD] = training.gold.unsupervised_labels()
    if len(votes) > 1:
        labels[_BEST] = _by_folds(training, votes, lambda train, test: _best_expert(train, test))
        with contextlib.suppress(InputError):  # nothing to learn: equal experts, other labels, or one sentence
            labels[_WEIGHTED] = _by_folds(training, votes, lambda train, test: _weighted(train, test, seed))
    labels[_STACK] = held_out.labels
    unsupervised = stack.fitted.unsupervised
    enough = len(votes) >= _FEWEST_EXPERTS and len(gold_rows) >= _FEWEST_SENTENCES
    has_prior = enough and unsupervised is not None and unsupervised.fitted.taggers is not None
    candidates = _candidates(training, labels, has_prior=has_prior)
    best = _best_candidate(training, labels, candidates)
    pool = _fitted_pool(best.name, stack, majority, training)
    return PoolChoice(pool, best.name, candidates, None, len(training.gold))


def _fitted_pool(name: str, stack: StackedPool, majority: UnsupervisedPool, training: StackTraining) -> Pool:
    """Return the pool of a method, fitted on all gold sentences."""
    votes = dict(zip(training.gold.names, training.gold.experts, strict=True))
    gold = [row or () for row in training.gold.gold]
    if name == _STACK:
        return stack
    if name == _BEST:
        return VotePool("best", seed=stack.seed, unknown="allow").fit(votes, gold)
    if name == _WEIGHTED:
        return _weighted_pool(stack.seed).fit(votes, gold)
    unsupervised = stack.fitted.unsupervised
    return unsupervised if name == _WITHOUT_GOLD and unsupervised is not None else majority


def _candidates(training: StackTraining, labels: Mapping[str, Labels], *, has_prior: bool) -> list[Candidate]:
    """Return the methods with their differences from the first."""
    reference = next(iter(labels.values()))
    rows = []
    for name, one in labels.items():
        gain: PairedBootstrap = training.gain(reference, one)
        # Two or three documents may agree by chance: their error is at least that of sentences.
        error = max(gain.standard_error, training.gain(reference, one, by_sentence=True).standard_error)
        result = score(training.gold_labels, known_only(training.gold, one), draws=_DRAWS, seed=training.seed)
        rows.append(Candidate(name, result, gain.difference, error, has_prior and name == _WITHOUT_GOLD))
    return rows


def _best_candidate(training: StackTraining, labels: Mapping[str, Labels], candidates: Sequence[Candidate]) -> Candidate:
    """Return the method with the highest F1 of those that are better than the majority.

    Of methods that differ by chance, stacking is taken: it gains most from further gold sentences.
    """
    better = {candidate.name: candidate for candidate in candidates[1:] if candidate.is_better}
    best = max(better.values(), key=lambda candidate: candidate.score.f1, default=candidates[0])
    if _STACK in better and best.name != _STACK:
        gain = training.gain(labels[_STACK], labels[best.name])
        if gain.difference <= gain.standard_error:
            return better[_STACK]
    return best


def _by_folds(training: StackTraining, votes: Mapping[str, Any], label: Callable[[Any, Any], Labels]) -> Labels:
    """Return the labels of each fold by a method that was fitted on the others: ``label(train, test)``, each (votes, gold)."""
    rows: Labels = [[] for _ in range(len(training.gold))]
    gold = [row or () for row in training.gold.gold]
    for fold in training.folds:
        rest = sorted(set(range(len(gold))) - set(fold))
        train, test = (
            ({name: [column[n] for n in part] for name, column in votes.items()}, [gold[n] for n in part])
            for part in (rest, fold)
        )
        for number, row in zip(fold, label(train, test), strict=True):
            rows[number] = row
    return rows


def _best_expert(train: Any, test: Any) -> Labels:
    """Return the labels of the expert with the highest F1; an abstention is O."""

    def filled(rows: Sequence[Any], gold: Sequence[Any], *, known_only: bool) -> Labels:
        return [
            [
                "O" if label is None or (known_only and right is None) else label
                for label, right in zip(row or [None] * len(known), known, strict=True)
            ]
            for row, known in zip(rows, gold, strict=True)
        ]

    votes, gold = train
    right = filled(gold, gold, known_only=True)
    best = max(votes, key=lambda name: score(right, filled(votes[name], gold, known_only=True)).f1)
    return filled(test[0][best], test[1], known_only=False)


def _weighted_pool(seed: int) -> VotePool:
    return VotePool("mvote", key="label", beta="cv", unknown="allow", seed=seed)


def _weighted(train: Any, test: Any, seed: int) -> Labels:
    return _weighted_pool(seed).fit(*train).predict(test[0])


def _curve(held_out: HeldOut, stack: StackedPool, on_step: Callable[[str], object]) -> LearningCurve | None:
    """Return the learning curve of the stack; None for few sentences."""
    training = held_out.training
    used = sum(len(training.gold) - len(fold) for fold in training.folds) / len(training.folds)
    if used * _SHARES[0] < _FEWEST:
        return None
    points = []
    for share in (*_SHARES, 1.0):
        on_step(f"learning curve: {counted(round(share * used), 'gold sentence')}")
        plain = held_out.plain_labels if share == 1 else None
        labels = plain or training.cross_val_labels(stack.fitted.settings, share=share)
        points.append((max(1, round(share * used)), training.score(labels)))
    return fit_curve(points)
