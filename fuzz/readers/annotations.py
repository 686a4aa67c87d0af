"""Files of annotation tools: read records of any dialect, align them to gold sentences, and read corpora of other formats."""

from __future__ import annotations

import contextlib

from harness import file_of, fuzz, instrument

with instrument():
    from tagpool.corpus.annotations.losses import Losses
    from tagpool.corpus.annotations.reading import read_annotations
    from tagpool.corpus.corpus import Corpus
    from tagpool.corpus.formats import read_corpus
    from tagpool.errors import InputError
    from tagpool.pools.votes.prediction_files import read_predictions

GOLD = Corpus.from_lists(word=[["Ann", "Lee", "left", "."], ["Rain"]], label=[["B-PER", "I-PER", "O", "O"], ["O"]])


def check(data: bytes) -> None:
    """Labels have the length of their sentence."""
    for name in ("input.tsv", "input.conllup", "input.json"):
        with contextlib.suppress(InputError):
            corpus = read_corpus(file_of(data, name), losses=Losses())
            assert corpus.label_column is None or [*map(len, corpus.labels)] == [*map(len, corpus.words)]
    with contextlib.suppress(InputError):
        read_annotations(file_of(data, "input.jsonl"), column="*")
    try:
        predictions = read_predictions(file_of(data, "input.jsonl"), GOLD)
    except InputError:
        return
    for labels, words in zip(predictions.labels, GOLD.words, strict=True):
        assert labels is None or len(labels) == len(words)


if __name__ == "__main__":
    fuzz(check)
