"""Parts of ``elitist-ner``: experts chosen by hand, hidden letters, and the lexicon of known words."""

from __future__ import annotations

import numpy as np
import pytest

from tagpool import Corpus, builtin_corpus
from tagpool.evaluation.breakdown import vocabulary_breakdown
from tagpool.experiments.chosen_experts import ALL, Sides, Simple, Types, chosen_experts, reach
from tagpool.experiments.corpora import Split, in_scheme, templates
from tagpool.experiments.fits import Makers
from tagpool.experiments.hidden_letters import LETTERS, HiddenLetters, read_letters, with_letters
from tagpool.experiments.known_words import (
    CASED,
    LEXICON,
    LEXICONS,
    PARTS,
    fits,
    lexicon_lines,
    lexicon_note,
    possible_sizes,
    rows_by_vocabulary,
    tokens_of,
)
from tagpool.experiments.printed.elitist import known_and_unknown
from tagpool.experts.linear.maxent import MaxEnt
from tagpool.features.parser import parse

TEXT = "word[-1..1]\nshape(word)[-1..1]\ndisjunction(word, 1..3)[0]\n[ngrams]\nngrams(word, 1..3)[0]"


@pytest.fixture(scope="module")
def split() -> Split:
    parts = (("train", 120), ("dev", 40), ("test", 60))
    return Split(*(in_scheme(builtin_corpus(count, part=part), "bio2") for part, count in parts))


def wrong(labels: list[list[str]]) -> list[list[str]]:
    """Labels with some boundaries, types and names wrong."""
    cells = ("O", "B-PER", "I-LOC")
    random = np.random.default_rng(1)
    return [[str(random.choice(cells)) if random.random() < 0.3 else label for label in row] for row in labels]


def split_of(train: list[str], test: list[str], labels: list[str], dev: list[str] | None = None) -> Split:
    def corpus(words: list[str], row: list[str] | None = None) -> Corpus:
        return Corpus.from_lists(word=[words], label=[row or ["O"] * len(words)])

    return Split(corpus(train), corpus(dev or ["x"]), corpus(test, labels))


def test_a_template_reads_as_far_as_its_windows() -> None:
    expected = {
        "capitals(word, -1..1)[0]": (-1, 1),
        "disjunction(word, -4..-1)[2]": (-2, 1),
        "word[-2] & shape(word)[1]": (-2, 1),
        "elsewhere(disjunction(word, 1..4))[-1]": (-1, -1),
        "gazetteer(titles, plain)[-1]": (-1, -1),
        "position[0]": (0, 0),
    }
    assert {text: reach(next(iter(parse(text)))) for text in expected} == expected


def test_positional_experts_read_one_side_only() -> None:
    text = templates("names-elitist")
    views = Sides().views(parse(text), [])
    assert views[ALL].templates == parse(text)
    before, after = ([reach(one) for one in views[name].templates] for name in ("before", "after"))
    assert max(high for _, high in before) == 0
    assert min(low for low, _ in after) == 0
    assert min(low for low, _ in before) < 0 < max(high for _, high in after)
    names = {name: {str(one) for one in views[name].templates} for name in ("before", "after")}
    assert {"disjunction(word, -4..-1)[0]", "word[-1]"} <= names["before"] - names["after"]
    assert {"disjunction(word, 1..4)[0]", "word[1]"} <= names["after"] - names["before"]
    assert {"word[0]", "ngrams(word, 1..6, edges)[0]"} <= names["after"] & names["before"]
    assert "capitals(word, -1..1)[0]" not in names["after"] | names["before"]


def test_experts_by_hand_are_those_of_the_paper(split: Split) -> None:
    numbers = {}
    for model in chosen_experts(Makers(TEXT, epochs=2)):
        pool = model.fit(1.0, 1, split)
        numbers[model.name.rpartition(" ")[2]] = len(pool)
        assert pool.names_[0] == ALL
        assert pool.weights_.sum() == pytest.approx(1)
        assert [len(row) for row in model.decode(pool, split.test)] == [len(row) for row in split.test.labels]
        assert [len(row) for row in model.decode(pool.without("ngrams"), split.test)] == [len(row) for row in split.test.words]
    types = {label[2:] for row in split.train.labels for label in row if label != "O"}
    assert numbers == {"simple": 2, "positional": 3, "label": len(types) + 1}


def test_the_expert_of_a_type_cannot_tell_the_other_labels(split: Split) -> None:
    pool = chosen_experts(Makers(TEXT, epochs=2))[2].fit(1.0, 1, split)
    member = pool[pool.names_.index("PER")]
    for lattice in member.lattices(split.test[:5]):
        scores = np.asarray(lattice.nodes)
        others = [number for number, label in enumerate(member.labels_) if label[2:] != "PER"]
        assert np.ptp(scores[:, others], axis=1).max() == pytest.approx(0, abs=1e-6)
        assert np.ptp(scores, axis=1).max() > 0.1
    assert set(Types().views(parse(TEXT), ["O", "B-PER"])) == {ALL, "PER"}
    assert len(Simple().views(parse(TEXT), [])["simple"].templates) == 4


def test_hidden_letters_are_seen_at_test_time_only_with_their_ngrams(split: Split) -> None:
    hidden = with_letters(split.train, hidden=True)
    assert hidden.words == split.train.words
    assert {letters for row in hidden.column(LETTERS) for letters in row} == {""}
    model = HiddenLetters("hidden", Makers(read_letters(TEXT), epochs=3).one(MaxEnt), (1.0,), stops=True)
    tagger = model.fit(1.0, 1, split)
    assert tagger.summary_["sentences"] == 2 * len(split.train)
    seen, unseen = (list(tagger.predict_marginals(with_letters(split.test, hidden=flag))) for flag in (False, True))
    without = list(tagger.without("ngrams").predict_marginals(with_letters(split.test)))
    assert any(not np.allclose(one, other) for one, other in zip(seen, unseen, strict=True))
    assert all(np.allclose(one, other, atol=1e-5) for one, other in zip(unseen, without, strict=True))
    assert model.decode(tagger, split.test) == tagger.predict(with_letters(split.test))


def test_a_lexicon_has_one_form_of_a_word() -> None:
    one = split_of(["Oslo", "1996"], ["OSLO", "Oslo", "1997", "Bonn", "of"], ["B-LOC", "B-LOC", "B-MISC", "B-LOC", "O"], ["bonn"])
    assert {lexicon.name: lexicon.names(one) for lexicon in LEXICONS} == {
        "case ignored": (2, 2),
        "cased": (1, 3),
        "cased, digits are one": (2, 2),
        "case ignored, with dev": (3, 1),
        "cased, with dev": (1, 3),
    }


@pytest.mark.parametrize("lexicon", [LEXICON, CASED], ids=lambda lexicon: lexicon.name)
def test_tokens_as_names_have_the_scores_of_the_breakdown(split: Split, lexicon: object) -> None:
    """The rows count tokens as names; :func:`vocabulary_breakdown` counts tokens."""
    results = [wrong(split.test.labels)]
    ending = "" if lexicon is LEXICON else ", cased"
    rows = {row.metric: row for row in rows_by_vocabulary("a", split, results)}
    chosen = next(one for one in LEXICONS if one is lexicon)
    forms = chosen.forms(split.test.words)
    parts = vocabulary_breakdown(forms, split.test.labels, results[0], chosen.known(split))
    for part, score in zip(PARTS, (parts.in_vocabulary, parts.out_of_vocabulary), strict=True):
        row = rows[f"{part} F1{ending}"]
        assert row.ours == pytest.approx(100 * score.f1, abs=0.006)
        assert row.low is not None
        assert row.high is not None
        assert row.low < row.ours < row.high
        assert sum(map(len, tokens_of(split, split.test.labels, part, chosen))) == score.tokens
        if lexicon is LEXICON:
            assert rows[f"{part} precision"].ours == pytest.approx(100 * score.precision, abs=0.006)
            assert rows[f"{part} recall"].ours == pytest.approx(100 * score.recall, abs=0.006)


def test_lines_of_lexicons_have_means(split: Split) -> None:
    results = [split.test.labels, [["O"] * len(row) for row in split.test.labels]]
    for line in lexicon_lines("a", split, results):
        assert sum(map(int, line[1:3])) == sum(label != "O" for row in split.test.labels for label in row)
        assert line[3:] == ["50.00"] * 6


@pytest.mark.parametrize(("correct", "predicted", "gold"), [(2003, 2321, 2311), (1, 3, 2), (4832, 5417, 5801)])
def test_figures_fit_the_counts_that_they_are_rounded_from(correct: int, predicted: int, gold: int) -> None:
    figures = (100 * correct / predicted, 100 * correct / gold, 200 * correct / (predicted + gold))
    assert fits((round(figures[0], 2), round(figures[1], 2), round(figures[2], 2)), gold)


def test_the_printed_figures_allow_one_number_of_unknown_tokens() -> None:
    """8,112 tokens of the test file of CoNLL-2003 are inside names."""
    printed = known_and_unknown()
    assert printed == {
        "IV": [(89.21, 86.81, 88.00), (90.25, 89.85, 90.05)],
        "OOV": [(85.69, 80.61, 83.08), (86.30, 86.67, 86.49)],
    }
    assert possible_sizes(printed, 8112) == [2311]


def test_the_note_names_the_lexicon_that_fits() -> None:
    one = split_of(["Oslo"], ["OSLO", "Oslo", "Bonn"], ["B-LOC"] * 3)
    exact = {"IV": [(100.0, 50.0, 66.67)], "OOV": [(50.0, 100.0, 66.67)]}
    note = lexicon_note(exact, one)
    assert "among the 3 name tokens of the test sentences, its figures allow 1." in note
    assert note.endswith("So the figures allow this lexicon: case ignored, case ignored, with dev.")
    nothing = lexicon_note({"IV": [(33.33, 12.0, 17.0)], "OOV": exact["OOV"]}, one)
    assert "its figures allow none." in nothing
    assert nothing.endswith("lexicon: none.")
