"""Sentences inside longer texts, whose own sentences are not known: a record with the text of a whole document."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from tagpool.corpus.annotations.annotation import Annotation, Place

_MOST_CHARACTERS = 2_000_000_000  # that are searched in vain
_ENDS = frozenset(".!?:;…\"'”’»)]}")  # characters at the end of a sentence


def find_contained(
    units: Sequence[Annotation], texts: Sequence[str], free: Sequence[int]
) -> dict[int, list[tuple[int, Annotation]]]:
    """Return the ``free`` sentences that units contain: by unit, the sentences with their parts of it, in the order of the unit.

    ``texts`` have no blanks. A sentence begins after another one or after a mark that ends sentences. It ends with such a mark,
    at the end of the unit, or before a capital.
    """
    search = _Search(units)
    for sentence in free:
        if texts[sentence] and search.budget > 0:
            search.find(texts[sentence], sentence)
    return {
        number: [(sentence, _cut(units[number], begin, end)) for begin, end, sentence in sorted(places)]
        for number, places in search.places.items()
    }


@dataclass
class _Search:
    """Places of sentences in the joined texts of units; a search begins after the last place."""

    units: Sequence[Annotation]
    places: dict[int, list[tuple[int, int, int]]] = field(default_factory=dict)  # by unit: begin, end, sentence
    budget: int = _MOST_CHARACTERS
    cursor: int = 0

    def __post_init__(self) -> None:
        self.starts = [0]
        for unit in self.units:
            self.starts.append(self.starts[-1] + len(unit.squeezed) + 1)
        self.joined = "\0".join(unit.squeezed for unit in self.units)

    def find(self, text: str, sentence: int) -> None:
        """Search a sentence after the last one, then from the beginning."""
        for start, end in ((self.cursor, len(self.joined)), (0, self.cursor + len(text) - 1)):
            at = self.joined.find(text, start, end)
            while at >= 0:
                number = bisect_right(self.starts, at) - 1
                begin = at - self.starts[number]
                if self._is_sentence(number, begin, begin + len(text)):
                    self.places.setdefault(number, []).append((begin, begin + len(text), sentence))
                    self.cursor = at + len(text)
                    return
                at = self.joined.find(text, at + 1, end)
            self.budget -= max(end - start, 0)

    def _is_sentence(self, number: int, begin: int, end: int) -> bool:
        text, others = self.units[number].squeezed, self.places.get(number, ())
        if end > len(text) or any(begin < last and first < end for first, last, _ in others):
            return False
        begins = begin == 0 or text[begin - 1] in _ENDS or any(last == begin for _, last, _ in others)
        ends = end == len(text) or text[end - 1] in _ENDS or not (text[end].islower() or text[end] in _ENDS)
        return begins and ends


def _cut(unit: Annotation, begin: int, end: int) -> Annotation:
    """Return a part of a unit by its place in the text without blanks."""
    letters = [index for index, letter in enumerate(unit.running_text) if not letter.isspace()]
    place: Place = letters[begin], letters[end - 1] + 1
    return unit.cut(*place)
