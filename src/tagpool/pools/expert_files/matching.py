"""Matching of annotations to sentences by their text.

An annotation is a sentence if its words are the same, else if its text without blanks is. Sentences that occur several times are
matched next to their neighbours, and then in order. A longer text is split into its sentences, or into those that it contains.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field

from tagpool.corpus.annotations.annotation import Annotation
from tagpool.pools.expert_files.containment import find_contained


@dataclass
class Matches:
    """Annotations in the order of the file, each with the number of its sentence; None if it is another sentence.

    ``changed`` are matches by position whose words differ in part.
    """

    items: list[tuple[int | None, Annotation]] = field(default_factory=list)
    changed: list[tuple[int, Annotation]] = field(default_factory=list)

    @property
    def numbers(self) -> list[int]:
        """The sentences that have an annotation."""
        return [number for number, _ in self.items if number is not None]

    @property
    def extra(self) -> list[Annotation]:
        """Annotations of other sentences."""
        return [one for number, one in self.items if number is None]

    @property
    def in_order(self) -> bool:
        """Whether the sentences have the order of the file."""
        return self.numbers == sorted(self.numbers)


def squeeze(words: Sequence[str]) -> str:
    """Return the text of words without blanks."""
    return "".join("".join(words).split())


def match_annotations(annotations: Sequence[Annotation], sentences: Sequence[Sequence[str]]) -> Matches:
    """Match annotations to sentences, given by their words; every sentence has at most one annotation."""
    if len(annotations) == len(sentences) and all(one.words == words for one, words in zip(annotations, sentences, strict=True)):
        return Matches(list(enumerate(annotations)))
    units = list(annotations)
    texts = [squeeze(words) for words in sentences]
    targets: list[int | None] = [None] * len(units)
    _pair(units, targets, list(map(tuple, sentences)), lambda one: None if one.words is None else tuple(one.words))
    _pair(units, targets, texts, lambda one: one.squeezed)
    changed = _pair_by_position(units, targets, sentences)
    units, targets = _split(units, targets, lambda one: one.parts())
    _pair(units, targets, texts, lambda one: one.squeezed)
    free = sorted(set(range(len(texts))).difference(targets))
    rest = [number for number, target in enumerate(targets) if target is None and units[number].has_text]
    places = find_contained([units[number] for number in rest], texts, free) if free else {}
    contained = {rest[number]: parts for number, parts in places.items()}
    items: list[tuple[int | None, Annotation]] = []
    for number, (unit, target) in enumerate(zip(units, targets, strict=True)):
        if number in contained:
            items += contained[number]
        elif target is not None or unit.tokens:
            items.append((target, unit))
    return Matches(items, changed)


def _pair(
    units: Sequence[Annotation],
    targets: list[int | None],
    keys: Sequence[Hashable],
    key_of: Callable[[Annotation], Hashable],
) -> None:
    """Set the targets of units with the key of a free sentence."""
    used = {target for target in targets if target is not None}
    places: defaultdict[Hashable, list[int]] = defaultdict(list)
    for number, key in enumerate(keys):
        if number not in used:
            places[key].append(number)
    unit_keys = [key_of(unit) if target is None else None for unit, target in zip(units, targets, strict=True)]
    counts = Counter(key for key in unit_keys if key is not None)

    def assign(unit: int, target: int) -> None:
        targets[unit] = target
        places[unit_keys[unit]].remove(target)

    for unit, key in enumerate(unit_keys):
        if key is not None and counts[key] == 1 and len(places.get(key, ())) == 1:
            assign(unit, places[key][0])
    for step in (1, -1):
        for unit in range(len(units))[::step]:
            before = targets[unit - step] if 0 <= unit - step < len(units) else None
            is_open = targets[unit] is None and unit_keys[unit] is not None
            if is_open and before is not None and before + step in places.get(unit_keys[unit], ()):
                assign(unit, before + step)
    for unit, key in enumerate(unit_keys):
        if targets[unit] is None and key is not None and places.get(key):
            assign(unit, places[key][0])


def _pair_by_position(
    units: Sequence[Annotation], targets: list[int | None], sentences: Sequence[Sequence[str]]
) -> list[tuple[int, Annotation]]:
    """Match units of as many sentences by their number if half of the words are the same; return these matches."""
    if len(units) != len(sentences):
        return []
    used = {target for target in targets if target is not None}
    changed = []
    for number, (unit, words) in enumerate(zip(units, sentences, strict=True)):
        if targets[number] is not None or number in used or unit.words is None or len(unit.words) != len(words):
            continue
        if 2 * sum(map(str.__eq__, unit.words, words)) >= len(words):
            targets[number] = number
            changed.append((number, unit))
    return changed


def _split(
    units: Sequence[Annotation], targets: Sequence[int | None], split: Callable[[Annotation], list[Annotation]]
) -> tuple[list[Annotation], list[int | None]]:
    """Replace the units without a target by their parts."""
    new_units: list[Annotation] = []
    new_targets: list[int | None] = []
    for unit, target in zip(units, targets, strict=True):
        parts = split(unit) if target is None else [unit]
        new_units += parts
        new_targets += [target] * len(parts)
    return new_units, new_targets
