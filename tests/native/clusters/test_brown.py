"""Brown clusters: every pair that is joined loses least of the mutual information, as computed from the whole text each time."""

from __future__ import annotations

import gzip
import pickle
from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.brown import loss, neighbours, vocabulary

from tagpool import Clusters, Corpus, Encoder, InputError, _native

SENTENCES = st.lists(st.lists(st.sampled_from("abcdefgé"), min_size=1, max_size=8), min_size=1, max_size=8)


def counted(sentences: list[list[str]], minimum: int = 1) -> tuple[list[str], _native.Bigrams]:
    text = _native.SentenceText(_native.WordFunction([]))
    for sentence in sentences:
        text.add_sentence(sentence)
    bigrams = text.bigrams(minimum)
    return text.words(bigrams), bigrams


def rows(clusters: Clusters) -> list[tuple[str | None, str, int]]:
    return [(clusters.get(word), word, count) for word, count in clusters.counts.items()]


@given(SENTENCES, st.integers(1, 6), st.integers(1, 2))
def test_each_step_joins_the_pair_that_loses_least(sentences: list[list[str]], k: int, minimum: int) -> None:
    words, bigrams = counted(sentences, minimum)
    assert words == vocabulary(sentences, minimum)
    merges = _native.brown_merges(bigrams, k)
    assert len(merges) == max(0, len(words) - 1)
    cluster_of: dict[str, int] = {}
    steps = iter(enumerate(merges, len(words)))

    def check_step() -> None:
        number, (first, second) = next(steps)
        pairs = neighbours(sentences, set(cluster_of))
        losses = {two: loss(pairs, cluster_of, *two) for two in combinations(sorted(set(cluster_of.values())), 2)}
        assert losses[min(first, second), max(first, second)] <= min(losses.values()) + 1e-9
        most_frequent = {cluster: words.index(word) for word, cluster in reversed(cluster_of.items())}
        assert most_frequent[first] < most_frequent[second]
        cluster_of.update({word: number for word, cluster in cluster_of.items() if cluster in (first, second)})

    for number, word in enumerate(words):
        cluster_of[word] = number
        if len(set(cluster_of.values())) > k:
            check_step()
    while len(set(cluster_of.values())) > 1:
        check_step()


@given(SENTENCES, st.integers(1, 9), st.randoms(use_true_random=False))
def test_a_prefix_code_that_the_order_of_sentences_does_not_change(sentences: list[list[str]], k: int, random) -> None:
    result = Clusters.brown(sentences, k=k)
    counts = Counter(word for sentence in sentences for word in sentence)
    assert result.counts == counts
    bits = [result.get(word) for word in result.counts]
    codes = set(bits)
    assert len(codes) == result.cluster_count == min(k, len(counts))
    assert sum(2.0 ** -len(code) for code in codes) == (1 if len(codes) > 1 else 0.5)
    assert not any(a != b and b.startswith(a) for a in codes for b in codes)
    assert bits == sorted(bits)
    random.shuffle(sentences)
    assert rows(Clusters.brown(sentences, k=k)) == rows(result)


def test_words_of_the_same_neighbours_come_together() -> None:
    days, names, verbs = ["monday", "friday", "sunday"], ["ann", "bob", "carl"], ["left", "slept"]
    sentences = [[".", "on", day, name, verb, "."] for day in days for name in names for verb in verbs] * 2
    result = Clusters.brown(sentences, k=100)
    assert result.cluster_count == 10
    for together in (days, names, verbs):
        places = [list(result.counts).index(word) for word in together]
        assert max(places) - min(places) == len(together) - 1  # a branch of the tree is a run of words


def test_many_steps_leave_the_table_of_losses_right() -> None:
    """Counts beyond the table of logarithms, hundreds of words: the same choices as from scratch, where nothing is a tie."""
    sentences = [[f"w{(i * i + 3 * j) % 61}" for j in range(1 + i % 9)] for i in range(400)] + [["w1", "w2"] * 40_000]
    words, bigrams = counted(sentences)
    pairs = neighbours(sentences, set(words))
    merges = _native.brown_merges(bigrams, len(words))
    cluster_of = {word: number for number, word in enumerate(words)}
    for number, (first, second) in enumerate(merges, len(words)):
        if number % 12 == 0:  # each takes a while
            separate = loss(pairs, cluster_of, first, second)
            some = list(combinations(sorted(set(cluster_of.values())), 2))[::7]
            assert all(separate <= loss(pairs, cluster_of, *two) + 1e-6 for two in some)
        cluster_of.update({word: number for word, cluster in cluster_of.items() if cluster in (first, second)})


def test_files_and_sentences_give_the_same(tmp_path: Path) -> None:
    sentences = [["the", "cat", "saw", "the", "dog"], ["a", "dog", "saw"], ["one"]]
    text = "the  cat\tsaw the dog\r\n\n a dog saw \none"
    (tmp_path / "a.txt").write_bytes(text.encode())
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress(text.encode()))
    result = Clusters.brown(sentences, k=3)
    for text in (tmp_path / "a.txt", str(tmp_path / "b.txt.gz"), Corpus.from_lists(word=sentences)):
        assert rows(Clusters.brown(text, k=3)) == rows(result)
    twice = Clusters.brown([tmp_path / "a.txt", tmp_path / "b.txt.gz"], k=3)
    assert twice.counts == {word: 2 * count for word, count in result.counts.items()}
    result.write(tmp_path / "paths.gz")
    read = Clusters.read(tmp_path / "paths.gz")
    assert {word: read.get(word) for word in result.counts} == {word: result.get(word) for word in result.counts}
    assert rows(pickle.loads(pickle.dumps(result))) == rows(result)


def test_words_can_be_simplified_and_templates_use_them() -> None:
    sentences = [["In", "1996", "rose"], ["In", "1997", "fell"], ["in", "2,000", "fell"]]
    result = Clusters.brown(sentences, k=4, simplify=True, lower=True)
    assert sorted(result.counts) == ["0", "0,0", "fell", "in", "rose"]
    assert "In" in Clusters.brown(sentences, k=4, simplify=True).counts
    encoder = Encoder("cluster(brown, lower(simplify(word)))[0]", resources={"brown": result})
    encoder.fit(Corpus.from_lists(word=[["In", "2042"]]))
    names = [f"cluster(brown, lower(simplify(word)))[0]={result.get(word)}" for word in ("in", "0")]
    assert sorted(encoder.feature_names) == sorted(names)


def test_steps_are_told_and_may_stop() -> None:
    sentences = [[f"w{i}", f"w{i + 1}"] for i in range(100)]
    reported: list[tuple[int, int]] = []
    Clusters.brown(sentences, k=10, on_step=lambda done, total: reported.append((done, total)))
    assert reported == sorted(reported)
    assert reported[-1][0] > 80
    assert {total for _, total in reported} == {100}

    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Clusters.brown(sentences, k=10, on_step=stop)


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ([["a"]], {"k": 0}, "k=0: expected a whole number from 1 to 20,000"),
        ([["a"]], {"k": True}, "k=True: expected a whole number"),
        ([["a"]], {"min_count": 0}, "min_count=0: expected a whole number from 1 to"),
        ([["a", "b", "a"]], {"min_count": 3}, "no word occurs 3 times: expected more text, or a smaller min_count"),
        ([], {}, "expected sentences, got none: there are no words"),
        ([[]], {}, "expected sentences, got none: there are no words"),
        ([["a", 3]], {}, "expected words .str. that UTF-8 encodes, got int"),
        ([["\ud800"]], {}, "expected words .str. that UTF-8 encodes, got str"),
        ([3], {}, "expected the name of a file, a Corpus, or sentences that are lists of words"),
        (3, {}, "expected the name of a file, a Corpus, or sentences that are lists of words"),
        ("there-is-none.txt", {}, "there-is-none.txt: there is no such file"),
    ],
)
def test_bad_input(text, options, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Clusters.brown(text, **options)
