"""StackedPool: combine experts with a CRF whose features are their labels and the words (stacking, Wolpert 1992)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from tagpool.chain.lattice import Lattice
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.files import write_bytes
from tagpool.corpus.schemes import Scheme, Span
from tagpool.errors import InputError, MemoryFor, NotFittedError
from tagpool.experts.inside.description import Description
from tagpool.experts.model_file import ModelFile
from tagpool.parameters import Exclusive, Parameters, declare_parameters, parameter
from tagpool.pools.stacked.confidence import span_probabilities
from tagpool.pools.stacked.description import describe_stack
from tagpool.pools.stacked.files import read_stack, stack_to_bytes
from tagpool.pools.stacked.fitted import FittedStack
from tagpool.pools.stacked.held_out import HeldOut, hold_out
from tagpool.pools.stacked.inputs import check_gold, confidence_rows, document_numbers, gold_label_rows, sentence_lengths
from tagpool.pools.stacked.precision import Threshold
from tagpool.pools.stacked.sentences import StackSentences
from tagpool.pools.stacked.training import StackSettings, StackTraining
from tagpool.pools.unsupervised.decoding import scheme_of
from tagpool.pools.unsupervised.fitted import AUTO, DAWID_SKENE
from tagpool.pools.unsupervised.pool import UnsupervisedPool, word_rows
from tagpool.pools.vote_explanation import VoteExplanation, explain_votes
from tagpool.pools.votes.ballots import FloatArray, LabelRows, Predictions, ballots_of, predictions_by_name
from tagpool.wording import counted

Self = TypeVar("Self", bound="StackedPool")
Words = Corpus | Iterable[Iterable[str]]
Confidence = Mapping[str, Iterable[Iterable[float | None] | None]]


@declare_parameters
class StackedPool(Parameters):
    """Learn from gold sentences how to combine the labels of experts.

    A CRF has the labels of the experts as features: at the token and its neighbours, in pairs, as patterns of agreement, and with
    their confidences. Other features are the words, and the labels of an :class:`UnsupervisedPool` that is fitted on all
    sentences, also those without gold labels. The experts must not be trained on the gold sentences; for taggers of your own,
    get their labels with :func:`cross_val_predict`. One expert is enough.

    An expert may abstain and may be missing later, because the stack is also trained on copies without one of the experts.
    ``missing_`` is what that costs.

    >>> from tagpool import builtin_corpus
    >>> gold = builtin_corpus(60)
    >>> list_of_names = [["B-PER" if word.istitle() else "O" for word in words] for words in gold.words]
    >>> nothing = [["O"] * len(words) for words in gold.words]
    >>> pool = StackedPool().fit({"capitals": list_of_names, "nothing": nothing}, gold)
    >>> pool.experts_, pool.fitted.f1 > 0.5
    (('capitals', 'nothing'), True)
    """

    kind = "stacked-pool"

    words: bool = parameter(default=True, help="Whether words are features of the stack.")
    unsupervised: bool = parameter(default=True, help="Whether labels of a pool without gold labels are features.")
    abstain: str | Sequence[str] = parameter(
        default="none", help="Experts whose O means 'no opinion': names, 'none', or 'auto' to detect them."
    )
    l2: float | None = parameter(default=None, minimum=Exclusive(0), help="Penalty of the stack; None: by cross-validation.")
    folds: int = parameter(default=5, minimum=2, help="Cross-validation folds over documents or sentences.")
    scheme: str | None = parameter(default=None, help="Tag scheme of the labels: iob1, bio2, bioes or bilou; None: detected.")
    seed: int = parameter(default=1, minimum=0, maximum=(1 << 63) - 1, help="Seed of the random numbers.")

    _fitted: FittedStack | None = None
    held_out_: HeldOut | None = None  # of the last fit; not in files

    @MemoryFor("fit the stacked pool")
    def fit(
        self: Self,
        predictions: Predictions,
        gold: LabelRows | Corpus,
        *,
        words: Words | None = None,
        documents: Sequence[int] | None = None,
        confidence: Confidence | None = None,
        on_step: Callable[[str], object] = lambda _: None,
    ) -> Self:
        """Learn from the gold sentences, and from the sentences without gold labels.

        Args:
            predictions: The experts by name (or a list), each with a list of labels per sentence. None instead of a label
                abstains; None instead of a sentence is a missing expert.
            gold: The gold labels of each sentence, None for sentences without; or a corpus of the same sentences.
            words: The words of the sentences (default: those of a gold corpus).
            documents: The number of the document of each sentence. Sentences of one document are in one fold.
            confidence: The confidence of experts in their labels, from 0 to 1, by name.
            on_step: Called with a message before each step.
        """
        if isinstance(gold, Corpus):
            words = gold if words is None else words
            documents = document_numbers(gold) if documents is None else documents
            gold = gold.labels
        by_name = predictions_by_name(predictions)
        sentences = self._sentences(by_name, gold, words, confidence or {})
        if documents is not None and len(documents) != len(sentences):
            raise InputError(
                f"documents: expected a number for each of {counted(len(sentences), 'sentence')}, got {len(documents)}"
            )
        scheme = Scheme.of(self.scheme) if self.scheme else scheme_of(row for row in sentences.gold if row)
        unsupervised = self._fit_unsupervised(sentences, scheme, words is not None, on_step) if self.unsupervised else None
        sentences = sentences.with_unsupervised(unsupervised)
        return self.fit_sentences(sentences, documents, scheme, words=words is not None, on_step=on_step)

    def fit_sentences(
        self: Self,
        sentences: StackSentences,
        documents: Sequence[int] | None,
        scheme: Scheme,
        *,
        words: bool = True,
        on_step: Callable[[str], object] = lambda _: None,
    ) -> Self:
        """Learn from sentences that have the beliefs of a fitted :class:`UnsupervisedPool` already.

        The beliefs do not depend on the gold labels, so that several samples of gold sentences share them.
        """
        training = StackTraining.of(sentences, documents, self.folds, self.seed)
        settings = StackSettings(words=self.words and words)
        plain = None
        if self.l2 is None:
            settings, plain = training.choose(settings, on_step)
        else:
            settings = StackSettings(self.l2, virtual=training.virtual is not None, words=settings.words)
        held_out = replace(hold_out(training, settings, scheme, on_step), plain_labels=plain)
        on_step("training the stack")
        self._fitted = FittedStack(
            experts=sentences.names,
            confident=tuple(sentences.names[number] for number in sentences.confidence),
            stack=training.fit(range(len(training.gold)), settings, copies=True),
            unsupervised=sentences.unsupervised,
            settings=settings,
            scheme=scheme,
            f1=held_out.f1,
            missing=held_out.missing,
            spans=held_out.spans,
            token_calibration=held_out.token_calibration,
            span_calibration=held_out.span_calibration,
            errors=held_out.calibration_errors,
        )
        self.held_out_ = held_out
        return self

    def _fit_unsupervised(
        self, sentences: StackSentences, scheme: Scheme, has_words: bool, on_step: Callable[[str], object]
    ) -> UnsupervisedPool:
        """Return a pool without gold labels, fitted on all sentences; it knows the labels of gold, too."""
        method = AUTO if has_words else DAWID_SKENE
        pool = UnsupervisedPool(method, abstain=self.abstain, seed=self.seed, scheme=scheme.value)
        labels = {label for row in sentences.gold for label in row or () if label is not None}
        experts = dict(zip(sentences.names, sentences.experts, strict=True))
        return pool.fit(experts, words=sentences.words, labels=labels, on_step=on_step)

    def _sentences(
        self, by_name: Mapping[str, Any], gold: LabelRows | None, words: Words | None, confidence: Confidence
    ) -> StackSentences:
        """Check the input, and return it."""
        if not by_name:
            raise InputError("expected the predictions of experts, got none")
        rows = word_rows(words)
        gold_rows = None if gold is None else gold_label_rows(gold)
        filled = gold_rows
        if gold_rows is not None:
            check_gold(gold_rows)
            lengths = [len(row) for row in rows] if rows is not None else sentence_lengths(by_name)
            pairs = zip(gold_rows, lengths, strict=True) if len(gold_rows) == len(lengths) else None
            filled = gold_rows if pairs is None else [[None] * length if row is None else row for row, length in pairs]
        ballots = ballots_of(by_name, filled, words=rows)  # checks the numbers of sentences, tokens and labels
        unknown = [name for name in confidence if name not in by_name]
        if unknown:
            raise InputError(f"confidence: there is no expert {unknown[0]!r}; the experts are {', '.join(by_name)}")
        names = tuple(by_name)
        values = {names.index(name): confidence_rows(rows, name, ballots.lengths.tolist()) for name, rows in confidence.items()}
        return StackSentences(
            names=names,
            words=rows if rows is not None else [["_"] * length for length in ballots.lengths.tolist()],
            experts=[[None if row is None else list(row) for row in by_name[name]] for name in names],
            confidence=values,
            gold=[None] * len(ballots) if gold_rows is None else gold_rows,
        )

    # Pooling ------------------------------------------------------------------------------------------------------------

    def predict(
        self, predictions: Predictions, *, words: Words | None = None, confidence: Confidence | None = None
    ) -> list[list[str]]:
        """Return the pooled label sequence of every sentence. Experts may be missing; new ones help the unsupervised pool."""
        rows: list[list[str]] = self.fitted.stack.predict(self.new_sentences(predictions, words, confidence).corpus())
        return rows

    @MemoryFor("pool the predictions; pass fewer at a time")
    def predict_with_confidence(
        self, predictions: Predictions, *, words: Words | None = None, confidence: Confidence | None = None
    ) -> tuple[list[list[str]], list[FloatArray]]:
        """Return the results of :meth:`predict`, and the calibrated probability of each label."""
        fitted = self.fitted
        corpus = self.new_sentences(predictions, words, confidence).corpus()
        labels, numbers = fitted.stack.predict(corpus), {label: n for n, label in enumerate(fitted.stack.labels_)}
        values = []
        for row, marginals in zip(labels, fitted.stack.predict_proba(corpus), strict=True):
            chosen = marginals[np.arange(len(row)), [numbers[label] for label in row]]
            values.append(chosen if fitted.token_calibration is None else fitted.token_calibration(chosen))
        return labels, values

    @MemoryFor("pool the predictions; pass fewer at a time")
    def predict_spans(
        self, predictions: Predictions, *, words: Words | None = None, confidence: Confidence | None = None, raw: bool = False
    ) -> list[list[tuple[Span, float]]]:
        """Return the spans of every sentence with their calibrated probabilities.

        ``raw`` probabilities are those of the stack, which :meth:`threshold` refers to.
        """
        fitted = self.fitted
        corpus = self.new_sentences(predictions, words, confidence).corpus()
        rules = fitted.scheme.constraints(fitted.stack.labels_)
        rows = []
        pairs = zip(fitted.stack.lattices(corpus), fitted.stack.predict(corpus), strict=True)
        for lattice, labels in pairs:
            row = span_probabilities(lattice, labels, rules)
            if fitted.span_calibration is not None and not raw:
                values = fitted.span_calibration(np.array([value for _, value in row]))
                row = [(span, float(value)) for (span, _), value in zip(row, values, strict=True)]
            rows.append(row)
        return rows

    def threshold(self, precision: float, *, level: float = 0.95, probabilities: FloatArray | None = None) -> Threshold | None:
        """Return the raw span probability from which the precision holds with probability ``level``.

        It is a bound from spans of gold sentences by pools that were fitted without them. Documents differ, so few documents
        give a weak bound. ``probabilities`` are the raw ones of the spans to choose from (default: those of the gold sentences).
        None: no threshold reaches the precision.
        """
        return self.fitted.spans.threshold(precision, level, probabilities)

    def lattices(
        self, predictions: Predictions, *, words: Words | None = None, confidence: Confidence | None = None
    ) -> list[Lattice]:
        """Return the scores of every sentence; label i is ``labels_[i]``."""
        return self.fitted.stack.lattices(self.new_sentences(predictions, words, confidence).corpus())

    def explain(
        self, predictions: Predictions, *, words: Words | None = None, confidence: Confidence | None = None, number: int = 0
    ) -> VoteExplanation:
        """Return which expert decided each token of sentence ``number``: how its probability changes without the expert."""
        sentences = self.new_sentences(predictions, words, confidence)
        if not 0 <= number < len(sentences):
            raise InputError(f"there is no sentence {number}: expected 0 to {len(sentences) - 1}")
        one = sentences.select([number])
        stack, names = self.fitted.stack, one.names
        votes = {name: rows[0] for name, rows in zip(names, one.experts, strict=True)}

        def lattice_of(remaining: Mapping[str, Any]) -> Lattice:
            blank = next((i for i, name in enumerate(names) if remaining[name] is None and votes[name] is not None), None)
            return stack.lattices(one.corpus(blank=blank))[0]

        return explain_votes(lattice_of, stack.labels_, votes, one.words[0])

    def new_sentences(self, predictions: Predictions, words: Words | None, confidence: Confidence | None) -> StackSentences:
        """Return sentences with the experts of the fit, in their order; missing ones abstain everywhere."""
        fitted = self.fitted
        by_name = predictions_by_name(predictions)
        if not isinstance(predictions, Mapping) and len(by_name) == len(fitted.experts):
            by_name = dict(zip(fitted.experts, by_name.values(), strict=True))
        if not set(by_name) & set(fitted.experts):
            raise InputError(f"expected one of the experts {', '.join(fitted.experts)}, got {', '.join(by_name)}")
        reads_words = fitted.settings.words or (
            fitted.unsupervised is not None and fitted.unsupervised.fitted.taggers is not None
        )
        if words is None and reads_words:
            raise InputError("the pool was fitted with words: give those of the sentences as words=")
        known = confidence or {}
        unknown = [name for name in known if name not in by_name and name not in fitted.experts]
        if unknown:
            raise InputError(f"confidence: there is no expert {unknown[0]!r}; the experts are {', '.join(fitted.experts)}")
        used = {name: rows for name, rows in known.items() if name in fitted.confident and name in by_name}
        sentences = self._sentences(by_name, None, words, used)
        places = {name: number for number, name in enumerate(by_name)}
        added = {name: by_name[name] for name in by_name if name not in fitted.experts}
        count = len(sentences)
        complete = StackSentences(
            names=fitted.experts,
            words=sentences.words,
            experts=[by_name.get(name, [None] * count) for name in fitted.experts],
            confidence={
                fitted.experts.index(name): sentences.confidence[places[name]] if name in used else [None] * count
                for name in fitted.confident
            },
            gold=sentences.gold,
        )
        return complete.with_unsupervised(fitted.unsupervised, added)

    # Fitted parameters --------------------------------------------------------------------------------------------------

    @property
    def fitted(self) -> FittedStack:
        """The fitted parameters."""
        if self._fitted is None:
            raise NotFittedError("the StackedPool is not fitted: call fit(predictions, gold) first, or load one")
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
        return self.fitted.stack.labels_

    @property
    def missing_(self) -> dict[str, float]:
        """The F1 that is lost when an expert is missing, by cross-validation on the gold sentences."""
        return self.fitted.missing

    def describe(self, *, top: int = 10, labels: Sequence[str] | None = None, template: str | None = None) -> Description:
        """Return facts about the pool, and the features of the stack with the largest weights."""
        return describe_stack(self, top=top, labels=labels, template=template)

    @classmethod
    def from_file(cls: type[Self], file: ModelFile) -> Self:
        """Return the pool of an open model file."""
        pool: Self = read_stack(cls, file)
        return pool

    @MemoryFor("write the pool")
    def to_bytes(self, options: Any = None) -> bytes:
        """Return the content of the file of the pool."""
        return stack_to_bytes(self)

    def save(self, path: str | Path) -> None:
        """Write the pool to a file, atomically."""
        write_bytes(path, self.to_bytes())
