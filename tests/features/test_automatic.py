"""Automatic templates: the rules, and models that are trained with them."""

from __future__ import annotations

import pytest

from tagpool import CRF, SGD, Corpus, InducingTagger, MaxEnt, builtin_corpus, load_templates
from tagpool.experts.configuration import configuration_text
from tagpool.experts.saving import feature_names
from tagpool.features.automatic import choose_min_count, choose_templates


def lines(corpus: Corpus, **options: bool) -> list[str]:
    return str(choose_templates(corpus, **options).templates).splitlines()


def corpus_of(*labels: str, word: str = "Ann", **columns: str) -> Corpus:
    size = len(labels)
    others = {name: [[value] * size] for name, value in columns.items()}
    return Corpus.from_lists(word=[[word] * size], **others, label=[list(labels)])


def test_spans_and_plain_tags_have_different_templates() -> None:
    spans, tags = choose_templates(corpus_of("B-PER", "I-PER", "O")), choose_templates(corpus_of("NN", "VB"))
    assert (spans.reason, tags.reason) == ("spans", "plain tags")
    assert spans.templates == load_templates("auto")
    assert tags.templates == load_templates("auto-tags")


def test_few_columns_are_read_in_a_window() -> None:
    assert {"pos[-2..2]", "pos[-1] & pos[0] & pos[1]"} <= set(lines(corpus_of("B-X", pos="NN")))
    assert choose_templates(corpus_of("B-X", pos="NN")).reason == "spans, column pos"


def test_many_columns_are_read_as_they_are() -> None:
    size = 60
    columns = {f"c{number}": [["x"] * size] for number in range(4)}
    corpus = Corpus.from_lists(
        word=[["Ann"] * size], **columns, many=[[str(number) for number in range(size)]], label=[["B-X"] * size]
    )
    chosen = lines(corpus)
    assert "c0[-1..1]" in chosen
    assert "many[0]" in chosen
    assert "many[-1..1]" not in chosen
    assert choose_templates(corpus).reason == "spans, columns c0, c1, c2, c3, ..."


@pytest.mark.parametrize(
    ("word", "has_shapes"), [("Ann", True), ("1984", True), ("Ñandú", True), ("北京", False), ("ภาษา", False)]
)
def test_shapes_need_letters_with_cases(word: str, has_shapes: bool) -> None:
    assert any("shape(" in line for line in lines(corpus_of("B-X", word=word))) == has_shapes


def test_blanks_of_texts_are_not_a_column() -> None:
    corpus = Corpus.from_lists(word=[["Ann"]], space=[[" "]], label=[["B-X"]])
    assert choose_templates(corpus).reason == "spans"


@pytest.mark.parametrize("kind", [CRF, MaxEnt, InducingTagger])
def test_every_tagger_trains_with_them(kind: type) -> None:
    train, dev = builtin_corpus(300), builtin_corpus(100, part="dev")
    assert kind().fit(train).score(dev) > 0.7


def test_the_inducing_tagger_reads_previous_labels() -> None:
    tagger = InducingTagger(epochs=1).fit(builtin_corpus(30))
    assert "label[-1]" in str(tagger._encoder.templates_)  # type: ignore[union-attr]
    assert "label" not in str(CRF().fit(builtin_corpus(30))._encoder.templates_)  # type: ignore[union-attr]


def test_single_occurrences_are_removed_from_large_corpora() -> None:
    row = ["once", *["often"] * 9]
    labels = ["B-X", *["O"] * 9]
    small = Corpus.from_lists(word=[row], label=[labels])
    large = Corpus.from_lists(word=[row, *[["often"] * 10] * 9_999], label=[labels] * 10_000)
    assert choose_min_count("auto", small) == choose_min_count("word[0]", large) == choose_min_count("auto", None) == 1
    assert choose_min_count("auto", large) == 2

    def has_feature(corpus: Corpus, **options: int) -> bool:
        crf = CRF(trainer=SGD(epochs=1), **options).fit(corpus)
        assert f"min_count = {options.get('min_count', choose_min_count('auto', corpus))}" in configuration_text(crf)
        return "word[0]=once" in feature_names(crf)

    assert has_feature(small)
    assert not has_feature(large)
    assert not has_feature(small, min_count=2)
