"""Tagging by tagpool from memory, on one thread; prints the CPU seconds, the minimum of ROUNDS.

python -m suite.our_predictions MODEL FILE COLUMNS ROUNDS
"""

from __future__ import annotations

import sys
import time

import tagpool


def main(model: str, file: str, columns: str, rounds: str) -> None:
    tagger = tagpool.load(model)
    names = [name for name in columns.split(",") if name != "label"]
    corpus = tagpool.read_corpus(file, columns=columns)
    # Lists of strings, as other libraries get them.
    lists = [corpus.column(name) for name in names]
    sentences = lists[0] if len(lists) == 1 else [dict(zip(names, one, strict=True)) for one in zip(*lists, strict=True)]
    taken = []
    for _ in range(int(rounds)):
        begun = time.process_time()
        tagger.predict(sentences)
        taken.append(time.process_time() - begun)
    print(min(taken))


if __name__ == "__main__":
    main(*sys.argv[1:])
