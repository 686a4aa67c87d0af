"""What the rest of a document says about a word: columns beside the words, for names that are mentioned more than once.

Sentences in capitals (headlines) say nothing about how a word is written otherwise, and are told apart.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import groupby

from tagpool.corpus.corpus import Corpus

_NONE = "-"
_MIXED = "mixed"
_FORMS = "lCU"  # small, capital first, all capitals
_TITLE = 0.8  # of the words with a capital make a headline
Sentences = Sequence[Sequence[str]]


def with_occurrences(corpus: Corpus) -> Corpus:
    """The corpus with three more columns.

    ``case``: of the sentence, "upper", "title", "mixed" or "none". ``elsewhere``: how other occurrences of the word in the
    document are written, of l (small), C (capital first) and U (all capitals), in sentences of mixed case but not at their
    beginning. ``around``: where the word stands in the longest run of capitalised words that it is met in: "first", "inner" or
    "last".

    >>> corpus = Corpus.from_lists(word=[["the", "talks", "of", "Ann", "Lee"], ["LEE", "TALKS"], ["Lee", "talks"]])
    >>> found = with_occurrences(corpus)
    >>> found.column("case")[1], found.column("elsewhere")[1], found.column("around")[2]
    (['upper', 'upper'], ['C', 'l'], ['last', '-'])
    """
    words = corpus.words
    starts = corpus.documents or [0]
    cases = [_case(sentence) for sentence in words]
    elsewhere: list[list[str]] = []
    around: list[list[str]] = []
    for begin, end in zip(starts, [*starts[1:], len(words)], strict=True):
        document = _Document(words[begin:end], cases[begin:end])
        elsewhere += document.elsewhere()
        around += document.around()
    repeated = [[case] * len(sentence) for case, sentence in zip(cases, words, strict=True)]
    return corpus.with_column("case", repeated).with_column("elsewhere", elsewhere).with_column("around", around)


class _Document:
    """The sentences of a document, each with its case, and what is met in those of mixed case."""

    def __init__(self, sentences: Sentences, cases: Sequence[str]) -> None:
        self._sentences, self._cases = sentences, cases
        self._forms: dict[str, Counter[str]] = defaultdict(Counter)
        self._places: dict[str, tuple[int, str]] = {}  # the length of the longest run, and the place in it
        for sentence in (each for each, case in zip(sentences, cases, strict=True) if case == _MIXED):
            for at, word in enumerate(sentence):
                self._forms[word.lower()][_form(word, at)] += 1
            for is_run, run in groupby(sentence, _is_capitalised):
                if is_run:
                    self._note(list(run))

    def _note(self, run: Sequence[str]) -> None:
        for at, word in enumerate(run):
            place = "first" if at == 0 else "last" if at == len(run) - 1 else "inner"
            key = word.lower()
            if len(run) > max(1, self._places.get(key, (0, _NONE))[0]):
                self._places[key] = (len(run), place)

    def elsewhere(self) -> list[list[str]]:
        return [
            [self._others(word, _form(word, at) if case == _MIXED else "") for at, word in enumerate(sentence)]
            for sentence, case in zip(self._sentences, self._cases, strict=True)
        ]

    def _others(self, word: str, own: str) -> str:
        """The forms of a word, its own occurrence apart."""
        counts = self._forms.get(word.lower(), Counter())
        return "".join(form for form in _FORMS if counts[form] > (form == own)) or _NONE

    def around(self) -> list[list[str]]:
        return [
            [self._places.get(word.lower(), (0, _NONE))[1] if _is_capitalised(word) else _NONE for word in sentence]
            for sentence in self._sentences
        ]


def _is_capitalised(word: str) -> bool:
    return word[0].isupper()


def _form(word: str, at: int) -> str:
    """How a word is written, in a letter; nothing for a capital at the beginning of a sentence, and for what has no letters."""
    if not _is_capitalised(word):
        return "l" if word[0].isalpha() else ""
    return "" if at == 0 else "U" if word.isupper() and len(word) > 1 else "C"


def _case(sentence: Sequence[str]) -> str:
    letters = [word for word in sentence if any(map(str.isalpha, word))]
    if not letters:
        return "none"
    if all(map(str.isupper, letters)):
        return "upper"
    return "title" if len(letters) > 2 and sum(map(_is_capitalised, letters)) >= _TITLE * len(letters) else _MIXED
