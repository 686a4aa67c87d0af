"""Sentences of spaCy documents as token numbers. Tokens of blanks alone belong to no sentence: no label is theirs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tagpool.corpus.schemes import Span
from tagpool.corpus.spacy.library import import_spacy


def sentence_tokens(document: Any, whole: Iterable[Span] = (), first: Iterable[int] | None = None) -> list[list[int]]:
    """Return the token numbers of each sentence; the document is one sentence if its sentences are not set.

    A boundary inside one of the spans ``whole`` is no boundary. ``first`` has the first token of each sentence, if others than
    those of the document are wanted.
    """
    if first is not None:
        starts = set(first)
    else:
        starts = {sentence.start for sentence in document.sents} if document.has_annotation("SENT_START") else {0}
    for span in whole:
        starts.difference_update(range(span.start + 1, span.end))
    sentences: list[list[int]] = []
    for token in document:
        if token.i in starts or not sentences:
            sentences.append([])
        if not token.text.isspace():  # token.is_space needs a vocabulary with the rules of a language
            sentences[-1].append(token.i)
    return [sentence for sentence in sentences if sentence]


def make_document(
    vocab: Any, sentences: Sequence[Sequence[str]], blanks: Sequence[Sequence[str]] | None = None, **options: Any
) -> Any:
    """Return a document of sentences of words. Blanks that follow a token are one blank or no blank in spaCy."""
    words = [word for sentence in sentences for word in sentence]
    starts = [number == 0 for sentence in sentences for number in range(len(sentence))]
    spaces = None if blanks is None else [bool(blank) for sentence in blanks for blank in sentence]
    return import_spacy("a document").tokens.Doc(vocab, words=words, spaces=spaces, sent_starts=starts, **options)
