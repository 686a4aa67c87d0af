"""TagCounts: ambiguity classes from labelled and from tagged text, against counting by hand."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagpool import AmbiguityClasses, Corpus, InputError, TagCounts

TOKENS = st.lists(st.tuples(st.sampled_from(["run", "walk", "1996", "22"]), st.sampled_from(["NN", "VB", "CD"])), min_size=1)


def by_hand(tokens: list[tuple[str, str]], share: float, least: int) -> dict[str, list[str]]:
    result = {}
    for word in {word for word, _ in tokens}:
        tags = Counter(tag for item, tag in tokens if item == word)
        total = sum(tags.values())
        stored = [tag for tag in sorted(tags, key=lambda tag: (-tags[tag], tag)) if tags[tag] / total >= share]
        if stored and total >= least:
            result[word] = stored
    return result


@given(TOKENS, TOKENS, st.sampled_from([0.0, 0.25, 0.5, 1.0]), st.integers(1, 4), st.integers(1, 6))
def test_tags_of_text_and_of_training_data(text, train, share: float, least: int, frequent: int) -> None:
    counts = TagCounts()
    for word, tag in text:
        counts.add([[word]], [[tag]])
    assert counts.tags(share=share, min_count=least) == by_hand(text, share, least)
    words, tags = zip(*train, strict=True)
    counts.add_training(Corpus.from_lists(word=[list(words)], label=[list(tags)]), min_count=frequent)
    seen = Counter(words)
    together = text + [(word, tag) for word, tag in train if seen[word] >= frequent]
    assert counts.tags(share=share, min_count=least) == by_hand(together, share, least)


def test_runs_of_digits_are_one_word() -> None:
    counts = TagCounts(simplify=True)
    counts.add([["in", "1996"], ["in", "96"]], [["IN", "CD"], ["IN", "NN"]])
    counts.add_training(Corpus.from_lists(word=[["7"] * 5], label=[["CD"] * 5]))
    assert counts.tags() == {"in": ["IN"], "0": ["CD"]}
    assert len(counts) == 2


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    counts = TagCounts()
    counts.add([["run", "Run", "ähm"]] * 2, [["VB", "NN", "UH"], ["NN", "NN", "UH"]])
    assert counts.write(tmp_path / "classes.tsv") == 3
    assert (tmp_path / "classes.tsv").read_text() == "Run\tNN\nrun\tNN VB\nähm\tUH\n"
    read, created = AmbiguityClasses.read(tmp_path / "classes.tsv"), AmbiguityClasses.from_counts(counts)
    assert read.native.items() == [("Run", "NN"), ("run", "NN_VB"), ("ähm", "UH")]
    assert sorted(created.native.items()) == read.native.items()


def test_what_cannot_be_written(tmp_path: Path) -> None:
    counts = TagCounts()
    with pytest.raises(InputError, match=r"no word occurs 1 time with a tag that has a share of 0.2"):
        counts.write(tmp_path / "c")
    counts.add([["a"]], [["X Y"]])
    with pytest.raises(InputError, match="the tag 'X Y' has blanks"):
        counts.write(tmp_path / "c")
    with pytest.raises(InputError, match="no word occurs 2 times with a tag"):
        counts.write(tmp_path / "c", min_count=2)
    assert list(tmp_path.iterdir()) == []
