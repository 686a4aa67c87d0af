"""perturb: a corpus with realistic changes."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from typing import Any

from tagpool.corpus.corpus import Corpus
from tagpool.errors import InputError, check_type
from tagpool.perturbations.perturbation import NewToken, NotApplicable, Perturbation, Text, check_corpus, check_share
from tagpool.perturbations.registry import PERTURBATIONS
from tagpool.perturbations.rewriting import LabelledRows


def perturb(corpus: Corpus, perturbation: str | Perturbation, *, share: float = 1.0, seed: int = 0, **options: Any) -> Corpus:
    """Return a corpus with realistic changes, such as typos. It has the same sentences, documents, spans and columns.

    ``perturbation`` is a name (``lower``, ``upper``, ``title``, ``typos``, ``ocr``, ``spaces``, ``punctuation``,
    ``diacritics``, ``digits``, ``tokens``, ``names``) or a :class:`Perturbation`. ``share`` is the probability that a unit
    changes: a sentence (case, diacritics, digits), a word (typos, ocr, spaces, tokens), a punctuation mark, or a span (names).
    The same ``seed`` gives the same changes; those of a sentence depend on its number, not on its neighbours.

    ``options`` are those of the perturbation: ``mask`` of ``digits``; ``names`` (a corpus whose names are used, else new names
    are made up) and ``known`` (a corpus or words that made-up names must not contain) of ``names``.

    A token that was split copies its label and columns. :class:`NotApplicable`, an InputError, says why nothing can change.

    >>> from tagpool import Corpus
    >>> corpus = Corpus.from_lists(word=[["Well-known", "Ann"]], label=[["O", "B-PER"]])
    >>> perturb(corpus, "lower").words
    [['well-known', 'ann']]
    >>> perturb(corpus, "tokens").words, perturb(corpus, "tokens").labels
    ([['Well', '-', 'known', 'Ann']], [['O', 'O', 'O', 'B-PER']])
    """
    check_corpus(corpus)
    chosen = find_perturbation(perturbation)
    share = check_share(share)
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise InputError(f"seed={seed!r}: expected a whole number")
    _check_options(chosen, options)
    if not share:
        return corpus
    rows = LabelledRows(corpus)
    change = chosen.prepare(corpus, **options)
    if not callable(change):
        raise InputError(f"perturbation {chosen.name}: expected prepare to return a function of a text, got {change!r}")
    changed = [_changed(change, text, chosen.name) for text in _texts(rows, chosen.name, share, seed)]
    if not any(row is not None for row in changed):
        # A small share may leave all units as they are; only if all of them do not change, nothing can.
        everything = _texts(rows, chosen.name, 1.0, seed)
        if share == 1.0 or not any(_changed(change, text, chosen.name) is not None for text in everything):
            raise NotApplicable(f"no {chosen.unit} of the text can change", source=corpus.source)
        return corpus
    return rows.rewrite(changed, chosen.name)


def find_perturbation(perturbation: str | Perturbation) -> Perturbation:
    """Return a registered perturbation by its name, or a perturbation itself."""
    if isinstance(perturbation, Perturbation):
        return perturbation
    check_type(perturbation, str, f"a perturbation or one of the names {', '.join(PERTURBATIONS)}")
    if perturbation not in PERTURBATIONS:
        raise InputError(f"unknown perturbation {perturbation!r}; use one of {', '.join(PERTURBATIONS)}")
    return PERTURBATIONS[perturbation]


def _check_options(perturbation: Perturbation, options: dict[str, Any]) -> None:
    """Raise an error for options that a perturbation does not have."""
    parameters = list(inspect.signature(perturbation.prepare).parameters.values())[1:]
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        return
    known = [parameter.name for parameter in parameters]
    for name in options:
        if name not in known:
            options_text = f"its options are {', '.join(known)}" if known else "it has none"
            raise InputError(f"perturbation {perturbation.name} has no option {name!r}; {options_text}")


def _texts(rows: LabelledRows, name: str, share: float, seed: int) -> Iterator[Text]:
    starts = iter(rows.corpus.document_starts)
    next_start, document = next(starts, None), -1
    has_documents = bool(rows.corpus.document_starts)
    for number, words in enumerate(rows.words):
        while next_start is not None and next_start <= number:
            next_start, document = next(starts, None), document + 1
        yield Text(
            words=words,
            number=number,
            document=document if has_documents else number,
            seed=seed,
            share=share,
            random_seed=f"{seed} {name} {number}",
            find_spans=rows.spans_of,
            find_parts=rows.parts_of,
        )


def _changed(change: Any, text: Text, name: str) -> Sequence[str | NewToken] | None:
    """Return the tokens of a changed sentence, None if all stay."""
    if not text.words:
        return None
    tokens = change(text)
    if isinstance(tokens, str) or not isinstance(tokens, Sequence):
        place = f"perturbation {name}, sentence {text.number + 1}"
        raise InputError(f"expected a list of words, got {type(tokens).__name__}", source=place)
    if tokens == text.words:
        return None
    if len(tokens) == len(text.words) and set(map(type, tokens)) != {str}:
        pairs = zip(tokens, text.words, strict=True)
        if all((token.word if isinstance(token, NewToken) else token) == word for token, word in pairs):
            return None
    return tokens
