from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagpool.corpus.schemes import Scheme, Span, convert_many, detect, spans, to_labels, violations
from tagpool.corpus.transitions import legal_transition
from tagpool.errors import SchemeError

SPAN_SCHEMES = [Scheme.IOB1, Scheme.BIO2, Scheme.BIOES, Scheme.BILOU]
TYPES = ["", "X", "Y", "X-z"]
ALL_LABELS = ["O", "NN", "-X-", "O-X", "B-"] + [f"{p}-{t}" if t else p for p in "BIESLU" for t in TYPES]


def convert(labels: list[str], source: Scheme | str, target: Scheme | str) -> list[str]:
    return convert_many([labels], source, target)[0][0]


def repair(labels: list[str], scheme: Scheme | str) -> tuple[list[str], int]:
    (repaired,), changed = convert_many([labels], scheme, scheme, repair=True)
    return repaired, changed


any_labels = st.lists(st.sampled_from(ALL_LABELS), max_size=12)


@st.composite
def span_lists(draw: st.DrawFn) -> tuple[list[Span], int]:
    """Spans that do not overlap, many of them touching, and a length they fit in."""
    result, at = [], 0
    for gap, size, kind in draw(st.lists(st.tuples(st.integers(0, 2), st.integers(1, 3), st.sampled_from(TYPES)), max_size=5)):
        result.append(Span(at + gap, at + gap + size, kind))
        at += gap + size
    return result, at + draw(st.integers(0, 2))


# Read by hand with conlleval's rules: (labels, [(start, end, type), ...]).
READ_BY_HAND = [
    ("", []),
    ("O O", []),
    ("B-X", [(0, 1, "X")]),
    ("I-X", [(0, 1, "X")]),
    ("O I-X I-X O", [(1, 3, "X")]),  # I after O starts
    ("B-X I-Y", [(0, 1, "X"), (1, 2, "Y")]),  # another type starts
    ("I-X I-Y I-Y", [(0, 1, "X"), (1, 3, "Y")]),
    ("I-X B-X I-X", [(0, 1, "X"), (1, 3, "X")]),  # IOB1: B separates touching spans
    ("B-X B-X", [(0, 1, "X"), (1, 2, "X")]),
    ("B-X O I-X", [(0, 1, "X"), (2, 3, "X")]),
    ("B-X-1 I-X-1 I-X-2", [(0, 2, "X-1"), (2, 3, "X-2")]),  # the first hyphen separates
    ("B I I O I", [(0, 3, ""), (4, 5, "")]),
    ("B-X I", [(0, 1, "X"), (1, 2, "")]),  # no type is a type of its own
    ("B-X I-X E-X", [(0, 3, "X")]),
    ("B-X L-X", [(0, 2, "X")]),
    ("B-X E-X I-X", [(0, 2, "X"), (2, 3, "X")]),  # E ends
    ("E-X E-X", [(0, 1, "X"), (1, 2, "X")]),  # E after O starts, and E after E
    ("E-X B-X", [(0, 1, "X"), (1, 2, "X")]),
    ("I-X E-Y", [(0, 1, "X"), (1, 2, "Y")]),
    ("S-X S-X", [(0, 1, "X"), (1, 2, "X")]),
    ("U-X I-X", [(0, 1, "X"), (1, 2, "X")]),  # U ends
    ("B-X S-X I-X", [(0, 1, "X"), (1, 2, "X"), (2, 3, "X")]),
    ("B-X O-X I-X", [(0, 1, "X"), (2, 3, "X")]),  # O with a type is outside
    ("B-X NN -X- I-X", [(0, 1, "X"), (3, 4, "X")]),  # unknown labels are outside
    ("b-X i-X", []),  # letters are capitals
]


@pytest.mark.parametrize(("text", "expected"), READ_BY_HAND, ids=[text or "empty" for text, _ in READ_BY_HAND])
def test_spans_read_by_hand(text: str, expected: list[tuple[int, int, str]]) -> None:
    assert spans(text.split()) == expected


@given(any_labels)
def test_spans_cover_each_token_that_is_not_outside_exactly_once(labels: list[str]) -> None:
    covered = [at for start, end, _ in spans(labels) for at in range(start, end)]
    inside = [at for at, label in enumerate(labels) if label not in ("O", "NN", "-X-", "O-X")]
    assert covered == inside


@pytest.mark.parametrize("scheme", SPAN_SCHEMES)
@given(span_lists())
def test_labels_written_from_spans_are_valid_and_read_back(scheme: Scheme, drawn: tuple[list[Span], int]) -> None:
    expected, length = drawn
    labels = to_labels(expected, length, scheme)
    assert len(labels) == length
    assert violations(labels, scheme) == []
    assert spans(labels) == expected
    assert to_labels(reversed(expected), length, scheme) == labels


@pytest.mark.parametrize("source", SPAN_SCHEMES)
@pytest.mark.parametrize("target", SPAN_SCHEMES)
@given(span_lists())
def test_conversion_is_lossless(source: Scheme, target: Scheme, drawn: tuple[list[Span], int]) -> None:
    labels = to_labels(*drawn, source)
    there = convert(labels, source, target)
    assert there == to_labels(*drawn, target)
    assert convert(there, target, source) == labels


@pytest.mark.parametrize("scheme", SPAN_SCHEMES)
@given(any_labels)
def test_repair_is_conllevals_reading_and_leaves_valid_sequences_alone(scheme: Scheme, labels: list[str]) -> None:
    repaired, changed = repair(labels, scheme)
    assert repaired == to_labels(spans(labels), len(labels), scheme)
    assert spans(repaired) == spans(labels)
    assert changed == sum(a != b for a, b in zip(labels, repaired, strict=True))
    assert (changed == 0) == (violations(labels, scheme) == [])
    assert violations(repaired, scheme) == []
    for target in SPAN_SCHEMES:
        together = convert_many([labels, repaired], scheme, target, repair=True)
        assert together == ([to_labels(spans(labels), len(labels), target)] * 2, changed)


@pytest.mark.parametrize("scheme", SPAN_SCHEMES)
@given(any_labels)
def test_a_sequence_is_valid_if_all_its_transitions_are_legal(scheme: Scheme, labels: list[str]) -> None:
    steps = zip([None, *labels], [*labels, None], strict=True)
    assert all(legal_transition(a, b, scheme) for a, b in steps) == (violations(labels, scheme) == [])


# Every legal step between O, two types and the boundary, by hand. Rows: what may follow.
LEGAL = {
    Scheme.IOB1: {
        None: "O I-X I-Y None",
        "O": "O I-X I-Y None",
        "I-X": "O B-X I-X I-Y None",
        "B-X": "O B-X I-X I-Y None",
    },
    Scheme.BIO2: {
        None: "O B-X B-Y None",
        "O": "O B-X B-Y None",
        "B-X": "O B-X I-X B-Y None",
        "I-X": "O B-X I-X B-Y None",
    },
    Scheme.BIOES: {
        None: "O B-X S-X B-Y S-Y None",
        "O": "O B-X S-X B-Y S-Y None",
        "B-X": "I-X E-X",
        "I-X": "I-X E-X",
        "E-X": "O B-X S-X B-Y S-Y None",
        "S-X": "O B-X S-X B-Y S-Y None",
    },
    Scheme.BILOU: {
        None: "O B-X U-X B-Y U-Y None",
        "O": "O B-X U-X B-Y U-Y None",
        "B-X": "I-X L-X",
        "I-X": "I-X L-X",
        "L-X": "O B-X U-X B-Y U-Y None",
        "U-X": "O B-X U-X B-Y U-Y None",
    },
}


@pytest.mark.parametrize("scheme", SPAN_SCHEMES)
def test_legal_transitions_by_hand(scheme: Scheme) -> None:
    candidates: list[str | None] = [None, "O", *(f"{letter}-{kind}" for letter in "BIESLU" for kind in "XY")]
    for previous, allowed in LEGAL[scheme].items():
        legal = {str(label) for label in candidates if legal_transition(previous, label, scheme)}
        assert legal == set(allowed.split()), previous


def test_labels_of_another_scheme_are_illegal_on_both_sides_and_plain_allows_all() -> None:
    assert not legal_transition("E-X", "O", "bio2")
    assert not legal_transition("O", "E-X", "bio2")
    assert not legal_transition("NN", "O", "bioes")
    assert legal_transition("NN", "B-X", "plain")


def test_violations_say_where_and_what_was_expected() -> None:
    result = violations(["B-X", "O", "E-Y", "I-Y", "NN", "B-X"], "bioes")
    assert [(v.position, v.previous, v.label) for v in result] == [
        (1, "B-X", "O"),
        (2, "O", "E-Y"),
        (3, "E-Y", "I-Y"),
        (4, "I-Y", "NN"),
        (6, "B-X", None),
    ]
    assert result[0].expected == "'I-X' or 'E-X'"
    assert result[1].expected == "'B-Y' or 'S-Y'"
    assert result[3].expected == "'O' or a label with one of the letters B, I, E, S"


@pytest.mark.parametrize(
    ("labels", "scheme", "words"),
    [
        (["O", "I-PER"], "bio2", ["label 2 of 2", "'I-PER' after 'O'", "BIO2", "expected 'B-PER'", "repair=True"]),
        (["B-PER"], "iob1", ["label 1 of 1", "'B-PER' at the start", "IOB1", "expected 'I-PER'"]),
        (["B-PER"], "bilou", ["ends after 'B-PER' (label 1)", "BILOU", "expected 'I-PER' or 'L-PER'"]),
        (["S-PER"], "bilou", ["'S-PER'", "B, I, L, U"]),
    ],
)
def test_an_invalid_sequence_is_not_converted_silently(labels: list[str], scheme: str, words: list[str]) -> None:
    with pytest.raises(SchemeError, match=r"^sequence 2: ") as caught:
        convert_many([["O"], labels], scheme, "bio2")
    for word in words:
        assert word in str(caught.value)
    ((repaired,), _) = convert_many([labels], scheme, "bio2", repair=True)
    assert spans(repaired) == spans(labels)


def test_plain_labels_have_no_spans_and_are_left_alone() -> None:
    assert repair(["I-X", "NN"], "plain") == (["I-X", "NN"], 0)
    assert convert(["NN"], "plain", "plain") == ["NN"]
    assert violations(["NN", "I-X"], "plain") == []
    for source, target in (("plain", "bio2"), ("bio2", "plain")):
        with pytest.raises(SchemeError, match="no spans"):
            convert(["O"], source, target)
    with pytest.raises(SchemeError, match="no spans"):
        to_labels([], 1, "plain")


@pytest.mark.parametrize("bad", [[(0, 2, "X"), (1, 3, "X")], [(1, 1, "X")], [(2, 4, "X")], [(-1, 1, "X")]])
def test_spans_that_do_not_fit_are_refused(bad: list[tuple[int, int, str]]) -> None:
    with pytest.raises(SchemeError, match="does not fit"):
        to_labels(bad, 3, "bio2")


def test_scheme_names() -> None:
    assert [Scheme.of(name) for name in ("BIO2", "iob2", "BIO", "IOBES", Scheme.PLAIN)] == [
        Scheme.BIO2,
        Scheme.BIO2,
        Scheme.BIO2,
        Scheme.BIOES,
        Scheme.PLAIN,
    ]
    with pytest.raises(SchemeError, match="unknown tag scheme 'bmes'; use one of iob1, bio2"):
        Scheme.of("bmes")


@pytest.mark.parametrize("scheme", SPAN_SCHEMES)
@given(st.lists(span_lists(), max_size=4))
def test_data_with_a_span_is_valid_in_its_own_scheme_only(scheme: Scheme, drawn: list[tuple[list[Span], int]]) -> None:
    detection = detect([to_labels(*one, scheme) for one in drawn])
    assert detection.violations[scheme] == 0
    if any(result for result, _ in drawn):
        assert detection.scheme is scheme
        assert [s for s in SPAN_SCHEMES if detection.violations[s] == 0] == [scheme]
        assert not detection.ambiguous
    else:
        assert detection.scheme is Scheme.BIO2
        assert detection.ambiguous
    assert detection.valid
    assert set(detection.types) == {kind for result, _ in drawn for _, _, kind in result}


@given(st.lists(any_labels, max_size=4))
def test_detection_counts_violations_of_every_scheme(sequences: list[list[str]]) -> None:
    detection = detect(iter(sequences))
    for scheme in SPAN_SCHEMES:
        assert detection.violations[scheme] == sum(len(violations(labels, scheme)) for labels in sequences)
    if detection.scheme is Scheme.PLAIN:
        return
    letters = {label.split("-")[0] for labels in sequences for label in labels}
    if letters & {"E", "S"} and not letters & {"L", "U"}:
        assert detection.scheme is Scheme.BIOES
    elif letters & {"L", "U"} and not letters & {"E", "S"}:
        assert detection.scheme is Scheme.BILOU
    else:
        assert detection.violations[detection.scheme] == min(detection.violations[s] for s in SPAN_SCHEMES)


@pytest.mark.parametrize(
    ("text", "description"),
    [
        ("B-X I-X O / B-Y", "BIO2 (2 types, 4 labels)"),
        ("I-X B-X O", "IOB1 (1 type, 3 labels)"),
        ("I-X O I-X", "IOB1 (1 type, 2 labels)"),
        ("B-X E-X S-Y", "BIOES (2 types, 3 labels)"),
        ("U-X O", "BILOU (1 type, 2 labels)"),
        ("B I O", "BIO2 (0 types, 3 labels)"),
        ("O O", "BIO2 (0 types, 1 label)"),
        ("B-X O B-X O I-X", "BIO2 (1 type, 3 labels; 1 invalid transition)"),
        ("B-X I-X -X-", "BIO2 (1 type, 3 labels; 1 invalid transition)"),
        ("N O S V E", "plain (5 labels)"),  # tags of a tweet tagger: letters of span schemes among others
        ("PER O PER", "plain (2 labels)"),
    ],
)
def test_detection_in_words(text: str, description: str) -> None:
    assert detect([sentence.split() for sentence in text.split("/")]).description == description


@pytest.mark.parametrize(("letter", "scheme"), [("E", "bioes"), ("S", "bioes"), ("L", "bilou"), ("U", "bilou")])
def test_letters_of_one_scheme_decide_whatever_the_violations(letter: str, scheme: str) -> None:
    detection = detect([[f"{letter}-X", "I-X"], ["I-X"], ["I-X"]])
    assert detection.scheme is Scheme.of(scheme)
    assert detection.violations[Scheme.IOB1] < detection.violations[detection.scheme]


def test_no_data_is_ambiguous() -> None:
    assert detect([]).ambiguous
    assert detect([["NN", "NN", "S"]]).types == ()
    assert detect([[]]).scheme is Scheme.BIO2


def label_column(path: Path, separator: str = " ") -> list[list[str]]:
    """The label sequences of a corpus, without -DOCSTART- lines."""
    sequences: list[list[str]] = [[]]
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            fields = line.rstrip("\n").split(separator)
            if fields == [""]:
                sequences.append([])
            elif fields[0] != "-DOCSTART-":
                sequences[-1].append(fields[-1])
    return [labels for labels in sequences if labels]


def test_conll2003_entities_and_round_trip(real_data: Path) -> None:
    column = label_column(real_data / "conll2003/eng.train.gz")
    assert (len(column), sum(map(len, column))) == (14_041, 203_621)
    entities = Counter(span.type for labels in column for span in spans(labels))
    assert entities == {"LOC": 7140, "MISC": 3438, "ORG": 6321, "PER": 6600}
    detection = detect(column)
    assert detection.scheme is Scheme.IOB1
    # The two B-MISC that the data's README speaks of stand alone, where IOB1 writes I-MISC: the only labels to repair.
    assert detection.description == "IOB1 (4 types, 8 labels; 2 invalid transitions)"
    with pytest.raises(SchemeError, match="'B-MISC' after 'O', which IOB1 does not allow"):
        convert_many(column, "iob1", "bioes")
    repaired, changed = convert_many(column, "iob1", "iob1", repair=True)
    assert changed == 2
    labels = repaired
    for source, target in (("iob1", "bioes"), ("bioes", "bilou"), ("bilou", "bio2"), ("bio2", "iob1")):
        labels, changed = convert_many(labels, source, target)
        assert changed == 0
        assert detect(labels).scheme is Scheme.of(target)
    assert labels == repaired


def test_conll2000_chunks_and_round_trip(real_data: Path) -> None:
    column = label_column(real_data / "conll2000/train.txt.gz")
    assert sum(len(spans(labels)) for labels in column) == 106_978
    assert detect(column).description == "BIO2 (11 types, 22 labels)"
    labels = column
    for source, target in (("bio2", "bilou"), ("bilou", "iob1"), ("iob1", "bioes"), ("bioes", "bio2")):
        labels, changed = convert_many(labels, source, target)
        assert changed == 0
    assert labels == column


def test_other_corpora_are_named(real_data: Path) -> None:
    assert detect(label_column(real_data / "wnut17/train.tsv.gz", "\t")).description == "BIO2 (6 types, 13 labels)"
    wsj = detect(label_column(real_data / "wsj-pos/test_22-24.tsv.gz", "\t"))
    assert wsj.description == "plain (45 labels)"
    # One I in the Spanish data has no B before it.
    spanish = detect(label_column(real_data / "conll2002/esp.train.gz"))
    assert spanish.description == "BIO2 (4 types, 9 labels; 1 invalid transition)"


def test_labels_are_counted_after_every_label() -> None:
    """The label XX, which no scheme has, follows three labels: four times in all, as often as labels of a scheme."""
    assert detect([["XX", "XX", "B-A", "XX"], ["B-B", "XX", "B-A", "B-A"]]).scheme is Scheme.PLAIN
