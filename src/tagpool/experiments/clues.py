"""Additional columns for part-of-speech tagging, and blocks of sentences as documents.

They address errors on dev: words with hyphens are nouns or adjectives by their parts, participles differ from past tenses by
the auxiliary before them, which may be several words away, and names repeat within a text.
"""

from __future__ import annotations

from collections.abc import Sequence

from tagpool.corpus.corpus import Corpus

_REACH = 6  # words to the left that are searched for an auxiliary
BLOCK = 25  # sentences per document
_NONE = "-"
_NO_PART = "_"
_AUXILIARIES = {
    "be": "be am is are was were been being 's 're 'm",
    "have": "have has had having 've 'd",
    "do": "do does did n't",
    "modal": "will would can could may might must shall should 'll ca wo",
    "to": "to",
}
_KINDS = {word: kind for kind, words in _AUXILIARIES.items() for word in words.split()}
_BY_FORM = ("be", "have", "do")
_STARTS = {
    word: kind
    for kind, words in {
        "wh": "which who what when while where how",
        "and": "and or",
        "if": "if because",
        **{word: word for word in ("that", "but", "as", "than", "by", "--", ";", ":")},
    }.items()
    for word in words.split()
}
_ENDS = frozenset((";", ":", "--", "."))


def with_clues(corpus: Corpus) -> Corpus:
    """Return the corpus with more columns, and with blocks of sentences as documents.

    ``head`` and ``tail`` are parts of words with hyphens, ``near``, ``left`` and ``right`` auxiliaries around a word.
    """
    words = [[word.lower() for word in sentence] for sentence in corpus.words]
    columns = {name: corpus.column(name) for name in corpus.columns}
    columns |= {
        "head": [[part(word, 0) for word in sentence] for sentence in words],
        "tail": [[part(word, -1) for word in sentence] for sentence in words],
        "near": [nearest(sentence) for sentence in words],
        "left": [behind(sentence) for sentence in words],
        "right": [behind(sentence[::-1])[::-1] for sentence in words],
    }
    return Corpus.from_columns(columns, documents=range(0, len(corpus), BLOCK), source=corpus.source)


def part(word: str, number: int) -> str:
    """Return the first part of a word with hyphens (0), or the last (-1).

    >>> part("half-baked", -1), part("baked", -1), part("--", 0)
    ('baked', '_', '_')
    """
    return word.split("-")[number] or _NO_PART if "-" in word[1:-1] else _NO_PART


def nearest(sentence: Sequence[str]) -> list[str]:
    """Return for each word the previous auxiliary (marked if adjacent), or the start of the clause if that is nearer.

    >>> nearest(["has", "recently", "said", "that", "he", "left"])
    ['start', 'have:has:next', 'have:has', 'have:has', 'that', 'that']
    """
    return [_nearest(sentence, at) for at in range(len(sentence))]


def _nearest(sentence: Sequence[str], at: int) -> str:
    for distance in range(1, _REACH + 1):
        if distance > at:
            return "start"
        word = sentence[at - distance]
        if word in _KINDS:
            kind = _KINDS[word]
            return (f"{kind}:{word}" if kind in _BY_FORM else kind) + (":next" if distance == 1 else "")
        if word in _STARTS:
            return _STARTS[word]
    return _NONE


def behind(sentence: Sequence[str]) -> list[str]:
    """Return for each word the kind of the last auxiliary before it in the same clause.

    >>> behind(["has", "recently", "said", ";", "he"])
    ['-', 'have', 'have', 'have', '-']
    """
    kinds: list[str] = []
    last = _NONE
    for word in sentence:
        kinds.append(last)
        last = _KINDS.get(word, _NONE if word in _ENDS else last)
    return kinds
