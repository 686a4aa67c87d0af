"""Why an expert gives a sentence its labels: the features that decided each token, and those it could not do without."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tagpool.chain.lattice import Lattice
from tagpool.corpus.corpus import Corpus
from tagpool.errors import InputError
from tagpool.experts.inside.decisive import Decisions
from tagpool.experts.inside.sentence_weights import Array, SentenceWeights, TokenWeights
from tagpool.experts.linear.expert import Expert
from tagpool.experts.linear.lattices import state_labels


@dataclass(frozen=True)
class Contribution:
    """What a feature of a token adds: ``score`` to its label, ``difference`` to its lead over the runner-up."""

    feature: str
    score: float
    difference: float


@dataclass(frozen=True)
class TokenExplanation:
    """Why a token has its label rather than the ``runner_up``, the most probable other one.

    Two label sequences are compared: the best one, and the same with the runner-up in this place (in a chain of order 2, where
    the labels beside it may forbid that, the best one with it). ``contributions`` are those of the token's features that have
    weights, also of the transition into it, the largest differences (of either sign) first. ``beside`` is what else makes a
    difference: transitions, with their names, and the features of transitions into other tokens; ``transitions`` is its sum,
    None if the token can have no other label. The differences add up to that of the sequences' scores.

    ``decisive`` is a smallest set of the token's features without which it gets another label, ``instead``, with the rest of
    the sentence as it is; both are None if there is no such set, because its neighbours alone make the label the best.
    """

    word: str
    label: str
    probability: float
    runner_up: str
    runner_up_probability: float
    feature_count: int
    contributions: list[Contribution]
    beside: list[Contribution]
    transitions: float | None
    decisive: list[str] | None
    instead: str | None


def explain(expert: Expert, corpus: Corpus, sentence: int = 0) -> list[TokenExplanation]:
    """Explains the best labels of a sentence of a corpus.

    >>> from tagpool import CRF, Corpus
    >>> corpus = Corpus.from_lists(word=[["Ann"], ["Rain"], ["Snow"]], label=[["PER"], ["O"], ["O"]])
    >>> first = explain(CRF("word[0]", l2=0.1).fit(corpus), corpus)[0]
    >>> first.label, first.decisive, first.instead
    ('PER', ['word[0]=Ann'], 'O')
    """
    if expert._fitted().given:
        raise InputError("the model was trained on given features: only features of templates can be explained")
    told = _Sentence(expert, *corpus.document_of(sentence))
    return [told.explained(place) for place in range(len(told.words))]


class _Sentence:
    """A sentence of a document with its scores."""

    def __init__(self, expert: Expert, document: Corpus, sentence: int) -> None:
        self.words = document[sentence].words
        self.lattice = expert.lattices(document)[sentence]
        self.weights = SentenceWeights(expert, document, sentence)
        self.labels = self.weights.labels
        self.states = state_labels(expert)
        count = len(self.labels)
        before = np.concatenate([np.full(count, -1), np.array([a for a, _ in self.weights.states], np.int64)])
        self.decisions = Decisions(self.lattice, self.states, before)
        self.best = self._labels_of(self.lattice)
        self.marginals = self.lattice.marginals() @ (self.states[:, None] == np.arange(count)).astype(np.float64)

    def _labels_of(self, lattice: Lattice) -> list[int]:
        return [int(label) for label in self.states[lattice.best().labels]]

    def explained(self, place: int) -> TokenExplanation:
        label, marginals, token = self.best[place], self.marginals[place], self.weights.tokens[place]
        runner_up = int(np.argmax(np.where(np.arange(len(self.labels)) == label, -1.0, marginals)))
        other = self._with(place, runner_up)
        compared = other if other is not None else [*self.best[:place], runner_up, *self.best[place + 1 :]]
        own = list(_of_token(token, place, self.best, compared))
        beside = [] if other is None else list(self._beside(place, other))
        decisive = self.decisions.decisive(place, label, token)
        return TokenExplanation(
            word=self.words[place],
            label=self.labels[label],
            probability=float(marginals[label]),
            runner_up=self.labels[runner_up],
            runner_up_probability=float(marginals[runner_up]),
            feature_count=token.count,
            contributions=_sorted(own),
            beside=_sorted(beside),
            transitions=None if other is None else sum(each.difference for each in beside),
            decisive=None if decisive is None else decisive.names,
            instead=None if decisive is None else self.labels[decisive.instead],
        )

    def _with(self, place: int, label: int) -> list[int] | None:
        """The best labels with another one in a place, the others as they are if they may be."""
        swapped = [*self.best[:place], label, *self.best[place + 1 :]]
        if self.weights.is_possible(swapped):
            return swapped
        if label not in self.decisions.possible_labels(place):
            return None
        others = np.flatnonzero(self.states != label).tolist()
        return self._labels_of(self.lattice.constrained(forbidden={place: others}))

    def _beside(self, place: int, other: list[int]) -> Iterator[Contribution]:
        """Where two sequences differ beside the features of a token."""
        for t in range(len(self.best) + 1):
            steps = zip(self.weights.steps_into(t, self.best), self.weights.steps_into(t, other), strict=True)
            differing = [(a, b) for a, b in steps if a.name != b.name and (a.score or b.score)]
            yield from (Contribution(a.name, a.score, a.score - b.score) for a, b in differing)
            if t in (place, len(self.best)):
                continue
            changes = self.best[t] != other[t] or (t > 0 and self.best[t - 1] != other[t - 1])
            for each in _of_token(self.weights.tokens[t], t, self.best, other) if changes else ():
                if each.score or each.difference:
                    yield Contribution(f"{each.feature} of {self.words[t]}", each.score, each.difference)


def _of_token(token: TokenWeights, place: int, best: list[int], other: list[int]) -> Iterator[Contribution]:
    """What each feature of a token says for one sequence, and for it rather than another."""
    for name, row in zip(token.names, token.scores, strict=True):
        yield _contribution(name, row[best[place]], row[other[place]])
    for name, table in zip(token.step_names, token.steps, strict=True):
        yield _contribution(name, table[best[place - 1], best[place]], table[other[place - 1], other[place]])


def _contribution(name: str, score: Array, other: Array) -> Contribution:
    return Contribution(name, float(score), float(score - other))


def _sorted(found: list[Contribution]) -> list[Contribution]:
    return sorted(found, key=lambda each: -abs(each.difference))
