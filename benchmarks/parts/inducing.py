"""The tagger that joins features while it learns: what the joining costs, and python-crfsuite's perceptron beside it."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pycrfsuite
from measure import Seconds, data_folder, least, timed
from table import Row, at_least, at_most
from tasks import Task

import tagpool

_EPOCHS = 3
_THEIR_EPOCHS = 10
_FEW = 2000  # sentences that the perceptron is timed on
_SECONDS, _PER_SECOND = 10, 150_000  # asked for: an epoch of the whole corpus, tokens tagged


def inducing(_: list[Task]) -> Iterator[Row]:
    train, dev = _corpora()
    joined, alone = _trained(train, induce=True), _trained(train, induce=False)
    tagger, with_pairs = joined
    _, without = alone
    share = f"{tagger.pair_count:,} of {tagger.feature_count:,} features are pairs; accuracy on dev {100 * tagger.score(dev):.2f}"
    yield Row(
        f"an epoch of InducingTagger, {train.token_count:,} tokens",
        f"{with_pairs.cpu:.1f} s CPU",
        f"≤ {_SECONDS} s",
        f"the preset pos, epoch {_EPOCHS} of as many; {share}",
        with_pairs.cpu <= _SECONDS,
        headline=True,
    )
    yield at_most("an epoch with pairs over one without", with_pairs.cpu / without.cpu, 3, f"{with_pairs}; {without}")
    words = dev.words
    found = least({str(threads): lambda threads=threads: tagger.set_params(threads=threads).predict(words) for threads in (1, 2)})
    speed = dev.token_count / found["1"].cpu
    yield Row(
        "tokens a second with pairs, from lists of words",
        f"{speed:,.0f}",
        f"≥ {_PER_SECOND:,}",
        f"one thread: {found['1']}",
        speed >= _PER_SECOND,
        headline=True,
    )
    yield at_least("the same with two threads, wall time", found["1"].wall / found["2"].wall, 1.8, f"{found['1']}; {found['2']}")
    few = train[:_FEW]
    ours, theirs = timed(lambda: tagpool.InducingTagger(epochs=1).fit(few)), _perceptron(few)
    yield Row(
        f"one epoch of python-crfsuite's averaged perceptron over one of ours, {len(few):,} sentences",
        f"{theirs.cpu / ours.cpu:.1f}×",
        "state",
        f"theirs on finished features, ours from words: {theirs}; {ours}",
    )


def _corpora() -> tuple[tagpool.Corpus, tagpool.Corpus]:
    folder = data_folder()
    if folder is None:
        return tagpool.builtin_corpus(2000), tagpool.builtin_corpus(400, part="dev")
    parts = ("train_00-18", "dev_19-21")
    train, dev = (tagpool.read_corpus(folder / "wsj-pos" / f"{part}.tsv.gz", columns="word,label") for part in parts)
    return train, dev


def _trained(corpus: tagpool.Corpus, *, induce: bool) -> tuple[tagpool.InducingTagger, Seconds]:
    """A tagger, and how long its last epoch took."""
    stamps: list[tuple[float, float]] = []

    def note(_: tagpool.Epoch) -> None:
        stamps.append((time.process_time(), time.perf_counter()))

    tagger = tagpool.InducingTagger(induce=induce, epochs=_EPOCHS).fit(corpus, on_epoch=note)
    (cpu, wall), (later_cpu, later_wall) = stamps[-2:]
    return tagger, Seconds(later_cpu - cpu, later_wall - wall)


def _perceptron(corpus: tagpool.Corpus) -> Seconds:
    """One epoch of several, on features that are there already."""
    encoder = tagpool.Encoder("pos", history=True).fit(corpus)
    trainer = pycrfsuite.Trainer(algorithm="ap", params={"max_iterations": _THEIR_EPOCHS}, verbose=False)
    for number, labels in enumerate(corpus.labels):
        trainer.append([[name for name, _ in token] for token in encoder.describe(corpus, number)], labels)
    taken = timed(lambda: trainer.train(""))
    return Seconds(taken.cpu / _THEIR_EPOCHS, taken.wall / _THEIR_EPOCHS)
