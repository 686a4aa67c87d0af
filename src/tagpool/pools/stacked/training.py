"""Training of a stack: copies with one expert blanked, virtual sentences, and settings chosen by cross-validation."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from tagpool.corpus.concatenation import concatenate
from tagpool.corpus.corpus import Corpus
from tagpool.evaluation.scores import score
from tagpool.evaluation.significance import PairedBootstrap, document_bootstrap
from tagpool.experts.linear.crf import CRF
from tagpool.experts.tasks import iterate_tasks
from tagpool.optim.lbfgs import LBFGS
from tagpool.pools.stacked.sentences import StackSentences
from tagpool.pools.stacked.table import stack_templates

Labels = list[list[str]]
OnStep = Callable[[str], object]
_MOST_COPIES = 4  # of a sentence, each without another expert
_VIRTUAL = 300  # sentences with labels of the pool without gold labels
_VIRTUAL_WEIGHT = 0.01  # of such a sentence: a weak prior, worth three gold sentences
_ITERATIONS = 100
_FEWER_ITERATIONS = 50  # in cross-validation
_FEWEST_ITERATIONS = 25  # where only differences of scores matter
_PENALTIES = (1.0, 0.3, 3.0)  # the first is the default
_DRAWS = 1000


@dataclass(frozen=True)
class StackSettings:
    """Settings of a stack: the penalty, and whether virtual sentences are added."""

    l2: float = _PENALTIES[0]
    virtual: bool = False
    words: bool = True


@dataclass(frozen=True, eq=False)
class StackTraining:
    """Gold sentences with their folds, and a sample of the others as virtual sentences."""

    gold: StackSentences
    units: Sequence[int]
    folds: Sequence[Sequence[int]]
    virtual: StackSentences | None
    seed: int = 1

    @classmethod
    def of(cls, sentences: StackSentences, documents: Sequence[int] | None, folds: int, seed: int) -> StackTraining:
        """Return the training data; ``documents`` are the numbers of the documents of all sentences."""
        gold = gold_numbers(sentences.gold)
        others = [number for number in range(len(sentences)) if number not in set(gold) and sentences.words[number]]
        units = list(range(len(gold))) if documents is None else [documents[number] for number in gold]
        virtual = None
        if others and sentences.unsupervised is not None:
            sample = random.Random(seed).sample(others, min(_VIRTUAL, len(others)))
            virtual = sentences.select(sorted(sample))
        if len(set(units)) < 2:  # one document: sentences are all there is
            units = list(range(len(gold)))
        return cls(sentences.select(gold), units, make_folds(units, folds, seed), virtual, seed)

    def fit(self, numbers: Sequence[int], settings: StackSettings, *, copies: bool, iterations: int = _ITERATIONS) -> CRF:
        """Train a stack on gold sentences."""
        gold = self.gold.select(numbers)
        labels = [row or () for row in gold.gold]
        corpora: list[Corpus] = [gold.corpus()]
        rows = [*labels]
        weights = [1.0] * len(gold)
        if copies:
            for corpus, chosen, weight in _blanked(gold):
                corpora.append(corpus)
                rows += [labels[number] for number in chosen]
                weights += [weight] * len(chosen)
        if settings.virtual and self.virtual is not None:
            corpora.append(self.virtual.corpus())
            rows += self._virtual_labels(labels)
            weights += [_VIRTUAL_WEIGHT] * len(self.virtual)
        stack = CRF(self._templates(settings), trainer=LBFGS(iterations=iterations), l2=settings.l2, min_count=1, seed=self.seed)
        return stack.fit(concatenate(corpora), rows, sample_weight=weights)

    def _virtual_labels(self, gold: Sequence[Sequence[str | None]]) -> list[list[str | None]]:
        """Return the labels of the virtual sentences.

        Labels that gold lacks are unknown there, if most labels of spans are such: the experts have another label set then. Else
        the gold sentences are too few to have all labels.
        """
        assert self.virtual is not None
        known = {label for row in gold for label in row}
        rows: list[list[str | None]] = [[*row] for row in self.virtual.unsupervised_labels()]
        spans = [label for row in rows for label in row if label != "O"]
        if sum(label in known for label in spans) >= len(spans) / 2:
            return rows
        return [[label if label in known else None for label in row] for row in rows]

    def _templates(self, settings: StackSettings) -> str:
        further: tuple[str, ...] = ()
        if self.gold.unsupervised is not None:
            further = ("u",) if self.gold.unsupervised.fitted.taggers is None else ("u", "w")
        return stack_templates(len(self.gold.names), confident=tuple(self.gold.confidence), further=further, words=settings.words)

    def held_out(
        self, settings: StackSettings, *, copies: bool, share: float = 1.0, iterations: int = _FEWER_ITERATIONS
    ) -> Iterator[tuple[Sequence[int], CRF | str]]:
        """Yield the sentences of each fold, with a stack that was trained on (a share of) the others, or their only label."""
        fit = partial(_fit_fold, self, settings, copies=copies, share=share, iterations=iterations)
        yield from zip(self.folds, iterate_tasks(fit, self.folds), strict=True)

    def cross_val_labels(self, settings: StackSettings, *, share: float = 1.0) -> Labels:
        """Return the labels of the gold sentences by stacks that were trained without them, shortly and without copies."""
        labels: Labels = [[] for _ in range(len(self.gold))]
        for fold, stack in self.held_out(settings, copies=False, share=share, iterations=_FEWEST_ITERATIONS):
            part = self.gold.select(fold)
            for number, row in zip(fold, predict_fold(stack, part), strict=True):
                labels[number] = row
        return labels

    def choose(self, start: StackSettings, on_step: OnStep) -> tuple[StackSettings, Labels]:
        """Choose virtual sentences and the penalty by cross-validation.

        Virtual sentences are the safe choice: they are left out only if that is better by a standard error. The labels of the
        gold sentences by cross-validation are returned, too.
        """
        best = replace(start, virtual=self.virtual is not None)
        on_step("cross-validation of the stack")
        labels = self.cross_val_labels(best)
        if best.virtual:
            on_step("cross-validation of the stack without virtual sentences")
            others = self.cross_val_labels(start)
            gain = self.gain(labels, others)
            if gain.difference > gain.standard_error:
                best, labels = start, others
        for penalty in _PENALTIES[1:]:
            on_step(f"cross-validation of the stack with l2={penalty}")
            settings = replace(best, l2=penalty)
            others = self.cross_val_labels(settings)
            gain = self.gain(labels, others)
            if gain.difference > gain.standard_error:
                best, labels = settings, others
        return best, labels

    def gain(self, first: Labels, second: Labels, *, by_sentence: bool = False) -> PairedBootstrap:
        """Compare two labellings of the gold sentences, by documents or by sentences."""
        one, other = (known_only(self.gold, labels) for labels in (first, second))
        units = range(len(self.gold)) if by_sentence else self.units
        return document_bootstrap(self.gold_labels, one, other, units, draws=_DRAWS, seed=self.seed)

    def score(self, labels: Labels) -> float:
        """Return the F1 (accuracy of plain labels) on the gold sentences."""
        return float(score(self.gold_labels, known_only(self.gold, labels)).f1)

    @property
    def gold_labels(self) -> Labels:
        """The gold labels; unknown ones are O, as in :func:`known_only`."""
        return [[label or "O" for label in row or ()] for row in self.gold.gold]


def _fit_fold(
    training: StackTraining, settings: StackSettings, fold: Sequence[int], *, copies: bool, share: float, iterations: int
) -> CRF | str:
    """Train on the sentences outside a fold; return their only label if there is no other."""
    train = sorted(set(range(len(training.gold))) - set(fold))
    if share < 1:
        train = sorted(random.Random(training.seed).sample(train, max(2, round(share * len(train)))))
    labels = {label for number in train for label in training.gold.gold[number] or () if label is not None}
    if len(labels) < 2:
        return min(labels, default="O")
    return training.fit(train, settings, copies=copies, iterations=iterations)


def gold_numbers(rows: Sequence[Sequence[str | None] | None]) -> list[int]:
    """Return the numbers of the sentences with a gold label."""
    return [number for number, row in enumerate(rows) if any(label is not None for label in row or ())]


def predict_fold(stack: CRF | str, part: StackSentences, blank: int | None = None) -> Labels:
    """Return the labels of sentences by a stack, or the only label of its training data everywhere."""
    if isinstance(stack, str):
        return [[stack] * len(words) for words in part.words]
    labels: Labels = stack.predict(part.corpus(blank=blank))
    return labels


def known_only(gold: StackSentences, labels: Labels) -> Labels:
    """Return labels with O at tokens without a gold label, so that they do not count."""
    return [
        [label if known is not None else "O" for label, known in zip(row, gold_row or (), strict=True)]
        for row, gold_row in zip(labels, gold.gold, strict=True)
    ]


def _blanked(gold: StackSentences) -> Iterator[tuple[Corpus, list[int], float]]:
    """Yield copies of the sentences without one expert, their numbers, and their weight; the weights of a sentence sum to 1."""
    experts = len(gold.names)
    if experts < 2:
        return
    copies = min(experts, _MOST_COPIES)
    for expert in range(experts):
        chosen = [number for number in range(len(gold)) if (expert - number) % experts < copies]
        if chosen:
            yield gold.select(chosen).corpus(blank=expert), chosen, 1 / copies


def make_folds(units: Sequence[int], folds: int, seed: int) -> list[list[int]]:
    """Return the positions of each fold; positions with the same unit (document) are in one fold.

    >>> sorted(map(sorted, make_folds([7, 7, 8, 9], 2, seed=1)))
    [[0, 1], [2, 3]]
    """
    members: dict[int, list[int]] = {}
    for position, unit in enumerate(units):
        members.setdefault(unit, []).append(position)
    order = list(members.values())
    random.Random(seed).shuffle(order)
    order.sort(key=len, reverse=True)  # large documents first, each to the smallest fold
    parts: list[list[int]] = [[] for _ in range(min(folds, len(order)))]
    for unit_positions in order:
        min(parts, key=len).extend(unit_positions)
    return [sorted(part) for part in parts]
