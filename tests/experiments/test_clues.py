"""Clues beside the words: parts of words, auxiliaries around, blocks of sentences."""

from __future__ import annotations

from tagpool import Corpus, InducingTagger
from tagpool.experiments.clues import behind, nearest, part, with_clues


def test_parts_are_those_of_words_with_a_hyphen_inside() -> None:
    assert [part("20-year-old", number) for number in (0, -1)] == ["20", "old"]
    for word in ("old", "-", "--", "-lrb-", "old-", "-old", ""):
        assert [part(word, number) for number in (0, -1)] == ["_", "_"]
    assert part("a--b", 0) == "a"
    assert part("-a-b", 0) == "_"


def test_an_auxiliary_is_found_a_few_words_back_and_not_in_another_clause() -> None:
    assert nearest(["it", "was", "not", "yet", "sold"]) == ["start", "start", "be:was:next", "be:was", "be:was"]
    assert nearest(["it", "will", "sell"])[-1] == "modal:next"
    assert nearest(["was", "it", "which", "sold"])[-1] == "wh"
    assert nearest(["was", *["x"] * 5, "sold"])[-1] == "be:was"
    assert nearest(["was", *["x"] * 6, "sold"])[-1] == "-"
    assert nearest([]) == []


def test_the_auxiliary_of_a_part_of_a_sentence_holds_until_the_next_one() -> None:
    assert behind(["has", "said", "to", "sell", ":", "sold"]) == ["-", "have", "have", "to", "to", "-"]


def test_columns_and_blocks_are_added_to_what_there_is() -> None:
    words = [["He", "HAS", "Third-Quarter", "sales"]] * 60
    corpus = Corpus.from_lists(word=words, label=[["PRP", "VBZ", "NN", "NNS"]] * 60)
    result = with_clues(corpus)
    assert result.columns == ("word", "label", "head", "tail", "near", "left", "right")
    assert result.words == words
    assert result.labels == corpus.labels
    assert result.document_starts == [0, 25, 50]
    assert result.column("tail")[59] == ["_", "_", "quarter", "_"]
    assert result.column("near")[0] == ["start", "start", "have:has:next", "have:has"]
    assert result.column("left")[0] == ["-", "-", "have", "have"]
    assert result.column("right")[0] == ["have", "-", "-", "-"]


def test_a_tagger_uses_what_the_words_do_not_say() -> None:
    """A form that is a participle behind an auxiliary two words back, and past tense without one."""
    words = [["it", auxiliary, adverb, "sold"] for auxiliary in ("was", "has", "also", "soon") for adverb in ("a", "b", "c")]
    labels = [["X", "X", "X", "VBN" if sentence[1] in ("was", "has") else "VBD"] for sentence in words]
    unseen = Corpus.from_lists(word=[["it", "was", "d", "sold"], ["it", "then", "d", "sold"]])
    tagger = InducingTagger("word[0]\nleft[0]", step=0.5, epochs=20).fit(with_clues(Corpus.from_lists(word=words, label=labels)))
    assert [sentence[-1] for sentence in tagger.predict(with_clues(unseen))] == ["VBN", "VBD"]
