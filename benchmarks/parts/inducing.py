"""Cost of the inducing tagger, next to python-crfsuite's perceptron and VowpalWabbit's search."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from functools import reduce
from pathlib import Path

import pycrfsuite
import vowpal
from measure import Seconds, data_folder, fastest, minimum, timed
from table import Row, fraction, speedup
from tasks import Task

import tagpool

_EPOCHS = 3
_TURNS = 5  # trainings of each, in turns; the minimum counts
_THEIR_EPOCHS = 10
_FEW = 2000  # sentences that the others are timed on
_PASSES = 3  # of VowpalWabbit's search, and as many epochs of ours


def inducing(_: list[Task]) -> Iterator[Row]:
    train, dev = _corpora()
    tagger = tagpool.InducingTagger("pos", epochs=_EPOCHS)
    plain = tagpool.InducingTagger("pos", induce=False, epochs=_EPOCHS)
    turns = [(_trained(train, tagger), _trained(train, plain)) for _ in range(_TURNS)]
    with_pairs, whole_with = _least([joining for joining, _ in turns])
    without, whole_without = _least([single for _, single in turns])
    share = f"{tagger.conjunction_count:,} of {tagger.feature_count:,} features are conjunctions"
    share += f"; accuracy on dev {100 * tagger.score(dev):.2f}"
    yield Row(
        f"an epoch of InducingTagger, {train.token_count:,} tokens",
        f"{with_pairs.cpu:.1f} s CPU",
        f"the preset pos, epoch {_EPOCHS} of as many, minimum of {_TURNS}; {share}",
    )
    yield fraction(
        "an epoch with pairs over one without, the same templates",
        with_pairs.cpu / without.cpu,
        f"the preset pos with and without induction: {with_pairs}; {without}",
    )
    yield fraction(
        f"a training of {_EPOCHS} epochs with pairs over one without, the same templates",
        whole_with.cpu / whole_without.cpu,
        f"the same taggers, features of all words included: {whole_with}; {whole_without}",
    )
    yield from _with_everything(train, without)
    words = dev.words
    result = fastest(
        {str(threads): lambda threads=threads: tagger.set_params(threads=threads).predict(words) for threads in (1, 2)}
    )
    speed = dev.token_count / result["1"].cpu
    yield Row(
        "tokens a second with pairs, from lists of words",
        f"{speed:,.0f}",
        f"one thread: {result['1']}",
    )
    yield speedup("the same with two threads, wall time", result["1"].wall / result["2"].wall, f"{result['1']}; {result['2']}")
    few = train[:_FEW]
    ours, theirs = timed(lambda: tagpool.InducingTagger(epochs=1).fit(few)), _perceptron(few)
    yield Row(
        f"one epoch of python-crfsuite's averaged perceptron over one of ours, {len(few):,} sentences",
        f"{theirs.cpu / ours.cpu:.1f}×",
        f"theirs on finished features, ours from words: {theirs}; {ours}",
    )
    yield from _beside_search(few, dev[:_FEW])


def _with_everything(train: tagpool.Corpus, without: Seconds) -> Iterator[Row]:
    """The widest comparison: pairs and outside knowledge (M4 of the paper) over neither (its M0)."""
    folder = data_folder()
    if folder is None:
        return
    resources = {
        "classes": tagpool.AmbiguityClasses.from_corpus(train),
        "clusters": tagpool.Clusters.read(folder / "brown-clusters" / "spacy_en_c1000.txt.gz"),
    }
    everything = _trained(train, tagpool.InducingTagger("pos-dfi", resources=resources, epochs=_EPOCHS))[0]
    yield Row(
        "an epoch with pairs, classes and clusters over one with none of them",
        f"{everything.cpu / without.cpu:.2f}×",
        f"the preset pos-dfi with induction (M4), pos without (M0): {everything}; {without}",
    )


def _beside_search(train: tagpool.Corpus, dev: tagpool.Corpus) -> Iterator[Row]:
    """VowpalWabbit's learning to search on the same sentences, with the features of the preset and three labels before."""
    what = f"of VowpalWabbit's search, {len(train):,} sentences"
    if not vowpal.is_there():
        yield Row(f"time {what}", "not measured", "vowpalwabbit is not installed: there is no wheel for this machine")
        return
    with tempfile.TemporaryDirectory() as folder:
        theirs = vowpal.search(train, dev, "pos", _PASSES, Path(folder))
    tagger = tagpool.InducingTagger(epochs=_PASSES)
    whole = timed(lambda: tagger.fit(train))
    ours = Seconds(whole.cpu / _PASSES, whole.wall / _PASSES)
    words = dev.words
    tagging = fastest({"ours": lambda: tagger.predict(words)})["ours"]
    yield Row(
        f"one pass {what}, over an epoch of ours",
        f"{theirs.training.cpu / ours.cpu:.1f}×",
        f"{_PASSES} of each, theirs from its text format, ours from words: {theirs.training}; {ours}",
    )
    yield Row(
        "tokens tagged a second, over those of VowpalWabbit's search",
        f"{theirs.tagging.cpu / tagging.cpu:.1f}×",
        f"{dev.token_count / tagging.cpu:,.0f} from words against {dev.token_count / theirs.tagging.cpu:,.0f} from its format; "
        f"accuracy {100 * tagger.score(dev):.2f} against {100 * theirs.accuracy:.2f}, both trained on {len(train):,} sentences",
    )


def _corpora() -> tuple[tagpool.Corpus, tagpool.Corpus]:
    folder = data_folder()
    if folder is None:
        return tagpool.builtin_corpus(2000), tagpool.builtin_corpus(400, part="dev")
    parts = ("train_00-18", "dev_19-21")
    train, dev = (tagpool.read_corpus(folder / "wsj-pos" / f"{part}.tsv.gz", columns="word,label") for part in parts)
    return train, dev


def _trained(corpus: tagpool.Corpus, tagger: tagpool.InducingTagger) -> tuple[Seconds, Seconds]:
    """Train a tagger; return the time of its last epoch and of the whole training."""
    stamps: list[Seconds] = []

    def note(_: object = None) -> None:
        stamps.append(Seconds(time.process_time(), time.perf_counter()))

    note()
    tagger.fit(corpus, on_epoch=note)
    start, before, last = stamps[0], stamps[-2], stamps[-1]
    return last.since(before), last.since(start)


def _least(turns: list[tuple[Seconds, Seconds]]) -> tuple[Seconds, Seconds]:
    return reduce(minimum, (epoch for epoch, _ in turns)), reduce(minimum, (whole for _, whole in turns))


def _perceptron(corpus: tagpool.Corpus) -> Seconds:
    """Return the time of one epoch on given features."""
    encoder = tagpool.Encoder("pos", history=True).fit(corpus)
    trainer = pycrfsuite.Trainer(algorithm="ap", params={"max_iterations": _THEIR_EPOCHS}, verbose=False)
    for number, labels in enumerate(corpus.labels):
        trainer.append([[name for name, _ in token] for token in encoder.describe(corpus, number)], labels)
    taken = timed(lambda: trainer.train(""))
    return Seconds(taken.cpu / _THEIR_EPOCHS, taken.wall / _THEIR_EPOCHS)
