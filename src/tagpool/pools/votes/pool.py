"""VotePool: a pool of black boxes. What it is given are label sequences, and gold ones for some sentences; nothing else.

The algorithms are those of Cortes, Kuznetsov and Mohri, "Learning Ensembles of Structured Prediction Rules" (ACL 2014); how each
works is said in ``methods``. This is their face: parameters, demands on the input, and what a fitted pool does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np

from tagpool.corpus.corpus import Corpus
from tagpool.errors import InputError, NotFittedError
from tagpool.evaluation.breakdown import edit_distance
from tagpool.evaluation.scores import score
from tagpool.parameters import Parameters
from tagpool.pools.votes.alignment import LENGTHS, columns_of
from tagpool.pools.votes.automaton import Automaton
from tagpool.pools.votes.ballots import (
    NOTHING,
    Ballots,
    FloatArray,
    IntArray,
    Predictions,
    Sequences,
    ballots_of,
    demand_votes,
    named,
)
from tagpool.pools.votes.calibration import Calibration
from tagpool.pools.votes.files import save
from tagpool.pools.votes.fitted import Fitted, fit_ballots, mean_loss
from tagpool.pools.votes.guarantees import Guarantees
from tagpool.pools.votes.keys import Key
from tagpool.pools.votes.losses import Loss, cost_matrix
from tagpool.pools.votes.methods import METHODS
from tagpool.pools.votes.tuning import best_beta, calibration_of, checked_setting

Self = TypeVar("Self", bound="VotePool")


class VotePool(Parameters):
    """Pools the label sequences of any experts into one that is better.

    ``method``: ``mvote`` (weighted majority vote, the default), ``rand``, ``cv``, ``fpl``, ``fpl_cv``, ``espboost``, ``sle``,
    ``best`` (the best expert alone), ``majority`` (all count alike). ``key`` says which tokens share weights: ``position`` (the
    paper's), ``shared``, ``label``, ``length``, or a function of a :class:`Place`; ``automaton`` gives a general one instead.
    ``loss`` is ``hamming``, a weight for each gold label, or a function of the gold label and another.

    ``beta`` is the factor by which an error lowers a weight, a list of those to choose from by cross-validation, or ``cv`` for a
    usual list; ``delta`` the probability with which guarantees may fail; ``online_rounds`` how many sentences the online methods
    learn from (None: all); ``epsilon`` the inverse of the perturbation of ``fpl`` (None: 0.5 / (experts · positions));
    ``rounds`` the most that ``espboost`` and ``sle`` take; ``stop_early`` ends ``sle`` at the first round without improvement.
    ``combine`` says whether the votes of a sequence are multiplied (``product``) or added up (``sum``), where a ``scheme`` (such
    as ``bio2``) or an ``automaton`` allows some sequences only; else both are the same.

    ``lengths``: ``same``, or for outputs of unequal lengths ``align`` or ``pad``. ``calibrate`` makes confidence the rate of
    right labels, by cross-validation. ``unknown``: whether labels that were not met in fit are an ``error``, or ``allow``-ed.

    >>> gold = [["A", "B"], ["B", "B"], ["A", "A"]] * 10
    >>> first = [["A", "A"], ["B", "A"], ["A", "B"]] * 10
    >>> second = [["B", "B"], ["A", "B"], ["B", "A"]] * 10
    >>> pool = VotePool().fit({"first": first, "second": second}, gold)
    >>> pool.predict({"first": [["A", "A"]], "second": [["B", "B"]]})
    [['A', 'B']]
    """

    kind = "path-pool"

    _fitted: Fitted | None = None
    _calibration: Calibration | None = None
    _beta: float | None = None

    def __init__(
        self,
        method: str = "mvote",
        *,
        key: Key = "position",
        automaton: Automaton | None = None,
        loss: Loss = "hamming",
        beta: float | str | Sequence[float] = 0.95,
        delta: float = 0.05,
        online_rounds: int | None = None,
        epsilon: float | None = None,
        rounds: int = 100,
        stop_early: bool = False,
        combine: str = "product",
        scheme: str | None = None,
        lengths: str = "same",
        calibrate: bool = False,
        unknown: str = "error",
        seed: int = 1,
    ) -> None:
        self.method = method
        self.key = key
        self.automaton = automaton
        self.loss = loss
        self.beta = beta
        self.delta = delta
        self.online_rounds = online_rounds
        self.epsilon = epsilon
        self.rounds = rounds
        self.stop_early = stop_early
        self.combine = combine
        self.scheme = scheme
        self.lengths = lengths
        self.calibrate = calibrate
        self.unknown = unknown
        self.seed = seed

    # Fitting ------------------------------------------------------------------------------------------------------------

    def fit(
        self: Self,
        predictions: Predictions,
        gold: Sequences | Corpus,
        *,
        words: Sequence[Sequence[str]] | None = None,
    ) -> Self:
        """Learns from what experts say of sentences whose labels are known, and which they were not trained on.

        ``predictions`` are the experts by name (or a list of them), each with a list of labels for every sentence: None in the
        place of a label abstains, None in the place of a sentence is an expert that is missing there. Neither is counted for or
        against the expert. ``words`` are only for keys that look at them; those of a gold corpus are taken by themselves.
        """
        if isinstance(gold, Corpus):
            words = gold.words if words is None else words
            gold = gold.labels
        self._check()
        ballots = self._ballots(named(predictions), gold, words)
        demand_votes(ballots)
        self._beta = best_beta(self, ballots) if isinstance(self.beta, (str, Sequence)) else float(self.beta)
        setting = checked_setting(self, ballots, self._beta)
        # The other methods look at all sentences at once.
        online = self.online_rounds is not None and setting.method in METHODS[:5]
        learned_from = ballots.select(range(min(self.online_rounds or 0, len(ballots)))) if online else ballots
        self._fitted = fit_ballots(learned_from, setting, self.key, self.automaton, self.loss)
        self._calibration = calibration_of(self, ballots, setting) if self.calibrate else None
        return self

    def _check(self) -> None:
        """The parameters that need no data to be found wrong."""
        for name, value, allowed in (
            ("method", self.method, METHODS),
            ("combine", self.combine, ("product", "sum")),
            ("lengths", self.lengths, LENGTHS),
            ("unknown", self.unknown, ("error", "allow")),
        ):
            if value not in allowed:
                raise InputError(f"{name}={value!r}: expected one of {', '.join(allowed)}")
        if self.automaton is not None and self.key != "position":
            raise InputError("expected a key or an automaton, got both")
        if self.automaton is not None and self.scheme is not None:
            raise InputError("a scheme and an automaton both say which sequences are allowed: expected one of them")
        if self.scheme is not None and (self.lengths != "same" or self.method == "rand"):
            raise InputError("a scheme needs votes on tokens: it cannot be had with method='rand', nor where lengths differ")

    def _ballots(self, predictions: dict[str, Sequences], gold: Any, words: Any, **labels: Any) -> Ballots:
        if not predictions:
            raise InputError("expected two experts or more, got none: there is nothing to pool")
        if self.lengths == "same":
            return ballots_of(predictions, gold, words=words, **labels)
        if callable(self.key):
            raise InputError(f"a function as key cannot be had with lengths={self.lengths!r}: columns are no tokens")
        return ballots_of(*columns_of(predictions, gold, self.lengths), **labels)

    # Pooling ------------------------------------------------------------------------------------------------------------

    def predict(self, predictions: Predictions, *, words: Sequence[Sequence[str]] | None = None) -> list[list[str]]:
        """The pooled label sequence of every sentence. Experts are found by name; those of a list by their order."""
        return self.predict_with_confidence(predictions, words=words)[0]

    def predict_confidence(self, predictions: Predictions, *, words: Sequence[Sequence[str]] | None = None) -> list[FloatArray]:
        """For every label of :meth:`predict` its share of the votes; with ``calibrate`` how often such labels are right."""
        return self.predict_with_confidence(predictions, words=words)[1]

    def predict_with_confidence(
        self, predictions: Predictions, *, words: Sequence[Sequence[str]] | None = None
    ) -> tuple[list[list[str]], list[FloatArray]]:
        """Both at once."""
        return self._pooled(predictions, words, open_labels=self.unknown == "allow")

    def _pooled(self, predictions: Predictions, words: Any, *, open_labels: bool) -> tuple[list[list[str]], list[FloatArray]]:
        ballots = self._to_pool(predictions, None, words, open_labels)
        numbers, shares = self._vote(ballots)
        if self._calibration is not None:
            shares = self._calibration(shares)
        labels = ballots.cut([ballots.labels[number] for number in numbers.tolist()])
        confidence = [np.array(each) for each in ballots.cut(shares.tolist())]
        if self.lengths == "same":
            return labels, confidence
        there = [[label != NOTHING for label in sentence] for sentence in labels]
        return (
            [[label for label in sentence if label != NOTHING] for sentence in labels],
            [each[np.array(kept, bool)] for each, kept in zip(confidence, there, strict=True)],
        )

    def _to_pool(self, predictions: Predictions, gold: Any, words: Any, open_labels: bool) -> Ballots:
        known = self._found
        given = named(predictions)
        if not isinstance(predictions, Mapping) and len(given) == len(known.experts):
            given = dict(zip(known.experts, given.values(), strict=True))
        if set(given) != set(known.experts):
            raise InputError(
                f"expected the experts {', '.join(map(repr, known.experts))}, got {', '.join(map(repr, given))}; "
                "for one that is missing give None for every sentence"
            )
        ordered = {name: given[name] for name in known.experts}
        return self._ballots(ordered, gold, words, labels=known.labels, open_labels=open_labels)

    def _vote(self, ballots: Ballots) -> tuple[IntArray, FloatArray]:
        return self._found.vote(ballots, self.key, self.automaton, self.scheme, self.combine == "product", self.seed)

    def mean_loss(self, predictions: Predictions, gold: Sequences | Corpus, *, words: Any = None) -> float:
        """The mean loss of the pooled sentences: with the Hamming loss the mean of the shares of wrong tokens.

        Where lengths may differ it is the edit distance, as a share of the longer of the two, and ``loss`` is not looked at.

        >>> gold = [["A", "B"], ["B", "A"]]
        >>> experts = {"a": [["A", "B"], ["B", "B"]], "b": [["B", "B"], ["B", "A"]]}
        >>> VotePool("best").fit(experts, gold).mean_loss(experts, gold)
        0.25
        """
        if isinstance(gold, Corpus):
            words = gold.words if words is None else words
            gold = gold.labels
        if self.lengths != "same":
            labels = self._pooled(predictions, words, open_labels=True)[0]
            return edit_distance(cast("Sequence[Sequence[str]]", gold), labels).normalised
        ballots = self._to_pool(predictions, gold, words, open_labels=True)
        return mean_loss(ballots, self._vote(ballots)[0], cost_matrix(self.loss, ballots.labels))

    def score(self, predictions: Predictions, gold: Any) -> float:
        """The F1 of the pooled labels as conlleval counts it (the accuracy for plain labels), from 0 to 1."""
        return float(score(gold, self.predict(predictions)).f1)

    # What was learned ---------------------------------------------------------------------------------------------------

    @property
    def _found(self) -> Fitted:
        if self._fitted is None:
            raise NotFittedError("the VotePool was not fitted: call fit(predictions, gold) first, or load one")
        return self._fitted

    @property
    def is_fitted(self) -> bool:
        """Whether there is anything to pool with."""
        return self._fitted is not None

    @property
    def experts_(self) -> tuple[str, ...]:
        """The experts' names."""
        return self._found.experts

    @property
    def labels_(self) -> tuple[str, ...]:
        """The labels, in the order of their numbers."""
        return tuple(label for label in self._found.labels if label != NOTHING)

    @property
    def states_(self) -> tuple[str, ...]:
        """The names of the states that have weights of their own; none where all tokens or an automaton's edges have."""
        return self._found.states

    @property
    def weights_(self) -> FloatArray:
        """The weights of the votes: (states + 1, experts), the last row for states not met in fit; or one for each edge."""
        return self._found.weights

    @property
    def beta_(self) -> float:
        """The β that was used: given, or chosen."""
        if self._beta is None:
            raise NotFittedError("the VotePool was not fitted: call fit(predictions, gold) first, or load one")
        return self._beta

    @property
    def guarantees_(self) -> Guarantees:
        """What theory says of the loss to come."""
        return self._found.guarantees

    def save(self, path: str | Path) -> None:
        """Writes the pool to one file, whole or not at all. A function as key or loss is not kept: set it again when loaded."""
        save(self, path)
