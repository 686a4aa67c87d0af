"""Names: the tokens of spans replaced by those of other names of the same type."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random
from typing import Any

from tagpool.corpus.corpus import Corpus
from tagpool.corpus.schemes import Span
from tagpool.errors import InputError
from tagpool.perturbations.letters import has_case
from tagpool.perturbations.made_up_names import Name, NameMaker, count_names
from tagpool.perturbations.perturbation import Change, NewToken, NotApplicable, Perturbation, Text


def names_by_type(corpus: Corpus) -> dict[str, list[Name]]:
    """Return the distinct names of each type, sorted.

    >>> names_by_type(Corpus.from_lists(word=[["Ann", "met", "Bob", "Ray"]], label=[["B-PER", "O", "B-PER", "I-PER"]]))
    {'PER': [('Ann',), ('Bob', 'Ray')]}
    """
    return {kind: sorted(counts) for kind, counts in sorted(count_names(corpus).items())}


def _prepare(corpus: Corpus, names: Corpus | None = None, known: Corpus | Iterable[str] = ()) -> Change:
    """Names are those of the corpus ``names``, or are made up and contain no word of the corpus nor of ``known``."""
    if names is not None:
        return _names_from(corpus, names)
    return _made_up_names(corpus, _vocabulary(known))


def _vocabulary(known: Any) -> set[str]:
    if isinstance(known, Corpus):
        return {word for row in known.words for word in row}
    if isinstance(known, str) or not isinstance(known, Iterable):
        raise InputError(f"known: expected a corpus or a list of words, got {type(known).__name__}")
    words = set(known)
    if wrong := next((word for word in words if not isinstance(word, str)), None):
        raise InputError(f"known: expected a corpus or a list of words, got {type(wrong).__name__} in the list")
    return words


def _names_from(corpus: Corpus, source: Any) -> Change:
    if not isinstance(source, Corpus):
        raise InputError(f"names: expected a corpus with labels, got {type(source).__name__}")
    wanted = names_by_type(corpus)
    try:
        available = names_by_type(source)
    except NotApplicable as reason:
        raise NotApplicable(f"the corpus of names: {reason.message}", source=source.source) from None
    if not wanted.keys() & available.keys():
        types = "; the types there are " + (", ".join(kind or "(none)" for kind in available) or "(none)")
        raise NotApplicable(f"the corpus of names has no name of these types{types}", source=source.source)

    def replace(name: Name, kind: str, random: Random) -> Name:
        others = available.get(kind, [])
        old = " ".join(name).lower()
        for _ in range(10 if others else 0):  # most draws are other names
            other = random.choice(others)
            if " ".join(other).lower() != old:
                return other
        return name

    return _replacement(replace)


def _made_up_names(corpus: Corpus, known: set[str]) -> Change:
    maker = NameMaker(corpus, known)
    return _replacement(maker.rename, by_word=True)


def _replacement(replace: Any, *, by_word: bool = False) -> Change:
    """Return the change of sentences by a function of name, type and random numbers.

    A name has the same replacement everywhere in a document. Without documents that is a sentence.
    """

    def change(text: Text) -> Sequence[str | NewToken]:
        chosen = [span for span in reversed(text.spans) if text.happens()]
        if not chosen:
            return text.words
        row = [NewToken(word, at) for at, word in enumerate(text.words)]
        all_capitals = has_case(line := " ".join(text.words)) and line.upper() == line
        for start, end, kind in chosen:
            old = tuple(text.words[start:end])
            place = f"names {text.seed} {text.document} {kind}"
            new = replace(old, kind, place) if by_word else replace(old, kind, Random(f"{place} {' '.join(old).lower()}"))
            if all_capitals:
                new = tuple(word.upper() for word in new)
            row[start:end] = _placed(new, Span(start, end, kind))
        return row

    return change


def _placed(name: Sequence[str], span: Span) -> list[NewToken]:
    """Return a name with origins in a span: its last word has the last one, the words before have the first ones."""
    last = span.end - 1
    origins = [min(span.start + at, last) for at in range(len(name))]
    if len(name) > 1:
        origins[-1] = last
    return [NewToken(word, origin) for word, origin in zip(name, origins, strict=True)]


NAMES = Perturbation("names", "names replaced by others of the same type", _prepare, unit="span")
