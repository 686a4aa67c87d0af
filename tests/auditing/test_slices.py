"""Slices have the counts of spans in a part of the test set."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from tagpool import Corpus
from tagpool.auditing.slices import slices_of
from tagpool.corpus.schemes import spans
from tagpool.evaluation.versions import count_version

LABELS = st.sampled_from(["O", "B-X", "I-X", "B-Y", "I-Y"])
TRAIN = Corpus.from_lists(word=[["b"], ["c"] * 3, ["d"] * 7, ["e"] * 30], label=[["O"], ["O"] * 3, ["O"] * 7, ["O"] * 30])
FREQUENCY_BOUNDS = {
    "0": range(1),
    "1": range(1, 2),
    "2–4": range(2, 5),
    "5–9": range(5, 10),
    "10+": range(10, 1000),
}
LENGTH_BOUNDS = {"1–9": range(1, 10), "10–19": range(10, 20), "20–39": range(20, 40), "40+": range(40, 1000)}


@st.composite
def labelled(draw: st.DrawFn) -> tuple[Corpus, list[list[str]]]:
    words, gold, predicted = [], [], []
    for length in draw(st.lists(st.sampled_from([1, 2, 5, 9, 10, 19, 20, 41]), min_size=1, max_size=4)):
        words.append(draw(st.lists(st.sampled_from("abcde"), min_size=length, max_size=length)))
        gold.append(draw(st.lists(LABELS, min_size=length, max_size=length)))
        predicted.append(draw(st.lists(LABELS, min_size=length, max_size=length)))
    return Corpus.from_lists(word=words, label=gold), predicted


@settings(max_examples=40, deadline=None)
@given(labelled())
def test_slices_have_the_spans_of_their_part(pair: tuple[Corpus, list[list[str]]]) -> None:
    corpus, predicted = pair
    known = Counter(word for row in TRAIN.words for word in row)
    counts = count_version(corpus.labels, predicted, plain=False)
    tables = {part.title: part.table.tolist() for part in slices_of(corpus, counts, TRAIN, ["word"])}
    expected: dict[str, list[list[int]]] = {title: [[0, 0, 0] for _ in corpus.words] for title in tables}
    for number, (words, gold, guess) in enumerate(zip(corpus.words, corpus.labels, predicted, strict=True)):
        right = set(spans(gold)) & set(spans(guess))
        for column, placed in enumerate((right, spans(guess), spans(gold))):
            for start, end, _ in placed:
                rarest = min(known[word] for word in words[start:end])
                frequency = next(name for name, bounds in FREQUENCY_BOUNDS.items() if rarest in bounds)
                length = next(name for name, bounds in LENGTH_BOUNDS.items() if len(words) in bounds)
                titles = [f"word frequency {frequency}", f"sentence length {length}", f"word = {words[start]}"]
                for title in titles:
                    if title in expected:  # a value without a gold span has no slice
                        expected[title][number][column] += 1
                    else:
                        assert not any(words[first] == words[start] for first, _, _ in spans(gold))
    assert tables == expected


def test_rare_values_are_counted_together() -> None:
    values = [f"v{number:02}" for number in range(14)]
    corpus = Corpus.from_lists(word=[["a"] for _ in values], kind=[[value] for value in values], label=[["B-X"]] * 14)
    counts = count_version(corpus.labels, corpus.labels, plain=False)
    parts = [part for part in slices_of(corpus, counts, None, ["kind"]) if part.kind == "column"]
    assert [part.title for part in parts] == [f"kind = {value}" for value in values[:10]] + ["kind = (other)"]
    assert [part.gold for part in parts] == [1] * 10 + [4]
