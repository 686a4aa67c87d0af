"""Reasons of errors: the features that favoured the predicted labels of a span over the gold ones.

Only the features of tokens with a wrong label are read. For a chain, two label sequences are compared: the prediction, and the
same with the gold labels of the error. The differences of their scores by feature are exact; those of transitions are summed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tagpool.corpus.corpus import Corpus
from tagpool.errors import InputError, ModelError
from tagpool.evaluation.error_kinds import SpanError
from tagpool.experts.inside.sentence_weights import describe_features, token_weights
from tagpool.experts.linear.expert import Expert
from tagpool.experts.linear.lattices import edge_scores
from tagpool.experts.memory_limit import demand_memory
from tagpool.experts.states import States
from tagpool.report.systems import System
from tagpool.views.explanation import Evidence

MOST = 1000
"""Errors with reasons; the others have none, so that time and size stay bounded."""
_SMALLEST = 0.005  # differences that round to 0 explain nothing
_NEIGHBOURS = "(neighbouring labels)"

Reasons = Callable[[int, SpanError], "list[Evidence] | None"]


def reasons_of(system: System, corpus: Corpus) -> Reasons | None:
    """Return a function of a sentence and its error that returns the evidence; None for systems without features.

    The function returns None where the model does not know a gold label.

    >>> from tagpool import CRF, Corpus
    >>> from tagpool.report.systems import run_tagger
    >>> from tagpool.corpus.schemes import Span
    >>> corpus = Corpus.from_lists(word=[["Ann"], ["Rain"]], label=[["B-PER"], ["O"]])
    >>> system = run_tagger("crf", CRF("word[0]", l2=0.1).fit(corpus), corpus)
    >>> [one.feature for one in reasons_of(system, corpus)(0, SpanError("spurious", None, Span(0, 1, "PER")))][:1]
    []
    """
    tagger = system.tagger
    if tagger is None:
        return None
    try:
        tagger = tagger.merge()
    except (InputError, NotImplementedError):  # a pool that does not merge has votes only
        return None
    source = _Compact(corpus, tagger.columns, by_document=tagger.reads_documents)
    try:
        reasons: Any = (
            _ChainReasons(tagger, system, source) if isinstance(tagger, Expert) else _OtherReasons(tagger, system, source)
        )
        return reasons.evidence  # type: ignore[no-any-return]
    except (InputError, ModelError, MemoryError):  # too many labels for tables of transitions
        return None


class _Compact:
    """Sentences as corpora of their own. A selection shares the strings of the whole corpus, which the encoder looks through."""

    def __init__(self, corpus: Corpus, columns: Sequence[str], *, by_document: bool) -> None:
        self.gold, self.words, self.by_document, self.whole = corpus.labels, corpus.words, by_document, corpus
        self.columns = list(columns)
        self.rows = {name: corpus.column(name) for name in self.columns}
        self._document: tuple[int, int, Corpus] = (0, 0, corpus)

    def sentence(self, number: int) -> tuple[Corpus, int]:
        """Return a corpus with the sentence, and its number there."""
        if not self.by_document:
            return Corpus.from_columns({name: [rows[number]] for name, rows in self.rows.items()}), 0
        first, last, document = self._document
        if not first <= number < last:
            _, place = self.whole.document_of(number)
            part, _ = self.whole.document_of(number)
            first, last = number - place, number - place + len(part)
            columns = {name: rows[first:last] for name, rows in self.rows.items()}
            document = Corpus.from_columns(columns, documents=[0])
            self._document = (first, last, document)
        return document, number - first


class _ChainReasons:
    """Differences of the scores of a CRF or a MaxEnt."""

    def __init__(self, tagger: Expert, system: System, source: _Compact) -> None:
        self.tagger, self.system, self.source = tagger, system, source
        self.model = tagger._fitted()
        self.states = States(self.model.labels)
        self.numbers = {label: number for number, label in enumerate(self.states.labels)}
        demand_memory(tagger, 8 * len(self.states.names) ** 2, "the weights of the transitions", "compare labels only")
        self.edges = edge_scores(self.model)
        self._sentence = -1
        self._features: Any = None

    def evidence(self, sentence: int, error: SpanError) -> list[Evidence] | None:
        """Return the differences by feature, largest first, and that of the transitions."""
        labels, gold = self.system.labels[sentence], self.source.gold[sentence]
        # The states of the error and of its neighbours depend on two labels beside it; scores of further tokens are equal.
        first, last = max(0, error.start - 2), min(len(labels), error.end + 2)
        predicted = labels[first:last]
        other = [*labels[first : error.start], *gold[error.start : error.end], *labels[error.end : last]]
        if not set(other) <= set(self.numbers):
            return None
        ours, theirs = self._states(predicted), self._states(other)
        places = [place for place, (one, two) in enumerate(zip(ours, theirs, strict=True)) if one != two]
        # Features with the label before also count at the token after a wrong one.
        read = sorted({*places, *(place + 1 for place in places if self.model.has_history and place + 1 < len(ours))})
        differences: list[Evidence] = []
        for place in read:
            token = token_weights(self.model, *self._token_features(sentence, first + place))
            values = token.scores[:, ours[place]] - token.scores[:, theirs[place]]
            pairs = list(zip(token.names, values.tolist(), strict=True))
            if place and len(token.step_names):
                steps = token.steps[:, ours[place - 1], ours[place]] - token.steps[:, theirs[place - 1], theirs[place]]
                pairs += zip(token.step_names, steps.tolist(), strict=True)
            word = f" of {self.source.words[sentence][first + place]}" if [place] != places else ""
            differences += [Evidence(f"{name}{word}", value) for name, value in pairs if abs(value) >= _SMALLEST]
        ends = first == 0, last == len(labels)
        beside = self._path(ours, *ends) - self._path(theirs, *ends)
        if abs(beside) >= _SMALLEST:
            differences.append(Evidence(_NEIGHBOURS, beside))
        return sorted(differences, key=lambda one: (-abs(one.difference), one.feature))

    def _states(self, labels: Sequence[str]) -> list[int]:
        numbers = np.array([self.numbers[label] for label in labels], np.int32)
        if not self.states.merged:
            return numbers.tolist()  # type: ignore[no-any-return]
        return self.states.refine(numbers, np.array([0, len(numbers)], np.uint32)).tolist()

    def _path(self, states: Sequence[int], begins: bool, ends: bool) -> float:
        """Return the sum of the weights of transitions, with those from the start and into the end of the sentence."""
        total = float(self.edges[states[:-1], states[1:]].sum())
        return total + begins * float(self.edges[-2, states[0]]) + ends * float(self.edges[-1, states[-1]])

    def _token_features(self, sentence: int, place: int) -> tuple[Any, Any]:
        if sentence != self._sentence:
            document, number = self.source.sentence(sentence)
            self._sentence, self._features = sentence, describe_features(self.tagger, document, number)
        features, steps = self._features
        return features[place], steps[place] if place else []


class _OtherReasons:
    """Contributions of the explanation of another tagger, for the first wrong token of an error."""

    def __init__(self, tagger: Any, system: System, source: _Compact) -> None:
        self.tagger, self.system, self.source = tagger, system, source
        self.labels = set(tagger.labels_)

    def evidence(self, sentence: int, error: SpanError) -> list[Evidence] | None:
        """Return the contributions, largest first."""
        predicted, gold = self.system.labels[sentence], self.source.gold[sentence]
        place = next((at for at in range(error.start, error.end) if predicted[at] != gold[at]), None)
        if place is None or gold[place] not in self.labels:
            return None
        document, number = self.source.sentence(sentence)
        instead = [gold[place] if at == place else None for at in range(len(gold))]
        token = self.tagger.explain(document, number, instead=instead)[place]
        contributions = getattr(token, "contributions", None)
        if contributions is None:
            return None
        return [Evidence(one.feature, one.difference) for one in contributions if abs(one.difference) >= _SMALLEST]
