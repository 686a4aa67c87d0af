"""Labellers: any tagger gives one label per word, or an error that says what is wrong with it."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagpool import CRF, Corpus, InputError, MaxEnt, VotePool, builtin_corpus
from tagpool.auditing.importing import import_function
from tagpool.auditing.labellers import REPEATED, Labeller, Rows, labeller_of
from tagpool.corpus.schemes import spans, to_labels

WORDS = [["Ann", "Lee", "left", "Oslo"], ["Rain"], [], ["Bea", "slept"]]
GOLD = [["B-PER", "I-PER", "O", "B-LOC"], ["O"], [], ["B-PER", "O"]]
CORPUS = Corpus.from_lists(word=WORDS, label=GOLD)


def right(sentences: Rows) -> Rows:
    """Return the gold labels, by the first word."""
    return [next(labels for words, labels in zip(WORDS, GOLD, strict=True) if words == row) for row in sentences]


def test_labels_are_those_of_the_tagger_with_empty_sentences_in_place() -> None:
    assert labeller_of(right).labels(CORPUS) == GOLD
    assert labeller_of(lambda rows: (tuple(row) for row in right(rows))).labels(CORPUS) == GOLD
    assert labeller_of(right).labels(Corpus.from_lists(word=[[], []], label=[[], []])) == [[], []]
    assert labeller_of(right).labels(Corpus.from_lists(word=[])) == []


def test_an_object_with_predict_is_a_tagger() -> None:
    class Mine:
        def predict(self, sentences: Rows) -> Rows:
            return right(sentences)

    labeller = labeller_of(Mine())
    assert (labeller.labels(CORPUS), labeller.name, labeller.model) == (GOLD, "Mine", None)


@pytest.mark.parametrize(
    ("tagger", "message"),
    [
        (lambda rows: right(rows)[:-1], r"expected labels for 3 sentences, got 2"),
        (lambda rows: right(rows)[1:], r"got 2; the first that differs is sentence 1 \(4 words, 1 label\)"),
        (lambda rows: [row[:-1] for row in right(rows)], r"sentence 1: expected 4 labels, one per word, got 3$"),
        (lambda rows: right(rows)[::-1], r"sentence 1: .*got 2; .*are the sentences in another order\?"),
        (lambda rows: [[None for _ in row] for row in rows], r"sentence 1, word 1: expected a label without blanks, got None"),
        (lambda rows: [[0 for _ in row] for row in rows], r"word 1: expected a label without blanks, got 0"),
        (lambda rows: [["" for _ in row] for row in rows], r"expected a label without blanks, got ''"),
        (lambda rows: [["B PER" for _ in row] for row in rows], r"without blanks, got 'B PER'"),
        (lambda rows: ["O" * len(row) for row in rows], r"sentence 1: a list of labels, got 'OOOO'"),
        (lambda rows: None, r"expected a list of labels for every sentence, got None"),
        (lambda rows: {"labels": right(rows)}, r"expected a list of labels for every sentence, got \{"),
    ],
)
def test_wrong_answers_are_errors(tagger: Callable[[Rows], Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        labeller_of(tagger, name="mine").labels(CORPUS)


def test_an_exception_names_the_sentence() -> None:
    def fails(sentences: Rows) -> Rows:
        for row in sentences:
            if "slept" in row:
                raise ZeroDivisionError("a/0")
        return right(sentences)

    with pytest.raises(InputError, match=r"mine: sentence 4 \(2 words\): the tagger raised ZeroDivisionError: a/0; correct"):
        labeller_of(fails, name="mine").labels(CORPUS)

    def together(sentences: Rows) -> Rows:
        if len(sentences) > 1:
            sys.exit("too much")
        return right(sentences)

    with pytest.raises(InputError, match=r"raised SystemExit: too much on 3 sentences at once, but on no sentence alone"):
        labeller_of(together).labels(CORPUS)

    def generator(sentences: Rows) -> Any:
        yield from right(sentences[:1])
        raise ValueError

    with pytest.raises(InputError, match=r"sentence 1 \(4 words\): the tagger raised ValueError;"):
        labeller_of(generator).labels(CORPUS)


def test_an_interruption_and_a_lack_of_memory_are_no_errors_of_the_tagger() -> None:
    for error in (KeyboardInterrupt, MemoryError):

        def fails(sentences: Rows, error: type[BaseException] = error) -> Rows:
            raise error

        with pytest.raises(error):
            labeller_of(fails).labels(CORPUS)


@pytest.mark.parametrize("count", [3, REPEATED + 30])
def test_a_tagger_that_is_not_deterministic_is_an_error(count: int) -> None:
    source = random.Random(5)

    def guesses(sentences: Rows) -> Rows:
        return [[source.choice(["B-PER", "O"]) for _ in row] for row in sentences]

    corpus = Corpus.from_lists(word=[["a", "b", "c", "d"]] * count, label=[["B-PER", "O", "O", "O"]] * count)
    with pytest.raises(InputError, match=r"sentence \d+: word \d got '.*', and '.*' at the second time: .* not deterministic"):
        labeller_of(guesses).labels(corpus)


def test_labels_that_depend_on_the_other_sentences_are_noted() -> None:
    def counts(sentences: Rows) -> Rows:
        return [["B-PER" if len(sentences) > REPEATED else "O" for _ in row] for row in sentences]

    corpus = Corpus.from_lists(word=[["a"]] * (REPEATED + 1), label=[["B-PER"]] * (REPEATED + 1))
    labeller = labeller_of(counts, name="mine")
    labeller.labels(corpus)
    assert labeller.notes == ["mine: the labels of a sentence depend on the other sentences that are labelled with it"]
    steady = labeller_of(lambda rows: [["O"] * len(row) for row in rows])
    steady.labels(corpus)
    assert steady.notes == []


def test_types_are_renamed_and_others_counted() -> None:
    new = {"PER": "PERSON", "LOC": "GPE"}

    def renamed(sentences: Rows) -> Rows:
        return [[label[:2] + new[label[2:]] if label != "O" else label for label in row] for row in right(sentences)]

    labeller = labeller_of(renamed, name="mine", mapping={"PERSON": "PER", "GPE": "LOC"})
    assert labeller.labels(CORPUS) == GOLD
    assert labeller.notes == []
    labeller = labeller_of(renamed, name="mine", mapping={"PERSON": "PER"})
    assert labeller.labels(CORPUS)[0] == ["B-PER", "I-PER", "O", "B-GPE"]
    assert labeller.notes == [
        "mine: the tagger gives types that the gold labels do not have: GPE; rename them with --map OLD=NEW"
    ]
    assert labeller_of(renamed, mapping={"PERSON": "PER", "GPE": "O"}).labels(CORPUS)[0] == ["B-PER", "I-PER", "O", "O"]
    with pytest.raises(InputError, match=r"types of the tagger \(GPE, PERSON\) and of the gold labels \(LOC, PER\) have none in"):
        labeller_of(renamed).labels(CORPUS)
    with pytest.raises(InputError, match="expected types without blanks"):
        labeller_of(renamed, mapping={"PERSON": "P R"})


span_lists = st.lists(st.tuples(st.integers(1, 3), st.integers(1, 3), st.sampled_from(["PER", "LOC"])), max_size=4)


@given(
    st.lists(span_lists, min_size=1, max_size=5),
    st.sampled_from(["bio2", "iob1", "bioes", "bilou"]),
    st.sampled_from(["bio2", "bioes", "bilou"]),
)
def test_spans_are_the_same_in_the_scheme_of_the_gold_labels(sentences: Any, theirs: str, gold: str) -> None:
    rows = []
    for gaps in sentences:
        placed, at = [], 0
        for gap, length, kind in gaps:
            placed.append((at + gap, at + gap + length, kind))
            at += gap + length
        rows.append((placed, at + 1))
    words = [[f"{number}.{place}" for place in range(length)] for number, (_, length) in enumerate(rows)]
    gold_labels = [to_labels(one, length, gold) for one, length in rows]
    # A further sentence decides the scheme.
    corpus = Corpus.from_lists(word=[*words, ["x", "y"]], label=[*gold_labels, to_labels([(0, 2, "PER")], 2, gold)])
    answers = [*(to_labels(one, length, theirs) for one, length in rows), to_labels([(0, 2, "PER")], 2, theirs)]
    labels = labeller_of(lambda rows: answers[: len(rows)]).labels(corpus)
    assert labels == corpus.labels
    assert [spans(row) for row in labels] == [spans(row) for row in answers]


def test_types_without_letters_are_read_as_spans() -> None:
    io = labeller_of(lambda rows: [[label.removeprefix("B-").removeprefix("I-") for label in row] for row in right(rows)])
    assert io.labels(CORPUS) == GOLD


def test_parts_of_speech_stay_as_they_are() -> None:
    corpus = Corpus.from_lists(word=[["a", "b"]], label=[["S", "NN"]])
    assert labeller_of(lambda rows: [["NN", "S"]]).labels(corpus) == [["NN", "S"]]
    with pytest.raises(
        InputError, match=r"the labels of the tagger \(NOUN\) and of the gold labels \(NN, S\) have none in common"
    ):
        labeller_of(lambda rows: [["NOUN", "NOUN"]]).labels(corpus)


def test_models_of_tagpool() -> None:
    train, test = builtin_corpus(100), builtin_corpus(20, part="test")
    crf = CRF("word[0]").fit(train)
    labeller = labeller_of(crf)
    assert labeller.model is crf
    assert labeller.labels(test) == crf.predict(test)
    for row, sure, table in zip(crf.predict(test), labeller.confidences(test), crf.predict_proba(test), strict=True):
        assert sure == [table[place, crf.labels_.index(label)] for place, label in enumerate(row)]
    assert labeller_of(labeller) is labeller
    with pytest.raises(InputError, match="not fitted"):
        labeller_of(CRF("word[0]"))
    with pytest.raises(InputError, match="given features"):
        labeller_of(MaxEnt().fit([[["a"], ["b"]]], [["X", "Y"]]))
    with pytest.raises(InputError, match="VotePool"):
        labeller_of(VotePool())


@pytest.mark.parametrize("value", [None, 3, "ner", [], CRF, object()])
def test_other_values_are_no_taggers(value: Any) -> None:
    with pytest.raises(InputError, match="expected a tagger"):
        labeller_of(value)


def test_only_some_labellers_have_probabilities() -> None:
    labeller = labeller_of(right, name="mine")
    assert not labeller.has_confidence
    with pytest.raises(InputError, match="mine: the tagger has no probabilities"):
        labeller.confidences(CORPUS)
    assert isinstance(labeller, Labeller)


def test_functions_are_imported_from_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    Path("my_tagger.py").write_text("class Box:\n    @staticmethod\n    def label(rows): return rows\nnumber = 3\n")
    Path("broken_tagger.py").write_text("1 / 0\n")
    Path("needy_tagger.py").write_text("import no_such_library\n")
    assert import_function("my_tagger:Box.label", "--tagger")([["a"]]) == [["a"]]
    for name, message in [
        ("my_tagger", r"--tagger my_tagger: expected MODULE:FUNCTION"),
        ("my_tagger:", "expected MODULE:FUNCTION"),
        ("my_tagger:Bix", "has no 'Bix'; did you mean 'Box'"),
        ("my_tagger:number", "expected a function, got int"),
        ("my_tagger:Box", "expected a function, got type"),
        ("no_such_tagger:f", "there is no module 'no_such_tagger' in the current folder"),
        ("needy_tagger:f", "the module 'no_such_library', which needy_tagger needs, is missing"),
        ("broken_tagger:f", "importing the module broken_tagger raised ZeroDivisionError"),
    ]:
        with pytest.raises(InputError, match=message):
            import_function(name, "--tagger")
