"""The encoder in plain Python: slow, one token after another, with none of tagpool's native code in it.

Written from what is documented: the summaries of ``functions.py``, the grammar of ``parser.py``, and the comments of
``native/features/functions`` and ``native/features/program.hpp``. Templates are taken apart by their attributes only, and the
names of features are written here anew, so that a fault of ``str()`` or ``expand()`` shows too.

Resources are plain dicts: a gazetteer is ``{list: [phrase, ...]}``, clusters and ambiguity classes are ``{word: value}``,
an embedding is ``{word: vector}``.
"""

from __future__ import annotations

import itertools
import re
import struct
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from oracles import documents

Feature = tuple[str, float]
Sentence = Mapping[str, Sequence[str]]
Resources = Mapping[str, Any]


# Characters ---------------------------------------------------------------------------------------------------------------


def is_settled(c: str) -> bool:
    """Whether its class is the same in all versions of Unicode since 3.2, so that Python's tables and tagpool's must agree."""
    return unicodedata.category(c) == unicodedata.ucd_3_2_0.category(c) != "Cn"


def is_upper(c: str) -> bool:
    return unicodedata.category(c) in ("Lu", "Lt")


def is_lower(c: str) -> bool:
    return unicodedata.category(c) == "Ll"


def is_letter(c: str) -> bool:
    return unicodedata.category(c).startswith("L")


def is_digit(c: str) -> bool:
    return unicodedata.category(c) == "Nd"


def is_punctuation(c: str) -> bool:
    return unicodedata.category(c)[0] in "PS"


def lower_character(c: str) -> str:
    return c.lower() if len(c.lower()) == 1 else c


# Word functions -----------------------------------------------------------------------------------------------------------


def lower(word: str) -> str:
    return "".join(map(lower_character, word))


def simplify(word: str) -> str:
    return "".join("0" if digit else "".join(run) for digit, run in itertools.groupby(word, is_digit))


def shape(word: str) -> str:
    return "".join("X" if is_upper(c) else "x" if is_letter(c) else "d" if is_digit(c) else c for c in word)


def short_shape(word: str) -> str:
    return "".join(c for c, _ in itertools.groupby(shape(word)))


def digits(word: str) -> list[str]:
    return ["".join("0" if is_digit(c) else c for c in word)] if any(map(is_digit, word)) else []


def ngrams(word: str, low: int, high: int) -> list[str]:
    return sorted({word[i : i + n] for n in range(low, high + 1) for i in range(len(word) - n + 1)})


def is_number(word: str) -> bool:
    word = "".join("0" if is_digit(c) else c for c in word)
    return re.fullmatch(r"[+-]?\.?0+([,.:/]0+)*%?", word) is not None


def orthography(word: str) -> list[str]:
    if not word:
        return []
    rules = {
        "initial-capital": is_upper(word[0]),
        "all-capitals": all(map(is_upper, word)),
        "single-capital": len(word) == 1 and is_upper(word),
        "mixed-case": any(map(is_upper, word)) and any(map(is_lower, word)),
        "has-digit": any(map(is_digit, word)),
        "all-digits": all(map(is_digit, word)),
        "number": is_number(word),
        "periods": len(word) >= 2 and set(word) == {"."},
        "ends-with-period": word.endswith("."),
        "has-dash": "-" in word,
        "acronym": len(word) >= 3 and all(map(is_upper, word[::2])) and set(word[1::2]) == {"."},
        "initial": len(word) == 2 and is_upper(word[0]) and word[1] == ".",
        "single-letter": len(word) == 1 and is_letter(word),
        "has-punctuation": any(map(is_punctuation, word)),
        "has-quote": bool(set(word) & set("\"'`´‘’‚“”„«»‹›")),
    }
    return [name for name, holds in rules.items() if holds]


def orthography_dfi(word: str) -> list[str]:
    if not word:
        return []
    inner = sum(map(is_upper, word[1:]))
    others = [c for c in word if is_punctuation(c) and c not in ".-"]
    digit, punctuation = [is_digit(c) for c in word], [is_punctuation(c) for c in word]
    rules = {
        "link": "://" in word or word.startswith("www."),
        "all-upper": all(map(is_upper, word)),
        "all-lower": all(map(is_lower, word)),
        "all-digits": all(digit),
        "all-punctuation": all(punctuation),
        "digits-and-punctuation": any(digit) and any(punctuation) and all(map(max, digit, punctuation)),
        "no-lower": any(map(is_letter, word)) and not any(map(is_lower, word)),
        "first-upper-only": is_upper(word[0]) and inner == 0,
        "one-inner-upper": inner == 1,
        "inner-uppers": inner > 1,
        "has-digit": any(digit),
        "has-period": "." in word,
        "has-hyphen": "-" in word,
        "has-other-punctuation": bool(others),
    }
    return [name for name, holds in rules.items() if holds]


def capital_class(word: str) -> str:
    capitals, letters = sum(map(is_upper, word)), sum(map(is_letter, word))
    if capitals >= 2 and capitals == letters:
        return "A"
    if capitals:
        return "C" if is_upper(word[0]) else "M"
    if letters:
        return "l"
    return "d" if any(map(is_digit, word)) else "."


def word_values(expression: Any, word: str, resources: Resources) -> list[str]:
    """The values of a function whose numbers are fixed, for one string of the column at its bottom."""
    if not hasattr(expression, "function"):
        return [word]
    inner = word_values(expression.expression, word, resources)
    if not inner:
        return []
    (text,) = inner
    name, flag = expression.function, expression.flag
    low, high = (expression.numbers[0].low, expression.numbers[0].high) if expression.numbers else (0, 0)
    if name == "lower":
        return [lower(text)]
    if name == "simplify":
        return [simplify(text)]
    if name == "shape":
        return [short_shape(text) if flag == "short" else shape(text)]
    if name == "digits":
        return digits(text)
    if name == "prefix":
        return [text[:low]] if len(text) > low else []
    if name == "suffix":
        return [text[-low:]] if len(text) > low else []
    if name == "ngrams":
        return ngrams(f"<{text}>" if flag == "edges" else text, low, high)
    if name == "orthography":
        return orthography_dfi(text) if flag == "dfi" else orthography(text)
    if name in ("cluster", "ambiguity"):
        value = resources[expression.resource].get(text)
        return [] if value is None else [value[:low] if low else value]
    raise AssertionError(f"{name} is not a function of a word")


# Atoms: what has values at a token ----------------------------------------------------------------------------------------

TOTAL = ("lower", "simplify", "shape")


def bottom(expression: Any) -> Any:
    while hasattr(expression, "function") and expression.expression is not None:
        expression = expression.expression
    return expression


def is_total(expression: Any) -> bool:
    while hasattr(expression, "function"):
        if expression.function not in TOTAL:
            return False
        expression = expression.expression
    return True


def column_of(name: str, sentence: Sentence) -> Sequence[str]:
    if name in sentence:
        return sentence[name]
    return list(sentence.values())[int(name.removeprefix("column"))]


class Memory:
    """Cache of the last set of resources; real gazetteers are too large to read them for every token."""

    resources: Resources | None = None
    phrases: ClassVar[dict[str, dict[str, set[tuple[str, ...]]]]] = {}
    places: ClassVar[dict[tuple[str, tuple[str, ...]], list[list[str]]]] = {}


def phrase_sets(expression: Any, resources: Resources) -> dict[str, set[tuple[str, ...]]]:
    """The phrases of each list, their words passed through the function; a phrase with a word without value is dropped."""
    result: dict[str, set[tuple[str, ...]]] = {}
    for name, texts in resources[expression.resource].items():
        result[name] = set()
        for text in "\n".join(texts).split("\n"):
            phrase = [word_values(expression.expression, word, resources) for word in re.split(r"[ \t\r]+", text) if word]
            if phrase and all(phrase):
                result[name].add(tuple(word for (word,) in phrase))
    return result


def phrases_at(expression: Any, words: Sequence[str], resources: Resources) -> list[list[str]]:
    """For each token the lists with a phrase there: leftmost, longest, each list by itself."""
    if Memory.resources is not resources:
        Memory.resources = resources
        Memory.phrases.clear()
        Memory.places.clear()
    key = written(expression)
    place_key = (key, tuple(words))
    if place_key in Memory.places:
        return Memory.places[place_key]
    if key not in Memory.phrases:
        Memory.phrases[key] = phrase_sets(expression, resources)
    values = [word_values(expression.expression, word, resources) for word in words]
    result: list[list[str]] = [[] for _ in words]
    for name, phrases in Memory.phrases[key].items():
        longest = max(map(len, phrases), default=0)
        start = 0
        while start < len(words):
            for length in range(min(longest, len(words) - start), 0, -1):
                window = values[start : start + length]
                if all(window) and tuple(word for (word,) in window) in phrases:
                    places = ["U"] if length == 1 else ["B"] + ["I"] * (length - 2) + ["L"]
                    for i, place in enumerate(places, start):
                        result[i].append(name if expression.flag == "plain" else f"{name}/{place}")
                    start += length
                    break
            else:
                start += 1
    Memory.places[place_key] = result
    return result


def atom_values(
    expression: Any, at: int, sentence: Sentence, resources: Resources, boundary: bool, place: documents.Place | None = None
) -> list[str]:
    length = len(next(iter(sentence.values())))
    if not 0 <= at < length:
        if not boundary or not is_total(expression):
            return []
        return [f"_B-{-at}" if at < 0 else f"_B+{at - length + 1}"]
    name = getattr(expression, "function", None)
    if name == "position":
        return ["first"] * (at == 0) + ["last"] * (at == length - 1)
    if name in ("bias", "number"):
        return ["1"]
    if name == "elsewhere":
        inner = expression.expression
        return documents.elsewhere(
            expression, at, place or ([sentence], 0), lambda i, one: atom_values(inner, i, one, resources, boundary), lower
        )
    words = column_of(bottom(expression).name, sentence)
    if name == "headline":
        return [documents.headline(words)]
    if name in ("casing", "run"):
        return documents.casing(words, at) if name == "casing" else documents.run(words, at)
    if name == "gazetteer":
        return phrases_at(expression, words, resources)[at]
    if name == "disjunction":
        (window,) = expression.numbers
        inside = [words[i] for i in range(at + window.low, at + window.high + 1) if 0 <= i < length]
        return list(dict.fromkeys(value for word in inside for value in word_values(expression.expression, word, resources)))
    if name == "capitals":
        (window,) = expression.numbers
        places = range(at + window.low, at + window.high + 1)
        return ["".join(capital_class(words[i]) if 0 <= i < length else "_" for i in places)]
    return word_values(expression, words[at], resources)


def number_value(expression: Any, at: int, sentence: Sentence) -> float:
    words = column_of(expression.expression.name, sentence)
    return float(words[at]) if 0 <= at < len(words) else 0.0


# Templates ----------------------------------------------------------------------------------------------------------------


def written(expression: Any) -> str:
    if not hasattr(expression, "function"):
        return str(expression.name)
    parts = [expression.resource] if expression.resource else []
    if expression.expression is not None and not (expression.resource and written(expression.expression) == "word"):
        parts.append(written(expression.expression))
    parts += [str(n.low) if n.low == n.high else f"{n.low}..{n.high}" for n in expression.numbers]
    parts += [expression.flag] if expression.flag else []
    return f"{expression.function}({', '.join(parts)})" if parts else expression.function


def single_functions(expression: Any) -> Iterator[Any]:
    """``prefix(word, 1..3)`` is three functions; ``ngrams(word, 1..3)`` is one."""
    if not hasattr(expression, "function"):
        yield expression
        return
    for inner in single_functions(expression.expression) if expression.expression is not None else [None]:
        if expression.function in ("prefix", "suffix", "cluster") and expression.numbers:
            for numbers in expression.numbers:
                for n in range(numbers.low, numbers.high + 1):
                    one = type(numbers)(n, n)
                    yield type(expression)(expression.function, inner, expression.resource, (one,), expression.flag)
        else:
            yield type(expression)(expression.function, inner, expression.resource, expression.numbers, expression.flag)


def is_label(expression: Any) -> bool:
    return getattr(expression, "name", None) == "label"


def is_embedding(expression: Any) -> bool:
    return getattr(expression, "function", None) == "embedding"


def conjunctions(templates: Any, *, history: bool = False) -> dict[tuple[str, tuple[tuple[Any, int], ...]], set[str] | None]:
    """Key and terms of every single conjunction, with its bags (None: of the base). What two lines name is one."""
    result: dict[tuple[str, tuple[tuple[Any, int], ...]], set[str] | None] = {}
    for template in templates.templates:
        if any(is_label(term.expression) for term in template.terms) != history:
            continue
        if any(is_embedding(term.expression) for term in template.terms):
            continue
        choices = [
            [(e, o) for e in single_functions(term.expression) for r in term.offsets for o in range(r.low, r.high + 1)]
            for term in template.terms
        ]
        for terms in itertools.product(*choices):
            key = template.name or "&".join(f"{written(e)}[{o}]" for e, o in terms)
            place = (key, terms)
            known = result.get(place, set())
            result[place] = None if known is None or not template.bags else known | set(template.bags)
    return result


def as_float32(value: float) -> float:
    return float(struct.unpack("f", struct.pack("f", value))[0])


def escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|")


def encode_sentence(
    templates: Any,
    sentence: Sentence,
    resources: Resources,
    *,
    history: bool = False,
    bags: Sequence[str] | None = None,
    place: documents.Place | None = None,
) -> list[list[Feature]]:
    """The features of every token, in no particular order; ``bags`` keeps those of the base and of these bags."""
    length = len(next(iter(sentence.values())))
    out: list[list[Feature]] = [[] for _ in range(length)]
    all_terms = conjunctions(templates, history=history)
    # A single value is written as it is, unless a conjunction has the same name.
    joined = {key for key, terms in all_terms if len([1 for e, _ in terms if not is_label(e)]) > 1}
    for (key, terms), separate in all_terms.items():
        if bags is not None and separate is not None and not separate & set(bags):
            continue
        terms = tuple((e, o) for e, o in terms if not is_label(e))
        for at in range(length):
            value = 1.0
            for expression, offset in terms:
                if getattr(expression, "function", None) == "number":
                    value *= number_value(expression, at + offset, sentence)
            value = as_float32(value)
            if value == 0:
                continue
            values = [atom_values(e, at + o, sentence, resources, templates.boundary, place) for e, o in terms] or [["1"]]
            for chosen in itertools.product(*values):
                out[at].append((f"{key}={'|'.join(map(escaped, chosen) if key in joined else chosen)}", value))
    return out


def encode(
    templates: Any, sentences: Sequence[Sentence], resources: Resources, *, starts: Sequence[int] = (), **options: Any
) -> list[list[Feature]]:
    """The features of every token of a corpus; documents begin at the sentences of ``starts``."""
    begins = starts or range(len(sentences))
    result: list[list[Feature]] = []
    for first, last in zip(begins, [*begins[1:], len(sentences)], strict=True):
        for number in range(last - first):
            place = sentences[first:last], number
            result += encode_sentence(templates, sentences[first + number], resources, place=place, **options)
    return result


def counts(rows: Sequence[Sequence[Feature]]) -> Counter[str]:
    """Count the occurrences of each feature."""
    return Counter(name for row in rows for name, _ in row)


# Embeddings ---------------------------------------------------------------------------------------------------------------


def embedded(
    templates: Any, sentence: Sentence, resources: Resources, bags: Sequence[str] | None = None
) -> dict[str, list[tuple[float, ...] | None]]:
    """For every embedding at one offset, by its name: the vector of each token."""
    blocks: dict[str, list[tuple[float, ...] | None]] = {}
    for template in templates.templates:
        for term in template.terms:
            if not is_embedding(term.expression):
                continue
            if bags is not None and template.bags and not set(template.bags) & set(bags):
                continue
            for expression in single_functions(term.expression):
                for offset in (o for r in term.offsets for o in range(r.low, r.high + 1)):
                    words = column_of(bottom(expression).name, sentence)
                    block: list[tuple[float, ...] | None] = []
                    for at in range(offset, len(words) + offset):
                        values = word_values(expression.expression, words[at], resources) if 0 <= at < len(words) else []
                        vector = resources[expression.resource].get(values[0]) if values else None
                        block.append(None if vector is None else tuple(vector))
                    blocks[f"{written(expression)}[{offset}]"] = block
    return blocks
