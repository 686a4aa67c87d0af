"""Known (IV) and unknown words (OOV) of names, one token at a time, by the lexicon that says which words are known.

Wang and Manning (2013) do not say whether their lexicon distinguishes capitals. Their figures do: precision and recall are
quotients of whole numbers of tokens, which only few numbers of unknown tokens allow.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tagpool.evaluation.breakdown import vocabulary_breakdown, vocabulary_of
from tagpool.experiments.corpora import Split
from tagpool.experiments.fits import Labels, measured, precision_and_recall
from tagpool.experiments.study import Row

Words = Sequence[Sequence[str]]
Figures = tuple[float, float, float]  # precision, recall and F1, in percent
PARTS = ("IV", "OOV")
_HALF = 0.005 + 1e-9  # a printed figure has two decimals


@dataclass(frozen=True)
class Lexicon:
    """The known words: those of training (and of dev), all in one form."""

    name: str
    form: Callable[[str], str] = str
    with_dev: bool = False

    def known(self, split: Split) -> frozenset[str]:
        """Return the known words in their form."""
        sentences = [*split.train.words, *(split.dev.words if self.with_dev else [])]
        return vocabulary_of(self.forms(sentences))

    def forms(self, words: Words) -> list[list[str]]:
        """Return words in their form."""
        return [[self.form(word) for word in sentence] for sentence in words]

    def names(self, split: Split) -> tuple[int, int]:
        """Return the numbers of known and of unknown words inside names of the test sentences."""
        known = self.known(split)
        cells = zip(self.forms(split.test.words), split.test.labels, strict=True)
        inside = [form in known for forms, labels in cells for form, label in zip(forms, labels, strict=True) if label != "O"]
        return sum(inside), len(inside) - sum(inside)


def without_digits(word: str) -> str:
    """Return a word with 0 for every digit.

    >>> without_digits("1996-08-22")
    '0000-00-00'
    """
    return "".join("0" if letter.isdigit() else letter for letter in word)


LEXICON = Lexicon("case ignored", str.lower)
CASED = Lexicon("cased")
LEXICONS = (
    LEXICON,
    CASED,
    Lexicon("cased, digits are one", without_digits),
    Lexicon("case ignored, with dev", str.lower, with_dev=True),
    Lexicon("cased, with dev", with_dev=True),
)


def rows_by_vocabulary(name: str, split: Split, results: Sequence[Labels]) -> list[Row]:
    """Return token precision, recall and F1 of known and of unknown words, then F1 with the cased lexicon."""
    rows = []
    for lexicon, ending in ((LEXICON, ""), (CASED, ", cased")):
        for part in PARTS:
            gold, *chosen = (tokens_of(split, labels, part, lexicon) for labels in (split.test.labels, *results))
            rows += precision_and_recall(name, part, gold, chosen) if lexicon is LEXICON else []
            rows.append(measured(name, f"{part} F1{ending}", gold, chosen))
    return rows


def tokens_of(split: Split, labels: Labels, part: str, lexicon: Lexicon) -> Labels:
    """Return the labels of known or unknown words of the test sentences, each name token as a name of its own.

    So scores of names are scores of tokens without boundaries.
    """
    known, wanted = lexicon.known(split), part == PARTS[0]
    cells = zip(lexicon.forms(split.test.words), labels, strict=True)
    return [
        ["O" if label == "O" else f"B-{label[2:]}" for form, label in zip(forms, row, strict=True) if (form in known) == wanted]
        for forms, row in cells
    ]


def lexicon_lines(name: str, split: Split, results: Sequence[Labels]) -> list[list[str]]:
    """Return a line for each lexicon: its numbers of name tokens, and mean precision, recall and F1 of both parts."""
    lines = []
    for lexicon in LEXICONS:
        known, forms = lexicon.known(split), lexicon.forms(split.test.words)
        parts = [vocabulary_breakdown(forms, split.test.labels, labels, known) for labels in results]
        scores = [
            [value for part in (one.in_vocabulary, one.out_of_vocabulary) for value in (part.precision, part.recall, part.f1)]
            for one in parts
        ]
        means = [f"{100 * sum(column) / len(scores):.2f}" for column in zip(*scores, strict=True)]
        lines.append([f"{name}, {lexicon.name}", *map(str, lexicon.names(split)), *means])
    return lines


LEXICON_HEADER = ("", "IV name tokens", "OOV name tokens", *(f"{part} {what}" for part in PARTS for what in ("P", "R", "F1")))


def lexicon_note(printed: Mapping[str, Sequence[Figures]], split: Split) -> str:
    """Say which lexicon the printed figures of both parts allow, if the test sentences are those of the paper."""
    numbers = {lexicon.name: lexicon.names(split) for lexicon in LEXICONS}
    total = sum(numbers[LEXICON.name])
    sizes = possible_sizes(printed, total)
    allowed = [name for name, (_, unknown) in numbers.items() if unknown in sizes]
    listed = ", ".join(f"{size:,}" for size in sizes[:5])
    unknown = "; ".join(f"{name}: {count:,}" for name, (_, count) in numbers.items())
    return (
        "IV and OOV: tokens of words seen in training, case ignored, and of the others. The paper does not define its lexicon, "
        "but its precision, recall and F1 are quotients of whole numbers of tokens. Of all numbers of unknown words among the "
        f"{total:,} name tokens of the test sentences, its figures allow {listed or 'none'}. "
        f"Unknown name tokens by lexicon: {unknown}. So the figures allow this lexicon: {', '.join(allowed) or 'none'}."
    )


def possible_sizes(printed: Mapping[str, Sequence[Figures]], total: int) -> list[int]:
    """Return the numbers of unknown tokens, of ``total`` name tokens, that printed figures of both parts allow.

    >>> thirds = (66.67, 66.67, 66.67)
    >>> possible_sizes({"IV": [thirds], "OOV": [(50.0, 100.0, 66.67)]}, 7)
    [1, 4]
    """
    known, unknown = printed["IV"], printed["OOV"]
    return [
        size
        for size in range(1, total)
        if all(fits(figures, size) for figures in unknown) and all(fits(figures, total - size) for figures in known)
    ]


def fits(figures: Figures, gold: int) -> bool:
    """Return whether whole numbers of correct and predicted tokens give these figures, rounded, for ``gold`` tokens.

    >>> fits((50.0, 66.67, 57.14), 3), fits((50.0, 66.67, 57.14), 4)
    (True, False)
    """
    precision, recall, f1 = figures
    for correct in _whole(gold * (recall - _HALF) / 100, gold * (recall + _HALF) / 100):
        for predicted in _whole(100 * correct / (precision + _HALF), 100 * correct / (precision - _HALF)):
            if abs(200 * correct / (predicted + gold) - f1) <= _HALF:
                return True
    return False


def _whole(low: float, high: float) -> range:
    """Return the whole numbers from low to high."""
    return range(math.ceil(low), math.floor(high) + 1)
