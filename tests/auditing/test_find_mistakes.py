"""Likely annotation errors: planted ones are first, folds do not leak, and each stretch of tokens is one row."""

from __future__ import annotations

import pytest

from tagpool import CRF, Corpus, InducingTagger, InputError, builtin_corpus, find_mistakes
from tagpool.auditing.mistake_page import mistake_page
from tagpool.auditing.mistakes import MISTAKE_KINDS, Mistake, fold_numbers, rank
from tagpool.corpus.schemes import Span, spans

CORPUS = builtin_corpus(300)
NAMES = ["Ann", "Bob", "Eve", "Tom", "Kim", "Lee"]


def simple(count: int = 60) -> Corpus:
    """Sentences whose labels follow from the words."""
    words = [[NAMES[number % 6], "met", NAMES[(number + 1 + number // 6) % 6], f"in{number}"] for number in range(count)]
    return Corpus.from_lists(word=words, label=[["B-PER", "O", "B-PER", "O"] for _ in words])


@pytest.mark.parametrize(
    ("labels", "kind"),
    [
        (["B-PER", "O", "O", "O"], "missed"),
        (["B-PER", "B-PER", "B-PER", "O"], "spurious"),
        (["B-PER", "O", "B-LOC", "O"], "type"),
        (["B-PER", "O", "B-PER", "I-PER"], "boundary"),
        (["B-PER", "B-LOC", "I-LOC", "O"], "both"),
    ],
)
def test_a_planted_error_is_the_first_row(labels: list[str], kind: str) -> None:
    corpus = simple()
    rows = corpus.labels
    rows[7] = labels
    mistakes = find_mistakes(corpus.with_labels(rows), CRF("word[0]"))
    assert [(one.sentence, one.kind) for one in mistakes] == [(7, kind)]
    assert mistakes[0].annotated in {*spans(labels), None}
    assert mistakes[0].proposed in {*spans(["B-PER", "O", "B-PER", "O"]), None}
    assert 0.5 < mistakes[0].score <= 1


def test_a_type_that_occurs_once_is_listed() -> None:
    corpus = simple()
    rows = corpus.labels
    rows[3][0] = "B-PRE"
    first = find_mistakes(corpus.with_labels(rows), CRF("word[0]"))[0]
    assert (first.sentence, first.annotated, first.proposed) == (3, Span(0, 1, "PRE"), Span(0, 1, "PER"))


def test_parts_of_speech_are_judged_by_token() -> None:
    corpus = simple()
    rows = [["NNP", "VBD", "NNP", "RB"] for _ in corpus]
    rows[5][1] = "NNP"
    mistakes = find_mistakes(corpus.with_labels(rows), CRF("word[0]"))
    assert [(one.sentence, one.kind, one.annotated, one.proposed) for one in mistakes] == [
        (5, "type", Span(1, 2, "NNP"), Span(1, 2, "VBD"))
    ]


def test_rows_are_ranked_in_turn_and_do_not_overlap() -> None:
    mistakes = find_mistakes(CORPUS)
    assert {one.kind for one in mistakes} <= set(MISTAKE_KINDS)
    scores = [one.score for one in mistakes]
    assert [score >= 0.5 for score in scores] == sorted((score >= 0.5 for score in scores), reverse=True)
    tokens = [(one.sentence, token) for one in mistakes for token in range(one.start, one.end)]
    assert len(tokens) == len(set(tokens))
    assert rank(list(reversed(mistakes))) == mistakes
    assert find_mistakes(CORPUS) == mistakes
    assert [one for one in mistakes if one.kind == "type"] == find_mistakes(CORPUS, kinds=["type"])


def test_folds_keep_documents_and_equal_sentences_together() -> None:
    words = [["a"], ["b"], ["a"], ["c"], ["b"], []]
    parts = list(fold_numbers(Corpus.from_lists(word=words), 3, seed=2))
    assert sorted(number for _, test in parts for number in test) == [0, 1, 2, 3, 4]
    for train, test in parts:
        assert not {tuple(words[n]) for n in train} & {tuple(words[n]) for n in test}
    documents = Corpus.from_columns({"word": [["a"]] * 6}, documents=[0, 2, 4])
    assert sorted(test for _, test in fold_numbers(documents, 3, seed=1)) == [[0, 1], [2, 3], [4, 5]]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"folds": 1}, "expected a whole number from 2 on"),
        ({"kinds": ["misses"]}, "expected a list of missed, spurious"),
        ({"kinds": "missed"}, "expected a list of missed, spurious"),
        ({"tagger": InducingTagger()}, "has no probabilities"),
        ({"tagger": "crf"}, "expected a tagger of tagpool"),
    ],
)
def test_refusals(change: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        find_mistakes(CORPUS, **change)  # type: ignore[arg-type]


def test_one_sentence_has_nothing_to_compare_with() -> None:
    with pytest.raises(InputError, match="two different sentences"):
        find_mistakes(Corpus.from_lists(word=[["a"], ["a"]], label=[["O"], ["B-X"]]))


def test_the_page_shows_the_part_of_a_long_sentence_around_the_spans() -> None:
    words = [f"w{number}" for number in range(100)]
    corpus = Corpus.from_lists(word=[words], label=[["O"] * 100])
    html = mistake_page("<names>", corpus, [Mistake(0, "type", Span(50, 52, "PER"), Span(50, 52, "LOC"), 0.5)], ["a.conll:51"])
    assert "<h1>&lt;names&gt;</h1>" in html
    assert "w38 w39" in html
    assert "w37" not in html
    assert "w64" not in html
    assert html.count("<b>PER") == html.count("<b>LOC") == 1
    assert html.index("<b>PER") < html.index("w50 w51") < html.index("<b>LOC")
