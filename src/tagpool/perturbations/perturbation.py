"""Perturbation: a named change of sentences; the types that its function takes and returns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any, NamedTuple, TypeAlias

from tagpool.corpus.corpus import Corpus
from tagpool.corpus.schemes import Span
from tagpool.errors import InputError, check_type


class NotApplicable(InputError):  # noqa: N818 - a reason rather than a fault
    """A perturbation that does not apply to a corpus, such as lower case to a script without case; the message is the reason."""


class NewToken(NamedTuple):
    """A token of a perturbed sentence: its word, and the number of the old token whose label and columns it copies."""

    word: str
    origin: int


@dataclass(frozen=True)
class Text:
    """A sentence to perturb, with its random numbers.

    ``random`` depends on the seed, the name of the perturbation and ``number`` only, so a sentence changes in the same way
    whatever its neighbours are. ``document`` is the number of its document, or ``number`` if documents are not marked.
    ``span_of`` has the number of each token's span in ``spans``, -1 outside. Two neighbours with the same number in ``parts`` may
    become one: tokens of one span, tokens outside all spans (-1), or tokens with equal plain labels. ``find_spans`` and
    ``find_parts`` find them when a change looks at them: most changes do not.
    """

    words: Sequence[str]
    number: int
    document: int
    seed: int
    share: float
    random_seed: str
    find_spans: Callable[[int], Sequence[Span]]
    find_parts: Callable[[int, Sequence[int]], Sequence[int]]

    @cached_property
    def random(self) -> Random:
        """Random numbers of the sentence."""
        return Random(self.random_seed)

    @cached_property
    def spans(self) -> Sequence[Span]:
        """Spans of the labels."""
        return self.find_spans(self.number)

    @cached_property
    def span_of(self) -> Sequence[int]:
        """Number of the span of each token, -1 outside."""
        numbers = [-1] * len(self.words)
        for number, (start, end, _) in enumerate(self.spans):
            numbers[start:end] = [number] * (end - start)
        return numbers

    @cached_property
    def parts(self) -> Sequence[int]:
        """Number of the part of each token."""
        return self.find_parts(self.number, self.span_of)

    def happens(self) -> bool:
        """Return True with the probability ``share``."""
        return self.random.random() < self.share


Change: TypeAlias = Callable[[Text], "Sequence[str | NewToken]"]
"""Return the words of a changed sentence, as many as before, or :class:`NewToken` objects if their number changes."""


@dataclass(frozen=True)
class Perturbation:
    """A named change of text: ``prepare(corpus, **options)`` looks at the corpus once and returns the change of a sentence.

    ``unit`` is the noun for the parts that are changed with the probability ``share``. ``usual_share`` is the share of an audit.

    >>> from tagpool import Corpus, Perturbation, perturb
    >>> def shorten(corpus, letters=3):
    ...     return lambda text: [word[:letters] if text.happens() else word for word in text.words]
    >>> shorter = Perturbation("short", "words cut off", shorten)
    >>> perturb(Corpus.from_lists(word=[["London", "is", "calling"]]), shorter, letters=4).words
    [['Lond', 'is', 'call']]
    """

    name: str
    summary: str
    prepare: Callable[..., Change]
    unit: str = "word"
    usual_share: float = 1.0

    def __post_init__(self) -> None:
        for field in ("name", "summary", "unit"):
            check_type(getattr(self, field), str, f"the {field} of a perturbation as text; name it, such as 'typos'")
        if not self.name or not self.name.isprintable():
            raise InputError(f"the name of a perturbation is {self.name!r}; expected a word such as 'typos'")
        if not callable(self.prepare):
            kind = type(self.prepare).__name__
            raise InputError(f"perturbation {self.name}: expected a function prepare(corpus), got {kind}")
        check_share(self.usual_share)


def check_share(share: Any) -> float:
    """Return a share; raise an error unless it is a number from 0 to 1."""
    if isinstance(share, bool) or not isinstance(share, (int, float)) or not 0 <= share <= 1:
        raise InputError(f"share={share!r}: expected a number from 0 to 1")
    return float(share)


def check_corpus(corpus: object) -> Corpus:
    """Return a corpus; raise an error for other values."""
    check_type(corpus, Corpus, "a corpus; read one with read_corpus(path), or make one with Corpus.from_lists(word=...)")
    assert isinstance(corpus, Corpus)
    return corpus
