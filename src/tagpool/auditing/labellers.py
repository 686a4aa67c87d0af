"""Labellers: anything that labels sentences, with checks of what it returns.

A :class:`Labeller` gives one label per word, or raises an InputError that names the sentence. :func:`labeller_of` makes one
from a model of tagpool, a Python function or an object with ``predict``; other modules of this package have labellers for
spaCy pipelines, CRFsuite models and commands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from tagpool.auditing.conversion import LabelConversion
from tagpool.corpus.corpus import Corpus
from tagpool.errors import InputError, TagpoolError, check_type
from tagpool.experts.sequence_tagger import SequenceTagger
from tagpool.wording import counted

Rows: TypeAlias = list[list[str]]
REPEATED = 50
"""Number of sentences that are labelled twice, to see whether a tagger is deterministic."""


class TaggerError(Exception):
    """An exception of a tagger that is not tagpool's."""


class Labeller:
    """Base of labellers.

    ``model`` is the tagger if it is one of tagpool, else None. ``notes`` has remarks for the user, which grow with use. Types of
    labels are renamed by ``mapping``, such as ``{"PERSON": "PER"}``; spans are written in the scheme of the corpus's labels.
    """

    model: SequenceTagger | None = None
    has_confidence = False

    def __init__(self, name: str, mapping: Mapping[str, str] | None = None) -> None:
        self.name = name
        self.notes: list[str] = []
        self._conversion = LabelConversion(name, mapping or {})
        self._is_checked = False

    @property
    def mapping(self) -> Mapping[str, str]:
        """New names of types of labels."""
        return self._conversion.mapping

    def labels(self, corpus: Corpus) -> Rows:
        """Return one label per word of every sentence.

        The first call labels some sentences twice: other labels at the second time are an error.
        """
        check_type(corpus, Corpus, "a Corpus; make one with read_corpus(path) or Corpus.from_lists(word=...)")
        places = np.flatnonzero(np.diff(corpus.offsets())).tolist()
        part = corpus.drop_empty()
        rows = self._checked_rows(part, places) if places else []
        if places and not self._is_checked:
            self._check_repeatable(part, rows, places)
        converted = self._conversion.convert(rows, part, first=not self._is_checked)
        self._is_checked = self._is_checked or bool(places)
        self.notes = [*dict.fromkeys([*self.notes, *self._conversion.notes()])]
        result: Rows = [[] for _ in range(len(corpus))]
        for place, row in zip(places, converted, strict=True):
            result[place] = row
        return result

    def confidences(self, corpus: Corpus) -> list[list[float]]:
        """Return the probability of each label that :meth:`labels` gives, for labellers with ``has_confidence``."""
        raise InputError("the tagger has no probabilities", source=self.name)

    def _label(self, corpus: Corpus) -> Iterable[Iterable[str]]:
        """Label sentences that have words; failures of foreign code are a TaggerError."""
        raise NotImplementedError

    def _checked_rows(self, corpus: Corpus, places: Sequence[int]) -> Rows:
        try:
            return checked_rows(self._label(corpus), np.diff(corpus.offsets()).tolist(), places, self.name)
        except TaggerError as failure:
            raise self._located(failure, corpus, places) from failure.__cause__

    def _located(self, failure: TaggerError, corpus: Corpus, places: Sequence[int]) -> InputError:
        """Return an error that names the first sentence with a failure."""
        for number, place in enumerate(places):
            sentence = corpus.select([number])
            try:
                checked_rows(self._label(sentence), [sentence.token_count], [place], self.name)
            except TaggerError as one:
                where = f"sentence {place + 1} ({counted(sentence.token_count, 'word')})"
                return InputError(f"{where}: the tagger raised {one}; correct the tagger", source=self.name)
            except TagpoolError:
                continue
        where = counted(len(places), "sentence")
        message = f"the tagger raised {failure} on {where} at once, but on no sentence alone; correct the tagger"
        return InputError(message, source=self.name)

    def _check_repeatable(self, corpus: Corpus, rows: Rows, places: Sequence[int]) -> None:
        """Label the first sentences again; raise an error if the labels differ."""
        sample = corpus[:REPEATED]
        places = places[:REPEATED]
        again = self._checked_rows(sample, places)
        first = rows if len(corpus) <= REPEATED else self._checked_rows(sample, places)
        for place, one, other in zip(places, first, again, strict=True):
            if one != other:
                token = next(number for number, pair in enumerate(zip(one, other, strict=True)) if pair[0] != pair[1])
                difference = f"word {token + 1} got {one[token]!r}, and {other[token]!r} at the second time"
                message = f"sentence {place + 1}: {difference}: the tagger is not deterministic; fix its random seed"
                raise InputError(message, source=self.name)
        if first != rows[: len(first)]:
            self.notes.append(f"{self.name}: the labels of a sentence depend on the other sentences that are labelled with it")


def checked_rows(output: object, lengths: Sequence[int], places: Sequence[int], name: str) -> Rows:
    """Return labels as lists of texts; raise an error unless there is one for every word of every sentence.

    >>> checked_rows([("O", "O")], [2], [0], "mine")
    [['O', 'O']]
    >>> checked_rows([["O"]], [2], [0], "mine")
    Traceback (most recent call last):
    ...
    tagpool.errors.InputError: mine: sentence 1: expected 2 labels, one per word, got 1
    """
    rows = _as_list(output, "a list of labels for every sentence", name)
    labels = []
    for number, row in enumerate(rows):
        where = f"sentence {places[number] + 1}" if number < len(places) else f"list {number + 1}"
        labels.append(_as_list(row, f"{where}: a list of labels", name))
    if len(labels) != len(lengths):
        where = ""
        for row, length, place in zip(labels, lengths, places, strict=False):
            if len(row) != length:
                where = (
                    f"; the first that differs is sentence {place + 1} ({counted(length, 'word')}, {counted(len(row), 'label')})"
                )
                break
        raise InputError(f"expected labels for {counted(len(lengths), 'sentence')}, got {len(labels)}{where}", source=name)
    for row, length, place in zip(labels, lengths, places, strict=True):
        where = f"sentence {place + 1}"
        if len(row) != length:
            hint = (
                "; the number of all labels is right: are the sentences in another order?" if _same_total(labels, lengths) else ""
            )
            message = f"{where}: expected {counted(length, 'label')}, one per word, got {len(row)}{hint}"
            raise InputError(message, source=name)
        for number, label in enumerate(row, 1):
            if not isinstance(label, str) or not label or label.split() != [label]:
                raise InputError(f"{where}, word {number}: expected a label without blanks, got {label!r:.80}", source=name)
    return [[str(label) for label in row] for row in labels]


def _same_total(labels: Sequence[Sequence[Any]], lengths: Sequence[int]) -> bool:
    return sum(map(len, labels)) == sum(lengths)


def _as_list(value: object, expected: str, name: str) -> list[Any]:
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
        raise InputError(f"expected {expected}, got {value!r:.80}", source=name)
    return list(value)


def call_tagger(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call code that is not tagpool's; its exceptions become a TaggerError. A generator is read completely."""
    try:
        result = function(*arguments)
        return list(result) if hasattr(result, "__next__") else result
    except MemoryError:
        raise
    except (Exception, SystemExit) as error:
        text = str(error).strip()
        raise TaggerError(type(error).__name__ + (f": {text}" if text else "")) from error


class ModelLabeller(Labeller):
    """Labels of a model of tagpool."""

    def __init__(self, model: SequenceTagger, name: str, mapping: Mapping[str, str] | None = None) -> None:
        super().__init__(name, mapping)
        if model.takes_features:
            advice = "give a function that computes the features and calls predict (--tagger)"
            raise InputError(f"the model was trained on given features, not on words; {advice}", source=name)
        self.model = model
        self.has_confidence = model.has_probabilities
        self._is_checked = True  # models of tagpool are deterministic

    def _label(self, corpus: Corpus) -> Rows:
        assert self.model is not None
        return self.model.predict(corpus)

    def confidences(self, corpus: Corpus) -> list[list[float]]:
        """Return the probability of each predicted label."""
        if self.model is None or not self.has_confidence:
            return super().confidences(corpus)
        numbers = {label: number for number, label in enumerate(self.model.labels_)}
        result = []
        for row, table in zip(self.model.predict(corpus), self.model.predict_proba(corpus), strict=True):
            result.append(table[np.arange(len(row)), [numbers[label] for label in row]].tolist() if row else [])
        return result


class FunctionLabeller(Labeller):
    """Labels of a function of a list of sentences, each a list of words."""

    def __init__(self, function: Callable[[Rows], Any], name: str, mapping: Mapping[str, str] | None = None) -> None:
        super().__init__(name, mapping)
        self.function = function

    def _label(self, corpus: Corpus) -> Any:
        return call_tagger(self.function, corpus.words)


def labeller_of(tagger: Any, *, name: str | None = None, mapping: Mapping[str, str] | None = None) -> Labeller:
    """Return a labeller: of a model of tagpool, a function of a list of lists of words, or an object with such a ``predict``.

    A labeller is returned as it is. ``mapping`` renames the types of labels.

    >>> rule = lambda sentences: [["B-PER" if word.istitle() else "O" for word in words] for words in sentences]
    >>> labeller_of(rule).labels(Corpus.from_lists(word=[["Ann", "left"], []]))
    [['B-PER', 'O'], []]
    """
    if isinstance(tagger, Labeller):
        return tagger
    if isinstance(tagger, SequenceTagger):
        if not tagger.is_fitted:
            raise InputError(f"the {type(tagger).__name__} is not fitted; call fit(corpus) first, or load a model")
        return ModelLabeller(tagger, name or type(tagger).__name__, mapping)
    predict = getattr(tagger, "predict", None)
    if isinstance(tagger, type) or not (callable(predict) or callable(tagger)):
        expected = "a tagger, a function of a list of lists of words, or an object with predict"
        raise InputError(f"expected {expected}, got {tagger!r:.80}")
    if type(tagger).__module__.startswith("tagpool."):
        raise InputError(f"a {type(tagger).__name__} does not label words; give a tagger")
    function = predict if callable(predict) else tagger
    return FunctionLabeller(function, name or str(getattr(tagger, "__name__", type(tagger).__name__)), mapping)
