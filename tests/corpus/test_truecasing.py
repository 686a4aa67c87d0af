"""Truecasing: usual forms of words, and which sentences change."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagpool import Corpus, Truecaser, builtin_corpus, perturb
from tagpool.corpus.truecasing import has_lost_capitals
from tagpool.errors import InputError

WORDS = st.lists(st.text(alphabet="aBcDß1.İ", min_size=1, max_size=4), min_size=1, max_size=6)


@given(st.lists(WORDS, min_size=1, max_size=8))
def test_forms_are_the_most_frequent_ones_inside_sentences(rows: list[list[str]]) -> None:
    corpus = Corpus.from_lists(word=rows)
    try:
        truecaser = Truecaser.of(corpus)
    except InputError:
        assert all(has_lost_capitals(row) or not [w for w in row if w.lower() != w.upper()] for row in rows)
        return
    inner: dict[str, Counter[str]] = {}
    for row in rows:
        if not has_lost_capitals(row):
            for word in [word for word in row if word.lower() != word.upper()][1:]:
                inner.setdefault(word.lower(), Counter())[word] += 1
    for small, counts in inner.items():
        form = truecaser.forms.get(small, small)
        assert counts[form] == max(counts.values())


@given(WORDS)
def test_only_sentences_without_capitals_change(words: list[str]) -> None:
    truecaser = Truecaser(["Ab", "cD"])
    restored = truecaser.restore(Corpus.from_lists(word=[words])).words[0]
    if not has_lost_capitals(words):
        assert restored == words
    assert [word.lower() for word in restored] == [word.lower() for word in words] or "İ" in "".join(words)


def test_restored_text_is_closer_to_the_original() -> None:
    corpus = builtin_corpus(300)
    truecaser = Truecaser.of(corpus)
    for change in ("lower", "upper"):
        restored = truecaser.restore(perturb(corpus, change))
        same = sum(a == b for x, y in zip(corpus.words, restored.words, strict=True) for a, b in zip(x, y, strict=True))
        assert same > 0.9 * corpus.token_count
        assert restored.labels == corpus.labels


def test_a_text_without_capitals_is_an_error() -> None:
    with pytest.raises(InputError, match="no capitals to learn"):
        Truecaser.of(Corpus.from_lists(word=[["猫", "が"], ["123"]]))
    with pytest.raises(InputError, match="no column 'word'"):
        Truecaser.of(Corpus.from_lists(pos=[["N"]]))


def test_sentences_that_begin_small_stay_small() -> None:
    truecaser = Truecaser.of(Corpus.from_lists(word=[["we", "met", "Ann"], ["they", "met", "Bob"]]))
    assert truecaser.restored(["WE", "MET", "ANN"]) == ["we", "met", "Ann"]
