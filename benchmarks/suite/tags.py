"""One tagging from a file to a file with one more column, by the model of ``suite.trains``.

python -m suite.tags MODULE COLUMNS MODEL FILE OUTPUT [ROUNDS]

With ROUNDS, prints the CPU seconds of tagging from memory, features included: the minimum of the rounds.
"""

from __future__ import annotations

import importlib
import sys
import time
from pathlib import Path

from suite.tutorial import features, read


def main(module: str, columns: str, model: str, file: str, output: str, rounds: str = "") -> None:
    tagger = importlib.import_module(module).Tagger()
    tagger.open(model)
    sentences = list(read(file, columns.split(",")))
    taken = []
    for _ in range(int(rounds or 1)):
        begun = time.process_time()
        labels = [tagger.tag(features(sentence)) for sentence in sentences]
        taken.append(time.process_time() - begun)
    tables = (zip(*sentence.values(), row, strict=True) for sentence, row in zip(sentences, labels, strict=True))
    Path(output).write_text("".join("".join("\t".join(row) + "\n" for row in table) + "\n" for table in tables), "utf-8")
    if rounds:
        print(min(taken))


if __name__ == "__main__":
    main(*sys.argv[1:])
