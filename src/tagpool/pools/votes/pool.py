"""VotePool: combine the label sequences of taggers that are black boxes, with weights learned from gold labels.

The algorithms are those of Cortes, Kuznetsov and Mohri, "Learning Ensembles of Structured Prediction Rules" (ACL 2014),
as classes in ``methods``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from tagpool.corpus.corpus import Corpus
from tagpool.corpus.files import write_bytes
from tagpool.corpus.rows import as_rows
from tagpool.errors import InputError, MemoryFor, NotFittedError
from tagpool.evaluation.breakdown import edit_distance
from tagpool.evaluation.scores import score
from tagpool.experts.inside.description import Description
from tagpool.experts.model_file import ModelFile
from tagpool.parameters import Exclusive, Parameters, declare_parameters, parameter
from tagpool.pools.votes.alignment import LENGTHS, align_all
from tagpool.pools.votes.automaton import Automaton
from tagpool.pools.votes.ballots import (
    NOTHING,
    Ballots,
    FloatArray,
    LabelRows,
    Predictions,
    Sequences,
    ballots_of,
    check_informative,
    predictions_by_name,
)
from tagpool.pools.votes.description import describe_vote_pool
from tagpool.pools.votes.files import restore, to_bytes
from tagpool.pools.votes.fitted import FittedVotes, mean_loss
from tagpool.pools.votes.guarantees import Guarantees
from tagpool.pools.votes.keys import KEYS, Key
from tagpool.pools.votes.losses import Loss, cost_matrix
from tagpool.pools.votes.methods import METHODS
from tagpool.pools.votes.training import calibrate_pool, checked_settings, choose_beta, learn

Self = TypeVar("Self", bound="VotePool")


@declare_parameters
class VotePool(Parameters):
    """Pool the label sequences of any experts.

    Tokens with the same key share weights; an automaton replaces keys by paths through its states. ``combine`` matters only with
    a ``scheme`` or an ``automaton``, which exclude some sequences. ``loss`` may also weight each gold label, or be a function of
    the gold label and another label.

    >>> gold = [["A", "B"], ["B", "B"], ["A", "A"]] * 10
    >>> first = [["A", "A"], ["B", "A"], ["A", "B"]] * 10
    >>> second = [["B", "B"], ["A", "B"], ["B", "A"]] * 10
    >>> pool = VotePool(key="position").fit({"first": first, "second": second}, gold)
    >>> pool.predict({"first": [["A", "A"]], "second": [["B", "B"]]})
    [['A', 'B']]
    """

    kind = "vote-pool"

    method: str = parameter(default="mvote", choices=tuple(METHODS), kw_only=False, help="Method that learns the weights.")
    key: str | Key = parameter(
        default="shared", choices=KEYS, help="Tokens that share weights: a name, or a function of a Place that returns a name."
    )
    automaton: Automaton | None = parameter(default=None, help="Automaton of path experts, instead of a key.")
    loss: str | Loss = parameter(
        default="hamming", choices=("hamming",), help="Loss: 'hamming', a weight per gold label, or a function of two labels."
    )
    beta: float | str | Sequence[float] = parameter(
        default=0.95,
        minimum=Exclusive(0),
        maximum=Exclusive(1),
        choices=("cv",),
        help="Factor of a weight per error; a list or 'cv' chooses it by cross-validation.",
    )
    delta: float = parameter(
        default=0.05, minimum=Exclusive(0), maximum=Exclusive(1), help="Probability that the guarantees do not hold."
    )
    online_rounds: int | None = parameter(default=None, minimum=2, help="Sentences that online methods learn from; None: all.")
    epsilon: float | None = parameter(
        default=None, minimum=Exclusive(0), help="Inverse noise of fpl; None: 0.5 / (experts · positions)."
    )
    rounds: int = parameter(default=100, minimum=1, help="Maximum number of rounds of espboost and sle.")
    stop_early: bool = parameter(default=False, help="Stop sle in the first round without improvement.")
    combine: str = parameter(default="product", choices=("product", "sum"), help="Multiply or add the votes of a sequence.")
    scheme: str | None = parameter(default=None, help="Tag scheme that labels must follow: iob1, bio2, bioes or bilou.")
    lengths: str = parameter(
        default="same", choices=LENGTHS, help="Outputs of unequal lengths: align them, pad them, or refuse them (same)."
    )
    calibrate: bool = parameter(default=False, help="Calibrate the confidence by cross-validation.")
    unknown: str = parameter(default="error", choices=("error", "allow"), help="Labels that are new after fit.")
    seed: int = parameter(default=1, minimum=0, maximum=(1 << 63) - 1, help="Seed of the random numbers.")

    _fitted: FittedVotes | None = None

    # Fitting ------------------------------------------------------------------------------------------------------------

    @MemoryFor("learn the weights of the experts")
    def fit(
        self: Self, predictions: Predictions, gold: LabelRows | Corpus, *, words: Iterable[Iterable[str]] | None = None
    ) -> Self:
        """Learn the weights of experts from their labels of gold sentences that they were not trained on.

        ``predictions`` has the experts by name (or as a list), each with a list of labels per sentence. None instead of a label
        abstains; None instead of a sentence is a missing expert. Neither counts for or against the expert. Key functions see
        ``words`` (default: those of a gold corpus).
        """
        gold, words = _labels_and_words(gold, words)
        self._check()
        by_name = predictions_by_name(predictions)
        ballots = self._ballots(by_name, gold, words)
        if self.lengths == "same":  # ties go to the first label: by name, since the gold sentences are a sample
            ballots = self._ballots(by_name, gold, words, labels=sorted(ballots.labels))
        check_informative(ballots)
        beta = choose_beta(self, ballots) if isinstance(self.beta, (str, Sequence)) else float(self.beta)
        settings = checked_settings(self, ballots, beta)
        limited = self.online_rounds is not None and METHODS[self.method].online
        train = ballots.select(range(min(self.online_rounds or 0, len(ballots)))) if limited else ballots
        calibration = calibrate_pool(self, ballots, settings) if self.calibrate else None
        self._fitted = replace(learn(self, train, settings), calibration=calibration)
        return self

    def _check(self) -> None:
        """Raise an InputError for parameters that contradict each other."""
        if self.automaton is not None and self.key not in ("shared", "position"):
            raise InputError("expected a key or an automaton, got both")
        if self.automaton is not None and self.scheme is not None:
            raise InputError("expected a scheme or an automaton, got both: each restricts the sequences")
        if self.scheme is not None and (self.lengths != "same" or METHODS[self.method].draws_paths):
            raise InputError("a scheme needs votes on tokens: use lengths='same', and a method other than rand")

    def _ballots(self, predictions: dict[str, Sequences], gold: Any, words: Any, **labels: Any) -> Ballots:
        if not predictions:
            raise InputError("expected two experts or more, got none")
        if self.lengths == "same":
            return ballots_of(predictions, gold, words=words, **labels)
        if callable(self.key):
            raise InputError(f"lengths={self.lengths!r} needs a key by name: aligned columns are not tokens")
        return ballots_of(*align_all(predictions, gold, self.lengths), **labels)

    # Pooling ------------------------------------------------------------------------------------------------------------

    def predict(self, predictions: Predictions, *, words: Iterable[Iterable[str]] | None = None) -> list[list[str]]:
        """Return the pooled label sequence of every sentence. Experts are matched by name; those of a list by order."""
        return self.predict_with_confidence(predictions, words=words)[0]

    def predict_confidence(self, predictions: Predictions, *, words: Iterable[Iterable[str]] | None = None) -> list[FloatArray]:
        """Return the part of the votes for every pooled label; with ``calibrate``, the rate at which such labels are correct."""
        return self.predict_with_confidence(predictions, words=words)[1]

    @MemoryFor("pool the predictions; pass fewer at a time")
    def predict_with_confidence(
        self, predictions: Predictions, *, words: Iterable[Iterable[str]] | None = None
    ) -> tuple[list[list[str]], list[FloatArray]]:
        """Return the results of :meth:`predict` and :meth:`predict_confidence`."""
        return self._pool(predictions, words, open_labels=self.unknown == "allow")

    def _pool(self, predictions: Predictions, words: Any, *, open_labels: bool) -> tuple[list[list[str]], list[FloatArray]]:
        ballots = self._new_ballots(predictions, None, None if words is None else as_rows(words, "words"), open_labels)
        fitted = self._weights()
        numbers, confidences = fitted.vote(ballots, self)
        if fitted.calibration is not None:
            confidences = fitted.calibration(confidences)
        labels = ballots.cut([ballots.labels[number] for number in numbers.tolist()])
        confidence = [np.array(row) for row in ballots.cut(confidences.tolist())]
        if self.lengths == "same":
            return labels, confidence
        present = [[label != NOTHING for label in sentence] for sentence in labels]
        return (
            [[label for label in sentence if label != NOTHING] for sentence in labels],
            [row[np.array(mask, bool)] for row, mask in zip(confidence, present, strict=True)],
        )

    def _new_ballots(self, predictions: Predictions, gold: Any, words: Any, open_labels: bool) -> Ballots:
        """Return ballots with the experts and labels of the fit, in their order."""
        fitted = self._weights()
        by_name = predictions_by_name(predictions)
        if not isinstance(predictions, Mapping) and len(by_name) == len(fitted.experts):
            by_name = dict(zip(fitted.experts, by_name.values(), strict=True))
        if set(by_name) != set(fitted.experts):
            raise InputError(
                f"expected the experts {', '.join(map(repr, fitted.experts))}, got {', '.join(map(repr, by_name))}; "
                "give None for every sentence of a missing expert"
            )
        ordered = {name: by_name[name] for name in fitted.experts}
        return self._ballots(ordered, gold, words, labels=fitted.labels, open_labels=open_labels)

    def mean_loss(self, predictions: Predictions, gold: LabelRows | Corpus, *, words: Any = None) -> float:
        """Return the mean loss of the pooled sentences; with the Hamming loss, the mean rate of wrong tokens.

        For outputs of unequal lengths it is the edit distance relative to the longer sequence; ``loss`` has no effect.

        >>> gold = [["A", "B"], ["B", "A"]]
        >>> experts = {"a": [["A", "B"], ["B", "B"]], "b": [["B", "B"], ["B", "A"]]}
        >>> VotePool("best").fit(experts, gold).mean_loss(experts, gold)
        0.25
        """
        gold_labels, words = _labels_and_words(gold, words)
        if self.lengths != "same":
            labels = self._pool(predictions, words, open_labels=True)[0]
            return edit_distance(gold_labels, labels).normalised
        ballots = self._new_ballots(predictions, gold_labels, words, open_labels=True)
        return mean_loss(ballots, self._weights().vote(ballots, self)[0], cost_matrix(self.loss, ballots.labels))

    def score(self, predictions: Predictions, gold: Any) -> float:
        """Return the F1 of the pooled labels as conlleval counts it (accuracy for plain labels), from 0 to 1."""
        return float(score(gold, self.predict(predictions)).f1)

    # Learned weights ----------------------------------------------------------------------------------------------------

    def _weights(self) -> FittedVotes:
        if self._fitted is None:
            raise NotFittedError("the VotePool is not fitted: call fit(predictions, gold) first, or load one")
        return self._fitted

    @property
    def is_fitted(self) -> bool:
        """Whether the pool is fitted."""
        return self._fitted is not None

    @property
    def experts_(self) -> tuple[str, ...]:
        """Names of the experts."""
        return self._weights().experts

    @property
    def labels_(self) -> tuple[str, ...]:
        """Labels, in the order of their numbers."""
        return tuple(label for label in self._weights().labels if label != NOTHING)

    @property
    def states_(self) -> tuple[str, ...]:
        """Names of the states; empty if weights belong to experts or to the edges of an automaton."""
        return self._weights().states

    @property
    def weights_(self) -> FloatArray:
        """Weights, [states + 1][experts]; the last row is for states that are new after fit. [edges] of an automaton."""
        return self._weights().weights

    @property
    def beta_(self) -> float:
        """The β of the parameter, or the one that was chosen."""
        return self._weights().beta

    @property
    def guarantees_(self) -> Guarantees:
        """Bounds on the loss on new sentences."""
        return self._weights().guarantees

    def describe(self, *, top: int = 10, labels: Sequence[str] | None = None, template: str | None = None) -> Description:
        """Return facts about the pool; the arguments are those of taggers, and have no effect."""
        return describe_vote_pool(self, labels=labels, template=template)

    @classmethod
    def from_file(cls: type[Self], file: ModelFile) -> Self:
        """Return the pool of an open model file."""
        pool: Self = restore(cls, file.container, file.source)
        return pool

    @MemoryFor("write the pool")
    def to_bytes(self, options: Any = None) -> bytes:
        """Return the content of the file of the pool."""
        return to_bytes(self)

    def save(self, path: str | Path) -> None:
        """Write the pool to a file, atomically. A function as key or loss is not saved: set it again after loading."""
        write_bytes(path, self.to_bytes())


def _labels_and_words(gold: Any, words: Any) -> tuple[Any, Any]:
    """Return the gold labels, and the words for key functions (default: those of a gold corpus)."""
    if words is not None:
        words = as_rows(words, "words")
    if isinstance(gold, Corpus):
        return gold.labels, gold.words if words is None else words
    return as_rows(gold, "gold labels"), words
