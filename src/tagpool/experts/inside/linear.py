"""Explanation of CRF and MaxEnt labels: contributions of features, and the fewest features a label depends on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tagpool.corpus.corpus import Corpus
from tagpool.experts.forbidden import ForbiddenEdges
from tagpool.experts.inside.decisive import Decisions
from tagpool.experts.inside.explanation import (
    INDENT,
    Contribution,
    Explanation,
    TokenExplanation,
    as_lines,
    by_difference,
    check_instead,
    contributions_table,
    describe_other,
)
from tagpool.experts.inside.sentence_weights import Array, SentenceWeights, TokenWeights
from tagpool.experts.linear.expert import Expert
from tagpool.experts.linear.lattices import state_scores
from tagpool.experts.states import States
from tagpool.views.html import Html
from tagpool.wording import counted

_LISTED = 6  # decisive features that the text names


@dataclass(frozen=True)
class LinearExplanation(TokenExplanation):
    """A label compared with the ``runner_up``: the most probable other label, or the label ``chosen`` by the caller.

    Two label sequences are compared: the best one, and the same with the runner-up at this token. ``contributions`` are
    those of the token's features that have weights, with features of the transition into it, largest absolute difference
    first. ``beside`` are the other differences: transitions by name, and transition features of the next token;
    ``transitions`` is their sum. All differences add up to the difference between the scores of the two sequences.

    ``decisive`` is a smallest set of the token's features without which it gets another label, ``instead``, while the rest
    of the sentence stays the same. Both are None if the neighbouring labels alone decide.

    In a model with BILOU inside, the sequences are those of its states, and ``decisive`` may not be the smallest set.
    """

    probability: float
    runner_up: str
    runner_up_probability: float
    feature_count: int
    contributions: list[Contribution]
    beside: list[Contribution]
    transitions: float
    decisive: list[str] | None
    instead: str | None
    chosen: bool = False

    @property
    def heading(self) -> str:
        """The label and the runner-up with their probabilities."""
        other = describe_other(self.runner_up, chosen=self.chosen)
        return f"{self.label} {self.probability:.1%}  ({other} {self.runner_up_probability:.1%})"

    def lines(self, top: int = 8, *, by_template: bool = True) -> list[str]:
        """Contributions and decisive features."""
        lines = as_lines(self.contributions, top, by_template=by_template)
        lines.append(f"{INDENT}{self.transitions:+8.3f}  (neighbouring labels)")
        if self.decisive is None:
            verdict = "the neighbouring labels alone decide: no set of its features changes the label"
        else:
            more = len(self.decisive) - _LISTED
            names = [*self.decisive[:_LISTED], *([f"{more} more"] if more > 0 else [])]
            verdict = f"label {self.instead} without {', '.join(names)}"
        unknown = self.feature_count - len(self.contributions)
        note = (
            f"  ({unknown} of its {counted(self.feature_count, 'feature')} {'has' if unknown == 1 else 'have'} no weight)"
            if unknown
            else ""
        )
        return [*lines, f"{INDENT}{verdict}{note}"]

    def html(self, top: int = 8) -> Html:
        """Contributions, and those of the neighbouring labels together."""
        neighbours = [Contribution("(neighbouring labels)", 0.0, self.transitions)] if self.transitions else []
        return contributions_table([*self.contributions, *neighbours], label=self.label, instead=self.runner_up, top=top)


def explain(tagger: Expert, corpus: Corpus, sentence: int = 0, instead: str | Sequence[str | None] | None = None) -> Explanation:
    """Explains the best labels of a sentence of a corpus; ``instead`` are labels to compare with in place of the runner-up.

    >>> from tagpool import CRF, Corpus
    >>> corpus = Corpus.from_lists(word=[["Ann"], ["Rain"], ["Snow"]], label=[["PER"], ["O"], ["O"]])
    >>> first = explain(CRF("word[0]", l2=0.1).fit(corpus), corpus)[0]
    >>> first.label, first.decisive, first.instead
    ('PER', ['word[0]=Ann'], 'O')
    """
    explainer = _Explainer(tagger, *corpus.document_of(sentence))
    labels = check_instead(instead, explainer.labels, len(explainer.words))
    return Explanation([explainer.explain(place, label) for place, label in enumerate(labels)])


class _Explainer:
    """Scores of a sentence of a document, for the explanation of each token."""

    def __init__(self, tagger: Expert, document: Corpus, sentence: int) -> None:
        self.words = document[sentence].words
        self.weights = SentenceWeights(tagger, document, sentence)
        self.labels = self.weights.labels
        self.states = States(self.labels)
        lattice = list(state_scores(tagger, document).lattices())[sentence]
        allowed = ForbiddenEdges.of_states(tagger).constrain(lattice)
        self.decisions = Decisions(allowed, self.states.label_of)
        self.best = [int(state) for state in allowed.best().labels]
        self.marginals = lattice.marginals()  # of states

    def explain(self, place: int, instead: str | None = None) -> LinearExplanation:
        label, marginals, token = self.best[place], self.marginals[place], self.weights.tokens[place]
        if instead == self.labels[label]:
            instead = None
        probabilities = self.states.sums(marginals)[self.states.label_of] if self.states.merged else marginals
        others = np.where(self.states.label_of == self.states.label_of[label], -1.0, probabilities)
        # The more probable state of the other label.
        of_other = others == others.max() if instead is None else np.array([name == instead for name in self.labels])
        runner_up = int(np.argmax(np.where(of_other, marginals, -1.0)))
        other = [*self.best[:place], runner_up, *self.best[place + 1 :]]
        beside = list(self._differences_beside(place, other))
        decisive = self.decisions.decisive(place, label, token)
        return LinearExplanation(
            word=self.words[place],
            label=self.labels[label],
            probability=float(probabilities[label]),
            runner_up=self.labels[runner_up],
            runner_up_probability=float(probabilities[runner_up]),
            feature_count=token.count,
            contributions=by_difference(_token_contributions(token, place, self.best, other)),
            beside=by_difference(beside),
            transitions=float(sum(one.difference for one in beside)),
            decisive=None if decisive is None else decisive[0],
            instead=None if decisive is None else self.labels[decisive[1]],
            chosen=instead is not None,
        )

    def _differences_beside(self, place: int, other: list[int]) -> Iterator[Contribution]:
        """Differences between two sequences that do not come from the features of a token."""
        for t in (place, place + 1):
            (name, score), (_, other_score) = self.weights.step_into(t, self.best), self.weights.step_into(t, other)
            if score or other_score:
                yield Contribution(name, score, score - other_score)
        if place + 1 < len(self.best):
            for one in _token_contributions(self.weights.tokens[place + 1], place + 1, self.best, other):
                if one.difference:
                    yield Contribution(f"{one.feature} of {self.words[place + 1]}", one.score, one.difference)


def _token_contributions(token: TokenWeights, place: int, best: list[int], other: list[int]) -> Iterator[Contribution]:
    """The contribution of each feature of a token to one sequence, compared with another."""
    for name, row in zip(token.names, token.scores, strict=True):
        yield _contribution(name, row[best[place]], row[other[place]])
    for name, table in zip(token.step_names, token.steps, strict=True):
        yield _contribution(name, table[best[place - 1], best[place]], table[other[place - 1], other[place]])


def _contribution(name: str, score: Array, other: Array) -> Contribution:
    return Contribution(name, float(score), float(score - other))
