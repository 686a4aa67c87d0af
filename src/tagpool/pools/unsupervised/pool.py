"""UnsupervisedPool: combine the labels of experts without gold labels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from tagpool.chain.lattice import Lattice
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.files import write_bytes
from tagpool.corpus.rows import as_rows
from tagpool.corpus.schemes import Scheme
from tagpool.errors import InputError, MemoryFor, NotFittedError
from tagpool.experts.inside.description import Description
from tagpool.experts.model_file import ModelFile
from tagpool.parameters import Exclusive, Parameters, declare_parameters, parameter
from tagpool.pools.unsupervised.confusion import confusions, dawid_skene, log_evidence, normalise, vote_shares
from tagpool.pools.unsupervised.decoding import LegalDecoder, scheme_of
from tagpool.pools.unsupervised.description import describe_unsupervised
from tagpool.pools.unsupervised.files import read_unsupervised, unsupervised_to_bytes
from tagpool.pools.unsupervised.fitted import AUTO, CRF_EM, DAWID_SKENE, MAJORITY, METHODS, FittedBelief
from tagpool.pools.unsupervised.word_taggers import WordTaggers
from tagpool.pools.vote_explanation import VoteExplanation, explain_votes
from tagpool.pools.votes.ballots import Ballots, FloatArray, IntArray, Predictions, ballots_of, predictions_by_name

Self = TypeVar("Self", bound="UnsupervisedPool")
_OUTSIDE = "O"
_MISSES = 0.5  # part of the spans: an expert that misses more has no opinion where it says O


@declare_parameters
class UnsupervisedPool(Parameters):
    """Pool the labels of experts by their estimated reliability, without gold labels.

    ``crf-em`` is expectation maximisation with taggers of the words inside: the labels of the experts train word taggers, which
    in turn tell which expert is wrong. Each sentence is judged by a tagger that was trained without it. ``dawid-skene`` needs no
    words. Errors that most experts share stay. ``auto`` is ``crf-em`` if the words are given, else ``dawid-skene``.

    >>> good, fair, bad = [["a", "b", "a"]] * 6, [["a", "b", "b"]] * 6, [["b", "a", "a"]] * 6
    >>> pool = UnsupervisedPool().fit({"one": good, "two": good, "three": fair, "four": bad})
    >>> pool.predict({"one": [["a", "b"]], "two": [["a", "b"]], "three": [["a", "b"]], "four": [["b", "a"]]})
    [['a', 'b']]
    >>> pool.accuracy_["one"] > pool.accuracy_["four"]
    True
    """

    kind = "unsupervised-pool"

    method: str = parameter(default=AUTO, choices=METHODS, kw_only=False, help="Method that estimates the labels.")
    abstain: str | Sequence[str] = parameter(
        default="none",
        help="Experts whose O means 'no opinion', such as rules and word lists: names, 'none', or 'auto' to detect them.",
    )
    rounds: int = parameter(default=4, minimum=1, help="Rounds of crf-em.")
    certain: float = parameter(
        default=0.95,
        minimum=Exclusive(0),
        maximum=1,
        help="Probability from which a label trains the word taggers; other tokens are unlabelled there.",
    )
    folds: int = parameter(default=5, minimum=2, help="Folds of the word taggers.")
    scheme: str | None = parameter(default=None, help="Tag scheme of the labels: iob1, bio2, bioes or bilou; None: detected.")
    seed: int = parameter(default=1, minimum=0, maximum=(1 << 63) - 1, help="Seed of the random numbers.")

    _fitted: FittedBelief | None = None

    @MemoryFor("estimate the reliability of the experts")
    def fit(
        self: Self,
        predictions: Predictions,
        *,
        words: Corpus | Iterable[Iterable[str]] | None = None,
        labels: Iterable[str] = (),
        on_step: Callable[[str], object] = lambda _: None,
    ) -> Self:
        """Estimate the reliability of the experts from their labels.

        Args:
            predictions: The experts by name (or a list), each with a list of labels per sentence; None abstains.
            words: The words of the sentences, for ``crf-em``.
            labels: Further labels, for example those of gold sentences.
            on_step: Called with a message before each step.
        """
        rows = word_rows(words)
        method = self.method if self.method != AUTO else CRF_EM if rows is not None else DAWID_SKENE
        if method == CRF_EM and rows is None:
            raise InputError("crf-em needs the words: give them as words=, or use dawid-skene")
        by_name = predictions_by_name(predictions)
        ballots = ballots_of(by_name, None, words=rows)
        if not (ballots.votes >= 0).any():
            raise InputError("no expert has a label: there is nothing to learn from")
        ballots = ballots_of(by_name, None, words=rows, labels=sorted({*labels, *ballots.labels, _OUTSIDE}))
        scheme = Scheme.of(self.scheme) if self.scheme else _detect(ballots)
        on_step("estimating the experts from their agreement")
        size, abstaining = len(ballots.labels), self._abstaining(ballots)
        ballots = _silence(ballots, abstaining)
        belief = vote_shares(ballots.votes, size) if method == MAJORITY else dawid_skene(ballots.votes, size)
        taggers = None
        if method == CRF_EM:
            belief, taggers = self._maximise(ballots, belief, LegalDecoder(ballots.labels, scheme), on_step)
        self._fitted = FittedBelief(
            method=method,
            experts=ballots.experts,
            labels=ballots.labels,
            scheme=scheme,
            abstaining=abstaining,
            matrices=confusions(ballots.votes, belief),
            prior=np.log(belief.mean(axis=0) + 1e-12),
            taggers=taggers,
            accuracy={name: _accuracy(column, belief) for name, column in zip(ballots.experts, ballots.votes.T, strict=True)},
        )
        return self

    def _abstaining(self, ballots: Ballots) -> tuple[str, ...]:
        """Return the experts whose label O is no opinion."""
        if isinstance(self.abstain, str) and self.abstain in ("none", AUTO):
            return detect_abstaining(ballots) if self.abstain == AUTO else ()
        names = (self.abstain,) if isinstance(self.abstain, str) else tuple(self.abstain)
        unknown = [name for name in names if name not in ballots.experts]
        if unknown:
            raise InputError(f"abstain: there is no expert {unknown[0]!r}; the experts are {', '.join(ballots.experts)}")
        return tuple(dict.fromkeys(names))

    def _maximise(
        self, ballots: Ballots, belief: FloatArray, decoder: LegalDecoder, on_step: Callable[[str], object]
    ) -> tuple[FloatArray, WordTaggers]:
        """Alternate between word taggers that learn from certain labels, and beliefs from their probabilities and the votes."""
        words = ballots.words or ()
        for number in range(1, self.rounds + 1):
            on_step(f"round {number} of {self.rounds}: training word taggers")
            best = decoder.best(belief, ballots.offsets)
            certain = belief[np.arange(len(best)), best] >= self.certain
            names = [ballots.labels[label] if sure else None for label, sure in zip(best.tolist(), certain.tolist(), strict=True)]
            taggers = WordTaggers.fit(words, ballots.cut(names), self.folds, seed=self.seed)
            prior = np.log(taggers.probabilities(words, ballots.labels))
            belief = normalise(prior + log_evidence(ballots.votes, confusions(ballots.votes, belief)))
        return belief, taggers

    # Pooling ------------------------------------------------------------------------------------------------------------

    def predict(self, predictions: Predictions, *, words: Corpus | Iterable[Iterable[str]] | None = None) -> list[list[str]]:
        """Return the pooled label sequence of every sentence.

        Experts of the fit may be missing. The reliability of new experts is estimated from the sentences at hand.
        """
        return self.predict_with_confidence(predictions, words=words)[0]

    @MemoryFor("pool the predictions; pass fewer at a time")
    def predict_with_confidence(
        self, predictions: Predictions, *, words: Corpus | Iterable[Iterable[str]] | None = None
    ) -> tuple[list[list[str]], list[FloatArray]]:
        """Return the results of :meth:`predict`, and the probability of each label."""
        ballots = self.ballots(predictions, words)
        belief = self.beliefs(ballots)
        fitted = self.fitted
        best = LegalDecoder(fitted.labels, fitted.scheme).best(belief, ballots.offsets)
        confidence = belief[np.arange(len(best)), best]
        labels = ballots.cut([fitted.labels[number] for number in best.tolist()])
        return labels, [confidence[a:b] for a, b in pairwise(ballots.offsets.tolist())]

    def lattices(
        self,
        predictions: Predictions,
        *,
        words: Corpus | Iterable[Iterable[str]] | None = None,
        confidence: Any = None,
    ) -> list[Lattice]:
        """Return the scores of every sentence; label i is ``labels_[i]``. Confidences of experts have no effect."""
        ballots = self.ballots(predictions, words)
        decoder = LegalDecoder(self.fitted.labels, self.fitted.scheme)
        return list(decoder.scored(self.beliefs(ballots), ballots.offsets).lattices())

    def explain(
        self,
        predictions: Predictions,
        *,
        words: Corpus | Iterable[Iterable[str]] | None = None,
        confidence: Any = None,
        number: int = 0,
    ) -> VoteExplanation:
        """Return which expert decided each token of sentence ``number``: how its probability changes without the expert."""
        rows = word_rows(words)
        by_name = predictions_by_name(predictions)
        ballots = ballots_of(by_name, None, words=rows)  # checks the input
        if not 0 <= number < len(ballots):
            raise InputError(f"there is no sentence {number}: expected 0 to {len(ballots) - 1}")
        votes = {name: labels[number] for name, labels in by_name.items()}
        length = int(ballots.lengths[number])
        sentence = ["_"] * length if rows is None else rows[number]

        def lattice_of(remaining: Mapping[str, Any]) -> Lattice:
            filled = {name: [[None] * length if row is None else row] for name, row in remaining.items()}
            return self.lattices(filled, words=None if rows is None else [sentence])[0]

        return explain_votes(lattice_of, self.fitted.labels, votes, sentence)

    def ballots(self, predictions: Predictions, words: Corpus | Iterable[Iterable[str]] | None) -> Ballots:
        """Return the votes with the labels of the fit; other labels, and O of experts that abstain by it, are no vote."""
        fitted = self.fitted
        rows = word_rows(words)
        if fitted.taggers is not None and rows is None:
            raise InputError("the pool was fitted with words: give those of the sentences as words=")
        by_name = predictions_by_name(predictions)
        if not isinstance(predictions, Mapping) and len(by_name) == len(fitted.experts):
            by_name = dict(zip(fitted.experts, by_name.values(), strict=True))
        ballots = ballots_of(by_name, None, words=rows, labels=fitted.labels)
        votes = np.where(ballots.votes < len(fitted.labels), ballots.votes, -1)
        return _silence(replace(ballots, votes=votes, labels=fitted.labels), fitted.abstaining)

    def prior(self, ballots: Ballots) -> FloatArray:
        """Return the probabilities of the word taggers, or those of the labels in general, [tokens][labels]."""
        fitted = self.fitted
        if fitted.taggers is not None:
            return fitted.taggers.probabilities(ballots.words or (), fitted.labels)
        return np.tile(normalise(fitted.prior[None]), (len(ballots.votes), 1))

    def evidence(self, ballots: Ballots, expert: str) -> FloatArray:
        """Return ln P(vote of an expert | label), [tokens][labels]."""
        matrix = self.fitted.matrices[[self.fitted.experts.index(expert)]]
        return log_evidence(ballots.votes[:, [ballots.experts.index(expert)]], matrix)

    def beliefs(self, ballots: Ballots) -> FloatArray:
        """Return the probability of each label at each token."""
        fitted = self.fitted
        if fitted.method == MAJORITY:
            shares = vote_shares(ballots.votes, len(fitted.labels))
            without = (ballots.votes < 0).all(axis=1)
            shares[without] = self.prior(ballots)[without]
            return shares
        scores = np.log(self.prior(ballots))
        for name in ballots.experts:
            if name in fitted.experts:
                scores += self.evidence(ballots, name)
        belief = normalise(scores)
        new = [number for number, name in enumerate(ballots.experts) if name not in fitted.experts]
        if new:
            added = ballots.votes[:, new]
            belief = normalise(scores + log_evidence(added, confusions(added, belief)))
        return belief

    # Fitted parameters --------------------------------------------------------------------------------------------------

    @property
    def fitted(self) -> FittedBelief:
        """The estimated parameters."""
        if self._fitted is None:
            raise NotFittedError("the UnsupervisedPool is not fitted: call fit(predictions, words=...) first, or load one")
        return self._fitted

    @property
    def is_fitted(self) -> bool:
        """Whether the pool is fitted."""
        return self._fitted is not None

    @property
    def experts_(self) -> tuple[str, ...]:
        """Names of the experts."""
        return self.fitted.experts

    @property
    def labels_(self) -> tuple[str, ...]:
        """Labels, in the order of their numbers."""
        return self.fitted.labels

    @property
    def accuracy_(self) -> dict[str, float]:
        """The estimated accuracy of each expert: the mean probability of its labels."""
        return self.fitted.accuracy

    @property
    def abstaining_(self) -> tuple[str, ...]:
        """The experts whose label O is taken as no opinion."""
        return self.fitted.abstaining

    def describe(self, *, top: int = 10, labels: Sequence[str] | None = None, template: str | None = None) -> Description:
        """Return facts about the pool; the arguments are those of taggers, and have no effect."""
        return describe_unsupervised(self, labels=labels, template=template)

    @classmethod
    def from_file(cls: type[Self], file: ModelFile) -> Self:
        """Return the pool of an open model file."""
        pool: Self = read_unsupervised(cls, file)
        return pool

    @MemoryFor("write the pool")
    def to_bytes(self, options: Any = None) -> bytes:
        """Return the content of the file of the pool."""
        return unsupervised_to_bytes(self)

    def save(self, path: str | Path) -> None:
        """Write the pool to a file, atomically."""
        write_bytes(path, self.to_bytes())


def word_rows(words: Corpus | Iterable[Iterable[str]] | None) -> Sequence[Sequence[str]] | None:
    """Return the words of sentences as lists."""
    if words is None:
        return None
    if isinstance(words, Corpus):
        return words.words
    rows = [row if isinstance(row, str) or not hasattr(row, "__iter__") else list(row) for row in as_rows(words, "words")]
    for number, row in enumerate(rows, 1):
        if not isinstance(row, list) or not all(isinstance(word, str) for word in row):
            raise InputError("expected a list of words, each a text", source=f"words, sentence {number}")
    return rows


def detect_abstaining(ballots: Ballots) -> tuple[str, ...]:
    """Return the experts that say O at most of the tokens where the others together say a span.

    Rules and lists know a part of the names. Their O is no evidence against a span.
    """
    if _OUTSIDE not in ballots.labels:
        return ()
    outside = ballots.labels.index(_OUTSIDE)
    inside = 1 - dawid_skene(ballots.votes, len(ballots.labels))[:, outside]
    names = []
    for name, column in zip(ballots.experts, ballots.votes.T, strict=True):
        voted = column >= 0
        missed = inside[voted & (column == outside)].sum() / max(inside[voted].sum(), 1e-12)
        if missed > _MISSES:
            names.append(name)
    return tuple(names) if len(names) < len(ballots.experts) else ()


def _silence(ballots: Ballots, experts: Sequence[str]) -> Ballots:
    """Return the ballots without the votes for O of some experts."""
    if not experts:
        return ballots
    votes: IntArray = ballots.votes.copy()
    outside = ballots.labels.index(_OUTSIDE)
    for column, name in enumerate(ballots.experts):
        if name in experts:
            votes[votes[:, column] == outside, column] = -1
    return replace(ballots, votes=votes)


def _detect(ballots: Ballots) -> Scheme:
    """Return the tag scheme of the votes."""
    names: list[str | None] = [*ballots.labels, None]
    return scheme_of(row for column in ballots.votes.T for row in ballots.cut([names[number] for number in column.tolist()]))


def _accuracy(votes: IntArray, belief: FloatArray) -> float:
    voted = np.flatnonzero(votes >= 0)
    return float(belief[voted, votes[voted]].mean()) if voted.size else 0.0
