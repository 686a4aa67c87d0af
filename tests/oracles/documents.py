"""Template functions of capitals and documents in plain Python; slow, one occurrence at a time.

Written from what ``docs/reference/templates.md`` says.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

MOST = 20
Sentence = Mapping[str, Sequence[str]]
Place = tuple[Sequence[Sentence], int]
"""A document, and the number of a sentence in it."""


def _upper(c: str) -> bool:
    return unicodedata.category(c) in ("Lu", "Lt")


def _letter(c: str) -> bool:
    return unicodedata.category(c).startswith("L")


def _all_upper(word: str) -> bool:
    return any(map(_upper, word)) and not any(unicodedata.category(c) == "Ll" for c in word)


def capitalised(word: str) -> bool:
    return word != "" and _upper(word[0])


def headline(words: Sequence[str]) -> str:
    spelled = [word for word in words if any(map(_letter, word))]
    if not spelled:
        return "none"
    if all(map(_all_upper, spelled)):
        return "upper"
    return "title" if len(spelled) > 2 and sum(map(capitalised, spelled)) >= 0.8 * len(spelled) else "mixed"


def casing(words: Sequence[str], at: int) -> list[str]:
    word = words[at]
    if headline(words) != "mixed" or word == "" or not _letter(word[0]):
        return []
    if not capitalised(word):
        return ["small"]
    if at == 0:
        return []
    return ["capitals" if len(word) > 1 and _all_upper(word) else "capital"]


def run(words: Sequence[str], at: int) -> list[str]:
    if headline(words) != "mixed" or not capitalised(words[at]):
        return []
    before, after = at > 0 and capitalised(words[at - 1]), at + 1 < len(words) and capitalised(words[at + 1])
    return {(False, False): [], (False, True): ["first"], (True, True): ["inner"], (True, False): ["last"]}[before, after]


def elsewhere(
    expression: Any, at: int, place: Place, values: Callable[[int, Sentence], list[str]], same: Callable[[str], str]
) -> list[str]:
    """``values`` are those of the inner function at a place of a sentence; words are the same if ``same`` makes them so."""
    document, number = place
    wanted = same(document[number]["word"][at])
    low, high = (expression.numbers[0].low, expression.numbers[0].high) if expression.numbers else (0, 0)
    counts: Counter[str] = Counter()
    met: dict[str, None] = {}
    for n, sentence in enumerate(document):
        for i, word in enumerate(sentence["word"]):
            if same(word) != wanted:
                continue
            messages = {value: None for offset in range(low, high + 1) for value in values(i + offset, sentence)}
            met |= messages
            if (n, i) != (number, at):
                counts.update(list(messages))
    order = list(met)
    result = sorted(counts, key=lambda value: (-counts[value], order.index(value)))
    if expression.flag == "most":
        return result[:1]
    if expression.flag == "joined":
        # The core sorts texts by their bytes.
        return ["+".join(sorted(result[:MOST], key=str.encode)) if result else "-"]
    return result[:MOST]
