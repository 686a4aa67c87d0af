"""Copies of sentences: their shares, documents, labels and changes."""

from __future__ import annotations

import pytest

from tagpool import Corpus, NotApplicable, builtin_corpus
from tagpool.corpus.concatenation import concatenate
from tagpool.errors import InputError
from tagpool.experts.robust.audit import find_weaknesses
from tagpool.experts.robust.copies import MOST, SHARE, make_copies
from tagpool.experts.robust.dev_sets import Scores
from tagpool.experts.robust.kinds import changes_of, parse_kinds
from tagpool.features.parser import parse

CORPUS = builtin_corpus(400)


def test_copies_have_the_labels_of_their_sentences() -> None:
    changes = {"case": ("lower", "upper"), "names": ("names",), "lists": ("lists",)}
    copies = make_copies(CORPUS, changes, seed=1, left_out=set(), by_document=False)
    assert len(copies.corpus) == len(copies.sources) == sum(copies.counts.values())
    assert copies.counts.keys() == {"case", "names"}
    for number, sentence in enumerate(copies.corpus):
        source = CORPUS[copies.sources[number]]
        assert sentence.words != source.words
        if len(sentence) == len(source):
            assert sentence.labels == source.labels


@pytest.mark.parametrize("kinds", [["case"], ["case", "digits"], ["lower", "upper", "title", "case"]])
def test_the_number_of_copies_is_bounded(kinds: list[str]) -> None:
    changes = dict.fromkeys(kinds, ("lower", "upper"))
    copies = make_copies(CORPUS, changes, seed=1, left_out=set(), by_document=False)
    expected = len(CORPUS) * min(len(kinds) * SHARE, MOST)
    assert 0.7 * expected < len(copies.corpus) < 1.3 * expected


def test_sentences_that_are_left_out_have_no_copy() -> None:
    copies = make_copies(CORPUS, {"case": ("lower",)}, seed=1, left_out=set(range(0, 400, 2)), by_document=False)
    assert copies.sources
    assert all(source % 2 for source in copies.sources)


def test_copies_of_documents_are_documents_of_their_own() -> None:
    columns = {name: CORPUS.column(name) for name in CORPUS.columns}
    corpus = Corpus.from_columns(columns, documents=range(0, 400, 10))
    copies = make_copies(corpus, {"upper": ("upper",)}, seed=1, left_out=set(), by_document=True)
    documents = [source // 10 for source in copies.sources]
    starts = [at for at, document in enumerate(documents) if at == 0 or document != documents[at - 1]]
    assert list(copies.corpus.document_starts) == starts
    assert 2 * len(starts) < len(documents)  # sentences of a document stay together
    assert concatenate([corpus, copies.corpus]).document_starts[: len(corpus.document_starts)] == corpus.document_starts


def test_copies_have_no_new_labels() -> None:
    corpus = Corpus.from_lists(word=[["A-b", "c"]] * 60 + [["D", "e"]] * 60, label=[["I-X", "O"]] * 60 + [["I-X", "O"]] * 60)
    copies = make_copies(corpus, {"tokens": ("tokens",), "case": ("lower",)}, seed=1, left_out=set(), by_document=False)
    assert {label for labels in copies.corpus.labels for label in labels} <= {"I-X", "O"}


def test_a_perturbation_that_does_not_apply_is_an_error() -> None:
    corpus = Corpus.from_lists(word=[["猫", "が"]] * 50, label=[["B-X", "O"]] * 50)
    with pytest.raises(NotApplicable, match="robust: case does not apply"):
        make_copies(corpus, {"case": ("lower", "upper")}, seed=1, left_out=set(), by_document=False)


@pytest.mark.parametrize(
    ("text", "message"),
    [("cases", "unknown kind 'cases'"), ("", "no kind"), ("auto,case", "use it alone"), ("case;typos", "unknown kind")],
)
def test_bad_kinds(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_kinds(text)


def test_kinds_that_the_features_do_not_have() -> None:
    with pytest.raises(InputError, match="use no lists"):
        changes_of(("lists",), CORPUS, parse("word[0]"))
    with pytest.raises(InputError, match="all templates are of one group"):
        changes_of(("groups",), CORPUS, parse("word[0]"))
    with pytest.raises(InputError, match="no column 'word'"):
        changes_of(("case",), Corpus.from_lists(pos=[["N"]]), parse("pos[0]"))


def test_weaknesses_are_more_than_chance() -> None:
    changed = {"lower": 0.5, "upper": 0.895, "typos": 0.8, "suffixes": 0.7, "lists": 0.6}
    weak = find_weaknesses(Scores(0.9, changed, dict.fromkeys(changed, 300), 300))
    assert weak == {"case": ("lower",), "typos": ("typos",), "groups": ("suffixes",), "lists": ("lists",)}
    assert find_weaknesses(Scores(0.9, changed, dict.fromkeys(changed, 3), 3)) == {}
    assert find_weaknesses(None) == {}
