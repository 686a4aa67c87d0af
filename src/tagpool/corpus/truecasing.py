"""Truecasing: the usual capitals of words, for sentences that have lost theirs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from tagpool.corpus.corpus import WORD, Corpus
from tagpool.errors import InputError, check_type
from tagpool.wording import counted

_SEVERAL = 2  # words with case, before their sentence counts as one without capitals


class Truecaser:
    """The usual form of each word, such as NATO or London.

    ``forms`` are the words whose usual form has capitals; all others are written small. ``begins_large``: sentences begin with
    a capital. Only sentences in which all letters are small, or all are capitals, are changed, if they have several words with
    case.

    >>> corpus = Corpus.from_lists(word=[["They", "left", "London", "."], ["She", "left", "too", "."]])
    >>> truecaser = Truecaser.of(corpus)
    >>> truecaser.restore(Corpus.from_lists(word=[["the", "cat", "left", "london"], ["She", "left"]])).words
    [['The', 'cat', 'left', 'London'], ['She', 'left']]
    """

    def __init__(self, forms: Iterable[str], *, begins_large: bool = True) -> None:
        check_type(forms, Iterable, "the words with capitals; learn them with Truecaser.of(corpus)")
        words = list(forms)
        for form in words:
            check_type(form, str, "words with capitals")
        self.forms = {form.lower(): form for form in sorted(words)}
        self.begins_large = begins_large

    @classmethod
    def of(cls, corpus: Corpus) -> Truecaser:
        """Learn the most frequent form of each word.

        The first word of a sentence may have its capital from its position: it counts only if the word is nowhere else.
        Sentences without capitals, or with no other letters, do not count.
        """
        _check_corpus(corpus)
        if WORD not in corpus.columns:
            message = f"no column {WORD!r}, whose capitals are learned; the columns are {', '.join(corpus.columns)}"
            raise InputError(message, source=corpus.source)
        inner: dict[str, Counter[str]] = {}
        first: dict[str, Counter[str]] = {}
        large = 0
        for words in corpus.words:
            cased = [word for word in words if _has_case(word)]
            if not cased or has_lost_capitals(words):
                continue
            large += 1 if cased[0][0] != cased[0][0].lower() else -1
            for word in cased[1:]:
                inner.setdefault(word.lower(), Counter())[word] += 1
            first.setdefault(cased[0].lower(), Counter())[cased[0]] += 1
        counts = first | inner
        if not counts:
            raise InputError("no capitals to learn: no sentence has large and small letters", source=corpus.source)
        # Among equally frequent forms, the one with fewer capitals.
        usual = (max(sorted(forms, reverse=True), key=forms.__getitem__) for forms in counts.values())
        return cls((form for form in usual if form != form.lower()), begins_large=large > 0)

    def __len__(self) -> int:
        return len(self.forms)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Truecaser):
            return NotImplemented
        return (self.forms, self.begins_large) == (other.forms, other.begins_large)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Truecaser: {counted(len(self.forms), 'word')} with capitals>"

    def restore(self, corpus: Corpus) -> Corpus:
        """Return a corpus in which the sentences without capitals have the usual ones; this corpus if no sentence needs them."""
        _check_corpus(corpus)
        if WORD not in corpus.columns:
            raise InputError(f"no column {WORD!r} to restore; the columns are {', '.join(corpus.columns)}", source=corpus.source)
        rows = corpus.words
        lost = [number for number, words in enumerate(rows) if has_lost_capitals(words)]
        if not lost:
            return corpus
        for number in lost:
            rows[number] = self.restored(rows[number])
        return corpus.with_column(WORD, rows)

    def restored(self, words: Sequence[str]) -> list[str]:
        """Return the usual forms of the words of a sentence.

        >>> Truecaser(["NATO", "Oslo"]).restored(["IT", "LEFT", "NATO", "IN", "OSLO"])
        ['It', 'left', 'NATO', 'in', 'Oslo']
        """
        result = [self.forms.get(word.lower(), word.lower()) if _has_case(word) else word for word in words]
        first = next((at for at, word in enumerate(result) if _has_case(word)), None)
        if self.begins_large and first is not None and result[first] == result[first].lower():
            large = result[first][0].upper()
            if len(large) == 1:  # not ß
                result[first] = large + result[first][1:]
        return result


def has_lost_capitals(words: Sequence[str]) -> bool:
    """Whether several words of a sentence have letters with case, and all of these are small, or all are capitals.

    >>> has_lost_capitals(["ann", "left"]), has_lost_capitals(["ANN", "LEFT"]), has_lost_capitals(["Ann", "left"])
    (True, True, False)
    """
    cased = [word for word in words if _has_case(word)]
    if len(cased) < _SEVERAL:
        return False
    return all(word == word.lower() for word in cased) or all(word == word.upper() for word in cased)


def _check_corpus(corpus: object) -> None:
    check_type(corpus, Corpus, "a corpus; read one with read_corpus(path), or make one with Corpus.from_lists(word=...)")


def _has_case(word: str) -> bool:
    return word.lower() != word.upper()
