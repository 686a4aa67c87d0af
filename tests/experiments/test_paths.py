"""Parts of the path-expert studies: letters and phones, losses, mismatched files."""

from __future__ import annotations

import gzip
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagpool.errors import InputError
from tagpool.experiments.corpora import handwriting, pronunciations
from tagpool.experiments.letter_alignment import fits, label_of, learn_pieces, phones_of, pieces_of
from tagpool.experiments.nbest import best_outputs, experts_of
from tagpool.experiments.paths_artificial import select_stepwise
from tagpool.experiments.paths_study import METHODS, Losses, compare_order, folds_of
from tagpool.experiments.study import Setting
from tagpool.experts.linear.crf import CRF
from tagpool.pools.votes.ballots import ballots_of

SOUNDS = {"A": ("AE",), "E": (), "N": ("N",), "S": ("S",), "T": ("T",), "U": ("Y", "UW"), "X": ("K", "S")}


def said(word: str) -> list[str]:
    return [phone for letter in word for phone in SOUNDS[letter]]


@pytest.fixture(scope="module")
def table():
    random = np.random.default_rng(3)
    words = ["".join(random.choice(list(SOUNDS), random.integers(2, 8))) for _ in range(400)]
    return learn_pieces([(word, said(word)) for word in words])


@given(st.text("AENSTUX", min_size=1, max_size=9))
def test_letters_get_the_phones_they_stand_for(table, word):
    phones = said(word)
    result = pieces_of(word, phones, table)
    if not fits(word, phones):
        assert result is None
    else:
        assert result == [SOUNDS[letter] for letter in word]
        assert phones_of(map(label_of, result)) == phones


@given(st.lists(st.tuples(st.text("ab", min_size=1, max_size=4), st.lists(st.sampled_from("xyz"), max_size=9)), max_size=6))
def test_whatever_is_aligned_has_its_phones_in_order(words):
    table = learn_pieces(words, rounds=2)
    by_letter: dict[str, float] = {}
    for (letter, _), probability in table.items():
        by_letter[letter] = by_letter.get(letter, 0.0) + probability
    assert all(total == pytest.approx(1) for total in by_letter.values())
    for letters, phones in words:
        result = pieces_of(letters, phones, table)
        assert (result is None) == (not fits(letters, phones))
        if result is not None:
            assert [phone for piece in result for phone in piece] == phones
            assert all(len(piece) <= 2 for piece in result)
            assert len(result) == len(letters)


def test_expectation_maximisation_makes_the_words_likelier_in_every_round():
    words = [("TAX", ["T", "AE", "K", "S"]), ("ATE", ["AE", "T"]), ("XAT", ["K", "S", "AE", "T"]), ("NE", ["N"])]

    def likelihood(table, letters, phones):
        if not letters:
            return float(not phones)
        return sum(
            table.get((letters[0], tuple(phones[:count])), 0.0) * likelihood(table, letters[1:], phones[count:])
            for count in range(min(2, len(phones)) + 1)
        )

    by_round = [np.prod([likelihood(learn_pieces(words, rounds), *item) for item in words]) for rounds in (1, 2, 4, 8)]
    assert by_round == sorted(by_round)
    assert by_round[0] < by_round[-1]


def test_losses_are_kept_by_run_and_by_sentence():
    losses = Losses(100)
    for first, others in folds_of(100, 20, 3):
        assert len(first) == 20
        assert not set(first) & set(others)
        losses.add("worse", others, np.where(others % 2, 0.5, 0.1))
        losses.add("better", others, np.where(others % 2, 0.25, 0.1))
    row = losses.rows("loss")[1]
    assert row.row == "better"
    assert row.ours == pytest.approx(100 * losses.mean("better"), abs=0.01)
    assert row.low is not None
    assert row.high is not None
    assert row.low <= row.ours <= row.high
    result = losses.less("better", "worse")
    assert result.less == pytest.approx(12.5)
    assert result.low < 12.5 < result.high
    assert result.p_value < 0.01
    assert losses.less("better", "better").p_value == 1.0
    assert losses.less("worse", "better").less == pytest.approx(-12.5)


def test_losses_of_some_sentences_and_their_spread():
    losses = Losses(6)
    for run in (0.0, 0.1):
        losses.add("mvote", np.arange(4), np.array([0.2, 0.2, 0.4, 0.4]) + run)
        losses.add("best", np.arange(1, 6), np.full(5, 0.5) + run)
    long = np.arange(6) >= 2
    assert losses.mean_of("mvote", long) == pytest.approx(0.45)
    assert losses.less("mvote", "best", sentences=long).less == pytest.approx(10.0)  # sentences 2 and 3: tested with both
    row = losses.spread_rows("loss", (range(8), [0.1] * 8))[0]
    assert (row.row, row.ours, row.spread, row.samples) == ("mvote", 35.0, 7.07, 2)
    assert (row.paper, row.paper_spread) == (0, 0.1)


def test_pairs_of_the_paper_whose_intervals_overlap_do_not_count():
    losses = Losses(1)
    for number, method in enumerate(METHODS):
        losses.add(method, np.arange(1), np.array([0.1 * number]))
    separate = (range(8), [0.4] * 8)
    assert compare_order(losses, separate) == (28, [])
    assert compare_order(losses, (range(8), [0.6] * 8)) == (21, [])  # neighbours overlap
    swapped = ((1, 0, *range(2, 8)), [0.4] * 8)
    assert compare_order(losses, swapped) == (27, ["fpl < mvote (10.00, 0.00)"])


def test_lists_have_the_most_probable_distinct_outputs():
    words = [list("aab"), list("ba"), list("b")]
    labels = [["A", "A+A", "_"], ["_", "A"], ["_"]]
    model = CRF("word[0]").fit([{"word": word} for word in words], labels)
    lists = best_outputs(model, words, 4, phones_of)
    for lattice, word, outputs in zip(model.lattices(words), words, lists, strict=True):
        everything = [
            (lattice.score([model.labels_.index(label) for label in choice]), phones_of(choice))
            for choice in product(model.labels_, repeat=len(word))
        ]
        ranked = [phones for _, phones in sorted(everything, key=lambda item: -item[0]) if phones]
        expected = [list(phones) for phones in dict.fromkeys(map(tuple, ranked))]
        assert outputs == expected[:4]
    assert len(lists[2]) == 2  # one letter: the empty output does not count
    assert experts_of(lists[:2], range(1)) == {"rank 1": [lists[0][0], lists[1][0]]}


def test_stepwise_selection_stays_with_one_expert_only_if_ties_go_to_the_first():
    # Each of five experts is right at its own position; two votes never outvote one another.
    gold = [["A"] * 5] * 4
    experts = {f"expert {e}": [["A" if k == e else f"B{e}" for k in range(5)]] * 4 for e in range(5)}
    experts["expert 2"] = [["A" if k in (2, 3) else "B2" for k in range(5)]] * 4
    ballots = ballots_of(experts, gold)
    alone = select_stepwise(ballots, stay=True)
    assert alone[2] == pytest.approx(100)
    assert alone.sum() == pytest.approx(100)
    assert (select_stepwise(ballots, stay=False) > 0).all()


@pytest.mark.parametrize(
    ("read", "name", "line", "message"),
    [
        (handwriting, "ocr-letters/letter.data.gz", "1\to\t2\t1\t1\t0\t1\t0", "expected id, letter, .* got 8 columns"),
        (pronunciations, "cmudict/cmudict-0.7a.txt.gz", "TAX T AE K S", "expected a word, the number of the variant"),
    ],
)
def test_files_that_do_not_fit_are_refused_with_their_line(tmp_path: Path, read, name, line, message):
    with pytest.raises(InputError, match=r"no file .*TAGPOOL_DATA"):
        read(Setting(data=tmp_path))
    (tmp_path / name).parent.mkdir()
    (tmp_path / name).write_bytes(gzip.compress(f"{line}\n".encode()))
    with pytest.raises(InputError, match=f"{name}:1: {message}"):
        read(Setting(data=tmp_path))
