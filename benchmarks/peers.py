"""The same features in plain Python: strings built token by token.

This module does not import tagpool, so the memory of a peer's process is its own.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cache

Index = dict[str, int]
Features = list[list[str]]


def chunk_features(w: list[str], p: list[str]) -> Features:
    """CRFsuite's chunking template written by hand, as fast as plain Python allows."""
    n = len(w)
    rows: Features = []
    for t in range(n):
        result = ["w[0]=" + w[t], "p[0]=" + p[t]]
        add = result.append
        if t > 0:
            add("w[-1]=" + w[t - 1])
            add("w[-1]|w[0]=" + w[t - 1] + "|" + w[t])
            add("p[-1]=" + p[t - 1])
            add("p[-1]|p[0]=" + p[t - 1] + "|" + p[t])
            if t > 1:
                add("w[-2]=" + w[t - 2])
                add("p[-2]=" + p[t - 2])
                add("p[-2]|p[-1]=" + p[t - 2] + "|" + p[t - 1])
                add("p[-2]|p[-1]|p[0]=" + p[t - 2] + "|" + p[t - 1] + "|" + p[t])
        if t < n - 1:
            add("w[1]=" + w[t + 1])
            add("w[0]|w[1]=" + w[t] + "|" + w[t + 1])
            add("p[1]=" + p[t + 1])
            add("p[0]|p[1]=" + p[t] + "|" + p[t + 1])
            if t > 0:
                add("p[-1]|p[0]|p[1]=" + p[t - 1] + "|" + p[t] + "|" + p[t + 1])
            if t < n - 2:
                add("w[2]=" + w[t + 2])
                add("p[2]=" + p[t + 2])
                add("p[1]|p[2]=" + p[t + 1] + "|" + p[t + 2])
                add("p[0]|p[1]|p[2]=" + p[t] + "|" + p[t + 1] + "|" + p[t + 2])
        rows.append(result)
    return rows


def crfsuite_by_hand(words: list[list[str]], tags: list[list[str]]) -> tuple[Index, list[list[int]]]:
    """Number the features with a dict."""
    index: Index = {}
    rows: list[list[int]] = []
    for w, p in zip(words, tags, strict=True):
        rows += [[index.setdefault(feature, len(index)) for feature in result] for result in chunk_features(w, p)]
    return index, rows


TEMPLATES = (
    *((("w", i),) for i in range(-2, 3)),
    (("w", -1), ("w", 0)),
    (("w", 0), ("w", 1)),
    *((("p", i),) for i in range(-2, 3)),
    *((("p", i), ("p", i + 1)) for i in range(-2, 2)),
    *((("p", i), ("p", i + 1), ("p", i + 2)) for i in range(-2, 1)),
)


def crfsuite_by_templates(words: list[list[str]], tags: list[list[str]]) -> tuple[Index, list[list[int]]]:
    """Number the features of a list of templates, as CRFsuite's example script does. Names are built once."""
    named = [("|".join(f"{field}[{offset}]" for field, offset in item) + "=", item) for item in TEMPLATES]
    index: Index = {}
    rows: list[list[int]] = []
    for w, p in zip(words, tags, strict=True):
        columns = {"w": w, "p": p}
        n = len(w)
        for t in range(n):
            result = []
            for name, item in named:
                values = []
                for field, offset in item:
                    place = t + offset
                    if place < 0 or place >= n:
                        break
                    values.append(columns[field][place])
                else:
                    result.append(name + "|".join(values))
            rows.append([index.setdefault(feature, len(index)) for feature in result])
    return index, rows


@cache
def _shape(word: str) -> str:
    return "".join("X" if c.isupper() else "x" if c.isalpha() else "d" if c.isdigit() else c for c in word)


@cache
def _short_shape(word: str) -> str:
    shape = _shape(word)
    return "".join(c for i, c in enumerate(shape) if i == 0 or shape[i - 1] != c)


@cache
def _ngrams(word: str) -> tuple[str, ...]:
    marked = f"<{word}>"
    return tuple(dict.fromkeys("g=" + marked[i : i + n] for n in range(1, 7) for i in range(len(marked) - n + 1)))


@cache
def _capitals(word: str) -> str:
    upper, letters = sum(c.isupper() for c in word), sum(c.isalpha() for c in word)
    if upper >= 2 and upper == letters:
        return "A"
    if upper:
        return "C" if word[0].isupper() else "M"
    return "l" if letters else "d" if any(c.isdigit() for c in word) else "."


def forget_words() -> None:
    """Clear the caches, so that each run starts cold."""
    for function in (_shape, _short_shape, _ngrams, _capitals):
        function.cache_clear()


def ner_features(w: list[str], titles: Collection[str]) -> Features:
    """The preset ``ner`` written by hand. Functions of one word are cached."""
    n = len(w)

    def at(i: int) -> str:
        return w[i] if 0 <= i < n else f"_B{i}" if i < 0 else f"_B+{i - n + 1}"

    def shape_at(i: int) -> str:
        return _shape(w[i]) if 0 <= i < n else f"_B{i}" if i < 0 else f"_B+{i - n + 1}"

    rows: Features = []
    for t in range(n):
        result = ["bias", "w[0]=" + w[t], "s[0]=" + _shape(w[t]), "ss[0]=" + _short_shape(w[t]), *_ngrams(w[t])]
        add = result.append
        add("w[-1]=" + at(t - 1))
        add("w[1]=" + at(t + 1))
        add("s[-1]=" + shape_at(t - 1))
        add("s[1]=" + shape_at(t + 1))
        add("s[-1]|s[0]=" + shape_at(t - 1) + "|" + _shape(w[t]))
        result += ["d-=" + word for word in dict.fromkeys(w[max(t - 4, 0) : t])]
        result += ["d+=" + word for word in dict.fromkeys(w[t + 1 : t + 5])]
        add("c=" + "".join(_capitals(w[i]) if 0 <= i < n else "_" for i in (t - 1, t, t + 1)))
        if w[t] in titles:
            add("t[0]")
        if t > 0 and w[t - 1] in titles:
            add("t[-1]")
        add("w[-2]|w[-1]|s[-1]=" + at(t - 2) + "|" + at(t - 1) + "|" + shape_at(t - 1))
        rows.append(result)
    return rows


def ner_by_hand(words: list[list[str]], titles: Collection[str]) -> tuple[Index, list[list[int]]]:
    """Number the features with a dict."""
    forget_words()
    index: Index = {}
    rows: list[list[int]] = []
    for w in words:
        rows += [[index.setdefault(feature, len(index)) for feature in result] for result in ner_features(w, titles)]
    return index, rows


def read_by_hand(text: str, columns: int) -> list[list[list[str]]]:
    """Read CoNLL columns in plain Python: a list of rows per sentence."""
    sentences: list[list[list[str]]] = []
    rows: list[list[str]] = []
    for line in text.split("\n"):
        fields = line.split()
        if not fields:
            if rows:
                sentences.append(rows)
            rows = []
        elif fields[0] != "-DOCSTART-":
            if len(fields) != columns:
                raise ValueError(line)
            rows.append(fields)
    if rows:
        sentences.append(rows)
    return sentences
