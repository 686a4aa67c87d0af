"""Tag schemes: read, check, repair, convert and detect label sequences.

All functions read spans as conlleval does. Repair and conversion write those spans in the target scheme; conversion between the
four span schemes is lossless. The rules for two adjacent labels are in :mod:`tagpool.corpus.transitions`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple, TypeVar

from tagpool.corpus.transitions import Scheme as Scheme
from tagpool.corpus.transitions import continues, expected_instead, label_parts, place_label
from tagpool.errors import SchemeError
from tagpool.wording import counted

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")
Bigram = tuple[str | None, str | None]
_Window = tuple[str | None, str, str | None]
_SPAN_SCHEMES = (Scheme.BIO2, Scheme.IOB1, Scheme.BIOES, Scheme.BILOU)  # in the order detect() prefers them


class Span(NamedTuple):
    """Tokens ``start`` to ``end`` (exclusive) of a sequence, with a type (``""`` for bare labels)."""

    start: int
    end: int
    type: str


class Violation(NamedTuple):
    """A position where a sequence breaks its scheme: ``label`` may not follow ``previous``.

    ``position`` counts from 0. ``previous`` is None at the start of the sequence; if the sequence ends inside a span,
    ``label`` is None and ``position`` is the length.
    """

    position: int
    previous: str | None
    label: str | None
    expected: str


def spans(labels: Sequence[str]) -> list[Span]:
    """Return the spans of a label sequence, valid or not, in order, as conlleval reads them.

    >>> spans(["B-PER", "I-PER", "O", "I-LOC"])
    [Span(start=0, end=2, type='PER'), Span(start=3, end=4, type='LOC')]
    """
    result: list[Span] = []
    start, kind = -1, ""  # the open span; none if start < 0
    previous: str | None = None
    for position, label in enumerate(labels):
        if start < 0 and label == "O":
            previous = label
            continue
        if start >= 0 and not continues(previous, label):
            result.append(Span(start, position, kind))
            start = -1
        if start < 0:
            parts = label_parts(label)
            if parts.role != "O":
                start, kind = position, parts.type
        previous = label
    if start >= 0:
        result.append(Span(start, len(labels), kind))
    return result


def to_labels(spans: Iterable[Span | tuple[int, int, str]], length: int, scheme: Scheme | str) -> list[str]:
    """Write spans, in any order, as the labels of a sequence of ``length`` tokens.

    >>> to_labels([Span(0, 2, "PER"), Span(2, 3, "PER")], 4, "iob1")
    ['I-PER', 'I-PER', 'B-PER', 'O']
    """
    scheme = _span_scheme(scheme)
    labels = ["O"] * length
    last_end, last_type = 0, None
    for start, end, kind in sorted(spans):
        if not last_end <= start < end <= length:
            expected = f"at least one token between {last_end}, where the previous span ends, and {length}"
            raise SchemeError(f"the span {start}..{end} ({kind!r}) does not fit: expected {expected}; spans must not overlap")
        touches = last_end == start and last_type == kind
        for at in range(start, end):
            first = at == start
            labels[at] = place_label(scheme, kind, first=first, last=at == end - 1, touches=first and touches)
        last_end, last_type = end, kind
    return labels


def violations(labels: Sequence[str], scheme: Scheme | str) -> list[Violation]:
    """Return every position where a sequence breaks a scheme.

    >>> violations(["O", "I-PER"], "bio2")
    [Violation(position=1, previous='O', label='I-PER', expected="'B-PER'")]
    """
    scheme = Scheme.of(scheme)
    return [
        Violation(position, *bigram, expected)
        for position, bigram in enumerate(_bigrams(labels))
        if (expected := expected_instead(*bigram, scheme)) is not None
    ]


def convert_many(
    sequences: Iterable[Sequence[str]], source: Scheme | str, target: Scheme | str, repair: bool = False
) -> tuple[list[list[str]], int]:
    """Convert sequences into another scheme, without loss; also return the number of labels repaired in the source scheme.

    A sequence that is not valid in ``source`` raises SchemeError. With ``repair`` it is read as conlleval reads it, and a label
    counts as repaired if ``source`` would write it differently. Plain labels are not changed.

    >>> convert_many([["O", "I-PER"], ["B-PER"]], "bio2", "bioes", repair=True)
    ([['O', 'S-PER'], ['S-PER']], 1)
    """
    source, target = Scheme.of(source), Scheme.of(target)
    if source is target is Scheme.PLAIN:
        return [list(labels) for labels in sequences], 0
    source, target = _span_scheme(source), _span_scheme(target)
    legal: _Cache[Bigram, bool] = _Cache(lambda bigram: expected_instead(*bigram, source) is None)
    canonical: _Cache[_Window, str] = _Cache(lambda window: _rewrite(window, source))
    rewritten: _Cache[_Window, str] = _Cache(lambda window: _rewrite(window, target))
    converted: list[list[str]] = []
    repaired = 0
    for number, labels in enumerate(sequences, start=1):
        if not all(map(legal.__getitem__, _bigrams(labels))):
            if not repair:
                _refuse_invalid(labels, source, number)
            repaired += sum(map(str.__ne__, labels, map(canonical.__getitem__, _windows(labels))))
        converted.append(list(map(rewritten.__getitem__, _windows(labels))))
    return converted, repaired


@dataclass(frozen=True)
class Detection:
    """Scheme of label sequences, and the number of invalid transitions in every scheme.

    ``ambiguous``: there are no spans, so the data is valid in every span scheme; it is called BIO2.
    """

    scheme: Scheme
    violations: Mapping[Scheme, int]
    types: tuple[str, ...]
    labels: tuple[str, ...]
    ambiguous: bool

    @property
    def valid(self) -> bool:
        """Whether every sequence is valid in the scheme."""
        return self.violations[self.scheme] == 0

    @property
    def description(self) -> str:
        """Description of the scheme for messages."""
        words = counted(len(self.labels), "label")
        if self.scheme is not Scheme.PLAIN:
            words = counted(sum(kind != "" for kind in self.types), "type") + ", " + words
        if not self.valid:
            words += "; " + counted(self.violations[self.scheme], "invalid transition")
        return f"{self.scheme.label} ({words})"


def detect(sequences: Iterable[Sequence[str]]) -> Detection:
    """Detect the scheme of label sequences.

    Labels of no span scheme make the data plain (see ``is_plain``). Letters that only BIOES or only BILOU has decide. Else
    the scheme with the fewest invalid transitions wins, in a tie the first of BIO2, IOB1, BIOES, BILOU. Data with a span is valid
    in one scheme at most: the first span of a sentence has ``B`` in BIO2 and must not have it in IOB1, and in BIOES and BILOU it
    ends with a letter that no other scheme has. Data with ``I`` and ``O`` only (called IO) is IOB1.

    >>> detect([["B-PER", "I-PER", "O"], ["O"]]).description
    'BIO2 (1 type, 3 labels)'
    """
    return detect_from_bigrams(Counter(chain.from_iterable(map(_bigrams, sequences))))


def detect_from_bigrams(transitions: Mapping[Bigram, int]) -> Detection:
    """Detect the scheme from the number of each label bigram; None stands for the boundary of a sequence.

    >>> detect_from_bigrams({(None, "I-PER"): 1, ("I-PER", None): 1}).scheme
    <Scheme.IOB1: 'iob1'>
    """
    counts: Counter[str] = Counter()
    for (_, label), count in transitions.items():
        if label is not None:
            counts[label] += count
    broken = {
        scheme: sum(count for bigram, count in transitions.items() if expected_instead(*bigram, scheme) is not None)
        for scheme in (*_SPAN_SCHEMES, Scheme.PLAIN)
    }
    types = {label_parts(label).type for label in counts if label_parts(label).role != "O"}
    plain = is_plain(counts)
    letters = {label_parts(label).letter for label in counts}
    # Letters that only one scheme has decide; the number of violations does not matter.
    has_bioes, has_bilou = bool(letters & {"E", "S"}), bool(letters & {"L", "U"})
    candidates: tuple[Scheme, ...] = _SPAN_SCHEMES
    if has_bioes != has_bilou:
        candidates = (Scheme.BIOES if has_bioes else Scheme.BILOU,)
    return Detection(
        scheme=Scheme.PLAIN if plain else min(candidates, key=broken.__getitem__),
        violations=broken,
        types=() if plain else tuple(sorted(types)),
        labels=tuple(sorted(counts)),
        ambiguous=not plain and not types,
    )


def is_plain(counts: Mapping[str, int]) -> bool:
    """Return whether labels, with their counts, are plain (without spans).

    They are plain if some label belongs to no span scheme and such labels are at least as frequent as labels with a letter and a
    type (``B-PER``). So a part-of-speech set with the tags ``S`` and ``O`` is plain; chunks with a stray ``-X-`` are not.

    >>> is_plain({"NN": 3, "S": 9}), is_plain({"B-NP": 3, "-X-": 1}), is_plain({"B": 1, "O": 2})
    (True, False, False)
    """
    unknown = sum(count for label, count in counts.items() if not label_parts(label).letter)
    typed = sum(count for label, count in counts.items() if label_parts(label).letter and label_parts(label).type)
    return unknown > 0 and unknown >= typed


class _Cache(dict[_Key, _Value]):
    """Cache of a function of one argument, as fast as a dictionary."""

    def __init__(self, function: Callable[[_Key], _Value]) -> None:
        super().__init__()
        self.function = function

    def __missing__(self, key: _Key) -> _Value:
        self[key] = value = self.function(key)
        return value


def _rewrite(window: _Window, target: Scheme) -> str:
    """Return the label of the target scheme for (previous label, label, next label).

    Three labels are enough: whether a span starts or ends at a token depends on the two neighbours only.
    """
    previous, label, following = window
    before, parts = label_parts(previous), label_parts(label)
    if parts.role == "O":
        return "O"
    first, last = not continues(previous, label), not continues(label, following)
    touches = first and before.role != "O" and before.type == parts.type
    return place_label(target, parts.type, first=first, last=last, touches=touches)


def _windows(labels: Sequence[str]) -> Iterator[_Window]:
    """Yield each label with its two neighbours; None is the boundary."""
    return zip(chain((None,), labels), labels, chain(labels[1:], (None,)), strict=False)


def _bigrams(labels: Sequence[str]) -> Iterator[Bigram]:
    """Yield each label with the one before it, from (None, first) to (last, None)."""
    return zip(chain((None,), labels), chain(labels, (None,)), strict=True)


def _span_scheme(scheme: Scheme | str) -> Scheme:
    scheme = Scheme.of(scheme)
    if scheme is Scheme.PLAIN:
        raise SchemeError("plain labels have no spans; use iob1, bio2, bilou or bioes")
    return scheme


def _refuse_invalid(labels: Sequence[str], scheme: Scheme, number: int) -> None:
    first = violations(labels, scheme)[0]
    if first.label is None:
        place = f"the sequence ends after {first.previous!r} (label {first.position})"
    else:
        after = "at the start" if first.previous is None else f"after {first.previous!r}"
        place = f"label {first.position + 1} of {len(labels)} is {first.label!r} {after}"
    advice = "check the scheme, or repair the labels (repair=True, --repair)"
    message = f"{place}, which {scheme.label} does not allow: expected {first.expected}; {advice}"
    raise SchemeError(message, source=f"sequence {number}")
