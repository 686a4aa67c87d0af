"""Words that a tagger knows: those of its training text, or those that its model has weights for."""

from __future__ import annotations

import re
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tagpool.corpus.corpus import WORD, Corpus
from tagpool.experts.sequence_tagger import SequenceTagger

_WORD_TEMPLATE = re.compile(r"\w+\[(-?\d+)\]")


class KnownWords(Protocol):
    """Anything that tells known words from unknown ones; ``source`` says where they come from."""

    source: str

    def knows(self, words: list[str]) -> NDArray[np.bool_]:
        """Return whether each word is known."""


class TextWords:
    """Words of a text."""

    def __init__(self, corpus: Corpus, source: str) -> None:
        self.source = source
        self._words = {word for row in corpus.words for word in row}

    def knows(self, words: list[str]) -> NDArray[np.bool_]:
        """Return whether each word is in the text.

        >>> TextWords(Corpus.from_lists(word=[["Ann"]]), "training").knows(["Ann", "Bea"]).tolist()
        [True, False]
        """
        return np.array([word in self._words for word in words], bool)


class ModelWords:
    """Words that a model has weights for, by the feature of the word itself; pools know the words of all members."""

    source = "the model"

    def __init__(self, models: list[tuple[object, str]]) -> None:
        self._models = models

    @classmethod
    def of(cls, tagger: SequenceTagger, column: str) -> ModelWords | None:
        """Return the words of a tagger; None if it has no feature of the word alone, or does not say which have weights."""
        models: list[tuple[object, str]] = []
        for one in tagger.single_taggers():
            model = one._fitted()
            keys = [key for key in model.template_keys if key.partition("[")[0] == column and _WORD_TEMPLATE.fullmatch(key)]
            if not keys or not hasattr(model, "has_weights"):
                return None
            models.append((model, min(keys, key=_distance)))
        return cls(models) if models else None

    def knows(self, words: list[str]) -> NDArray[np.bool_]:
        """Return whether a member has weights for each word."""
        known = np.zeros(len(words), bool)
        for model, key in self._models:
            hashes = model.keys_of([f"{key}={word}" for word in words])  # type: ignore[attr-defined]
            known |= np.frombuffer(model.has_weights(hashes), np.uint8).astype(bool)  # type: ignore[attr-defined]
        return known


def word_column(corpus: Corpus) -> str:
    """Return the name of the column of words."""
    return WORD if WORD in corpus.columns else corpus.columns[0]


def unknown_words(corpus: Corpus, known: KnownWords) -> NDArray[np.bool_]:
    """Return for each word of a corpus whether it is unknown.

    >>> corpus = Corpus.from_lists(word=[["Ann", "saw"], ["Ann"]])
    >>> unknown_words(corpus, TextWords(Corpus.from_lists(word=[["saw"]]), "training")).tolist()
    [True, False, True]
    """
    column = word_column(corpus)
    ids = corpus.ids(column)
    numbers, places = np.unique(ids, return_inverse=True)  # the strings may be those of a larger corpus
    strings = corpus.strings(column)
    return ~known.knows([strings[number] for number in numbers.tolist()])[places] if len(ids) else np.zeros(0, bool)


def _distance(key: str) -> tuple[int, int]:
    match = _WORD_TEMPLATE.fullmatch(key)
    offset = int(match[1]) if match else 0
    return abs(offset), offset
