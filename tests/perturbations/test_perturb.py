"""Perturbations keep sentences, spans, documents and columns, in every tag scheme; they depend on the seed only."""

from __future__ import annotations

import unicodedata
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tagpool
from tagpool import Corpus, InputError, NewToken, NotApplicable, Perturbation, perturb
from tagpool.corpus.schemes import Scheme, Span, detect, spans, to_labels, violations
from tagpool.perturbations.registry import PERTURBATIONS, register

SCHEMES = [Scheme.BIO2, Scheme.IOB1, Scheme.BIOES, Scheme.BILOU]
NAMES = sorted(PERTURBATIONS)
KEEPING = {"lower", "upper", "title", "typos", "ocr", "digits", "diacritics"}  # the tokens stay
WORDS = [
    "Ann",
    "U.S.",
    "well-known",
    "don't",
    "'s",
    ",",
    ".",
    "(",
    ")",
    "...",
    "«",
    "»",
    "3.5",
    "7",
    "of",
    "the",
    "München",
    "McX",
]
WORDS += ["rn", "Жора", "नीचे", "東京", "A", "é", "ß", "İ", "-", "'", "@x", "\u0301", "l'homme", "U", "EU", "e\u0301a"]


@st.composite
def corpora(draw: st.DrawFn, scheme: Scheme | None = None) -> Corpus:
    """Corpora with touching spans, single words, empty sentences and documents."""
    scheme = scheme or draw(st.sampled_from([*SCHEMES, Scheme.PLAIN]))
    words, labels, tags = [], [], []
    for _ in range(draw(st.integers(1, 5))):
        row = draw(st.lists(st.sampled_from(WORDS), max_size=9))
        placed: list[Span] = []
        at = 0
        while at < len(row):
            size = draw(st.integers(0, 3))
            if size and at + size <= len(row):
                placed.append(Span(at, at + size, draw(st.sampled_from(["PER", "LOC"]))))
            at += size or 1
        words.append(row)
        plain = [draw(st.sampled_from(["NN", "VB", "O"])) for _ in row]
        labels.append(plain if scheme is Scheme.PLAIN else to_labels(placed, len(row), scheme))
        tags.append([f"t{number}" for number in range(len(row))])
    starts = [0, len(words) - 1] if len(words) > 1 and draw(st.booleans()) else []
    return Corpus.from_columns({"word": words, "tag": tags, "label": labels}, documents=starts)


def types_of(labels: list[str]) -> list[str]:
    return [span.type for span in spans(labels)]


@settings(max_examples=60, deadline=None)
@given(corpora(), st.sampled_from(NAMES), st.integers(0, 3), st.sampled_from([0.3, 1.0]))
def test_spans_survive_in_every_scheme(corpus: Corpus, name: str, seed: int, share: float) -> None:
    try:
        new = perturb(corpus, name, share=share, seed=seed)
    except NotApplicable:
        return  # test_reasons has the reasons
    scheme = detect(corpus.labels).scheme
    assert (new.columns, new.label_column, new.document_starts) == (corpus.columns, corpus.label_column, corpus.document_starts)
    for old, row in zip(corpus, new, strict=True):
        assert bool(row.words) == bool(old.words)
        assert all(word.strip() for word in row.words)
        assert {len(values) for values in row.columns.values()} == {len(row)}
        assert row.labels is not None
        assert old.labels is not None
        if scheme is not Scheme.PLAIN:
            assert types_of(row.labels) == types_of(old.labels)
            assert not violations(row.labels, scheme)
        # A token copies the columns of an old token, and those keep their order.
        origins = [int(tag[1:]) for tag in row["tag"]]
        assert origins == sorted(origins)
        assert set(row["tag"]) <= set(old["tag"])
        if name in KEEPING:
            assert row.labels == old.labels
            assert row["tag"] == old["tag"]
        for at, label in zip(origins, row.labels, strict=True):
            inside = scheme is not Scheme.PLAIN and any(start <= at < end for start, end, _ in spans(old.labels))
            assert inside or label == old.labels[at]


@settings(max_examples=40, deadline=None)
@given(corpora(), st.sampled_from(NAMES), st.integers(0, 3))
def test_the_seed_decides_and_neighbours_do_not(corpus: Corpus, name: str, seed: int) -> None:
    if name == "names":
        return  # made-up names depend on the words of the whole corpus; see test_names.py
    try:
        new = perturb(corpus, name, share=0.5, seed=seed)
        assert perturb(corpus, name, share=0.5, seed=seed) == new
        emptied = [row if number == len(corpus) - 1 else ["x7"] * len(row) for number, row in enumerate(corpus.words)]
        if name != "typos":  # its letters are those of the corpus
            other = perturb(corpus.with_column("word", emptied), name, share=0.5, seed=seed)
            assert other[-1].words == new[-1].words
    except NotApplicable:
        pass
    assert perturb(corpus, name, share=0, seed=seed) is corpus


@settings(max_examples=30, deadline=None)
@given(corpora(), st.sampled_from(NAMES))
def test_schemes_agree(corpus: Corpus, name: str) -> None:
    """Perturbation and conversion of the scheme commute."""
    read = [spans(labels) for labels in corpus.labels]
    if detect(corpus.labels).scheme is Scheme.PLAIN or not any(read):
        return
    results = []
    for scheme in SCHEMES:
        rows = [to_labels(placed, len(words), scheme) for placed, words in zip(read, corpus.words, strict=True)]
        converted = corpus.with_labels(rows)
        if detect(rows).scheme is not scheme:
            return  # spans of one token look the same in several schemes
        try:
            new = perturb(converted, name, seed=1)
        except NotApplicable:
            results.append(None)
            continue
        results.append((new.words, [spans(labels) for labels in new.labels]))
    assert all(result == results[0] for result in results)


def test_words_change_as_often_as_the_share_says() -> None:
    corpus = Corpus.from_lists(word=[["London", "calling", "again"]] * 2000)
    for name in ("typos", "lower", "spaces"):
        changed = perturb(corpus, name, share=0.3)
        units = 2000 if name == "lower" else 6000
        if name == "typos":
            count = sum(
                a != b for old, new in zip(corpus.words, changed.words, strict=True) for a, b in zip(old, new, strict=True)
            )
        elif name == "lower":
            count = sum(row[0] == "london" for row in changed.words)
        else:
            count = sum(len(new) > 3 for new in changed.words) + sum(len(new) < 3 for new in changed.words)
            assert 0.4 < count / 2000 < 0.75  # one of three words or more
            continue
        assert abs(count / units - 0.3) < 0.05


def test_a_small_share_that_draws_nothing_is_no_reason() -> None:
    corpus = Corpus.from_lists(word=[["London"]])
    assert perturb(corpus, "typos", share=1e-9) == corpus


@pytest.mark.parametrize(
    ("name", "words", "reason"),
    [
        ("lower", ["東京", "7"], "no upper and lower case"),
        ("lower", ["all", "lower"], "in lower case"),
        ("upper", ["ALL", "UP"], "in upper case"),
        ("typos", ["a", "7"], "two letters"),
        ("ocr", ["東京"], "OCR"),
        ("spaces", ["..."], "no word"),
        ("punctuation", ["a"], "punctuation mark"),
        ("diacritics", ["Ann"], "no diacritics"),
        ("diacritics", ["हिन्दी"], "no diacritics"),
        ("digits", ["Ann"], "no digits"),
        ("digits", ["000"], "are 0"),
        ("tokens", ["Ann", "saw"], "no word"),
        ("names", ["Ann"], "no labels"),
    ],
)
def test_reasons(name: str, words: list[str], reason: str) -> None:
    with pytest.raises(NotApplicable, match=reason):
        perturb(Corpus.from_lists(word=[words]), name)


def test_tokens_are_split_and_joined() -> None:
    words = ["Ann", "(", "EU", ")", "Smith", "'s", "well-known", "U.S.", ",", "3.5", ",", "you", "do", "n't", "."]
    labels = ["B-PER", "O", "B-ORG", "O", "B-PER", *["O"] * 10]
    new = perturb(Corpus.from_lists(word=[words], label=[labels]), "tokens")[0]
    assert new.words == ["Ann", "(EU)", "Smith's", "well", "-", "known", "U.S", ".", ",", "3.5,", "you", "don't."]
    assert new.labels == ["B-PER", "B-ORG", "B-PER", *["O"] * 9]


def test_spans_that_meet_are_told_apart() -> None:
    """Without the comma between them, two spans of one type touch."""
    corpus = Corpus.from_lists(word=[["Ann", ",", "Bob"]] * 9, label=[["I-PER", "O", "I-PER"]] * 9)
    new = perturb(corpus, "punctuation")
    rows = {tuple(row.labels or ()) for row in new}
    assert rows == {("I-PER", "B-PER"), ("I-PER", "O", "O", "I-PER")}


def test_letters_and_marks_stay_together() -> None:
    corpus = Corpus.from_lists(word=[["नीचे"], ["cafe\u0301s"]] * 50)
    for name in ("typos", "spaces"):
        for row in perturb(corpus, name).words:
            assert all(unicodedata.category(word[0])[0] != "M" for word in row)


def test_typos_use_letters_of_the_corpus() -> None:
    corpus = Corpus.from_lists(word=[["москва", "город"]] * 100)
    letters = set("москвагород")
    changed = perturb(corpus, "typos")
    assert all(set(word) <= letters for row in changed.words for word in row)
    assert all(word not in ("москва", "город") for row in changed.words for word in row)
    kinds = Counter(len(new) - len(old) for row in changed.words for new, old in zip(row, corpus.words[0], strict=True))
    assert set(kinds) == {-1, 0, 1}


def test_lines_before_a_sentence_stay() -> None:
    asides = [(0, 0, "# id"), (0, 1, "2-3\tdont")]
    corpus = Corpus.from_columns({"word": [["well-known", "do", "nt"]]}, asides=asides)
    assert perturb(corpus, "upper").native.asides == asides
    assert perturb(corpus, "tokens").native.asides == asides[:1]


def test_a_perturbation_of_a_user() -> None:
    def double(corpus: Corpus, times: int = 2) -> Any:
        return lambda text: [NewToken(word, at) for at, word in enumerate(text.words) for _ in range(times)]

    corpus = Corpus.from_lists(word=[["Ann", "left"]], label=[["B-PER", "O"]])
    doubled = Perturbation("doubled", "every word twice", double)
    assert perturb(corpus, doubled).labels == [["B-PER", "I-PER", "O", "O"]]
    register(doubled)
    try:
        assert len(perturb(corpus, "doubled", times=3)[0]) == 6
        with pytest.raises(InputError, match="already"):
            register(doubled)
    finally:
        del PERTURBATIONS["doubled"]


@pytest.mark.parametrize(
    ("tokens", "message"),
    [
        ([], "removes all tokens"),
        (["a"], "expected 2 words, got 1"),
        (["a", " "], "not empty"),
        (["a", 3], "not empty"),
        ([NewToken("a", 1), NewToken("b", 0)], "no old token"),
        ([NewToken("a", 1)], "span PER of tokens 1 to 1 is lost"),
        (["a", "b", "c"], "no old token"),
        ("ab", "expected a list of words"),
        (None, "expected a list of words"),
    ],
)
def test_mistakes_of_a_perturbation_are_named(tokens: Any, message: str) -> None:
    corpus = Corpus.from_lists(word=[["Ann", "left"]], label=[["B-PER", "O"]])
    broken = Perturbation("broken", "a mistake", lambda corpus: lambda text: tokens)
    with pytest.raises(InputError, match=f"perturbation broken, sentence 1: .*{message}"):
        perturb(corpus, broken)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"perturbation": "nonsense"}, "use one of lower"),
        ({"perturbation": 3}, "expected a perturbation"),
        ({"perturbation": "lower", "share": 1.5}, "share=1.5"),
        ({"perturbation": "lower", "share": True}, "share=True"),
        ({"perturbation": "lower", "seed": 0.5}, "seed=0.5"),
        ({"perturbation": "lower", "mask": "#"}, "has no option 'mask'; it has none"),
        ({"perturbation": "digits", "mask": "ab"}, "one character"),
        ({"perturbation": "names", "names": 3}, "expected a corpus"),
        ({"perturbation": "names", "known": 3}, "expected a corpus or a list"),
    ],
)
def test_bad_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        perturb(tagpool.builtin_corpus(3), **arguments)
