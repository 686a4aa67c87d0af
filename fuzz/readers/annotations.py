"""Labels of experts: read records of any dialect, and align them to gold sentences."""

from __future__ import annotations

import contextlib

from harness import file_of, fuzz, instrument

with instrument():
    from tagpool.corpus.annotations.reading import read_annotations
    from tagpool.corpus.corpus import Corpus
    from tagpool.errors import InputError
    from tagpool.pools.votes.prediction_files import read_predictions

GOLD = Corpus.from_lists(word=[["Ann", "Lee", "left", "."], ["Rain"]], label=[["B-PER", "I-PER", "O", "O"], ["O"]])


def check(data: bytes) -> None:
    """Labels have the length of their sentence."""
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
