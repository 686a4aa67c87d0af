"""Models that learn every training sentence twice, once without the letters of its words.

Letters of a known word say as much as the word itself, and then the context gets small weights. Unknown words share few letters
with others, and need it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from tagpool.corpus.concatenation import concatenate
from tagpool.corpus.corpus import Corpus
from tagpool.experiments.corpora import Split
from tagpool.experiments.fits import Labels, Model

LETTERS = "letters"


@dataclass
class HiddenLetters(Model):
    """A model with templates from :func:`read_letters`."""

    def fit(self, value: float, seed: int, split: Split) -> Any:
        """Return a model that is trained on both copies."""
        hidden = with_letters(split.train, hidden=True)
        train = concatenate([with_letters(split.train), hidden])
        return super().fit(value, seed, replace(split, train=train, dev=with_letters(split.dev)))

    def decode(self, tagger: Any, corpus: Corpus) -> Labels:
        """Return the labels of a fitted model; it sees all letters."""
        return super().decode(tagger, with_letters(corpus))


def read_letters(text: str) -> str:
    """Return templates whose n-grams read the column of letters.

    >>> read_letters("word[0]\\nngrams(word, 1..6, edges)[0]")
    'word[0]\\nngrams(letters, 1..6, edges)[0]'
    """
    return text.replace("ngrams(word", f"ngrams({LETTERS}")


def with_letters(corpus: Corpus, *, hidden: bool = False) -> Corpus:
    """Return the corpus with a column of letters: the words, or nothing."""
    return corpus.with_column(LETTERS, [["" for _ in row] for row in corpus.words] if hidden else corpus.words)
