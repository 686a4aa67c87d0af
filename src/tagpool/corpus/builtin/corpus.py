"""The built-in corpus as a :class:`Corpus`."""

from __future__ import annotations

from tagpool.corpus.builtin.generate import Part, draw_sentences
from tagpool.corpus.corpus import LABEL, WORD, Corpus


def builtin_corpus(
    count: int = 2000, *, seed: int = 1, part: Part = "train", unseen: float = 0.4, lowercase: float = 0.0
) -> Corpus:
    """Draw ``count`` distinct sentences with the columns word, pos, chunk and label (BIO2; PER, LOC, ORG, MISC).

    In dev and test, a fraction ``unseen`` of the names does not occur in training, and a fraction ``lowercase`` of the
    sentences has no capitals. No sentence belongs to two parts.

    >>> builtin_corpus(100, part="test").columns
    ('word', 'pos', 'chunk', 'label')
    """
    sentences = draw_sentences(count, seed=seed, part=part, unseen=unseen, lowercase=lowercase)
    names = (WORD, "pos", "chunk", LABEL)
    columns = {name: [[row[i] for row in rows] for rows in sentences] for i, name in enumerate(names)}
    return Corpus.from_columns(columns, source=f"built-in {part}")
