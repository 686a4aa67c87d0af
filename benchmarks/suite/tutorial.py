"""The features of python-crfsuite's CoNLL-2002 tutorial, in plain Python as the tutorial has them.

Without a column ``pos`` its features are left out. Columns of feature rows (``column1``, ...) are used as the tutorial uses
``pos``: the values at the token, before and behind it. This module does not import tagpool, so the memory of a peer's process
is its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

Sentence = dict[str, list[str]]
SETTINGS: dict[str, dict[str, float | int | bool]] = {
    # The settings of the tutorials of sklearn-crfsuite and python-crfsuite, and a Gaussian prior alone.
    "c1=0.1 c2=0.1": {"c1": 0.1, "c2": 0.1, "max_iterations": 100, "feature.possible_transitions": True},
    "c1=1 c2=0.001": {"c1": 1.0, "c2": 1e-3, "max_iterations": 50, "feature.possible_transitions": True},
    "c1=0 c2=1": {"c1": 0.0, "c2": 1.0, "max_iterations": 100, "feature.possible_transitions": True},
}
TUTORIAL_SETTINGS = ("c1=0.1 c2=0.1", "c1=1 c2=0.001")
DROP_IN_SETTINGS = ("c1=0.1 c2=0.1", "c1=0 c2=1")


def read(path: str, columns: Sequence[str]) -> Iterator[Sentence]:
    """Read a file of columns separated by tabs."""
    rows: list[list[str]] = []
    for line in Path(path).read_text("utf-8").split("\n"):
        if line.startswith("-DOCSTART-"):
            continue
        if line:
            rows.append(line.split("\t"))
        elif rows:
            yield dict(zip(columns, map(list, zip(*rows, strict=True)), strict=True))
            rows = []


def features(sentence: Sentence) -> list[list[str]]:
    """Return the features of every token."""
    return [_token_features(sentence, i) for i in range(len(sentence["word"]))]


def _token_features(sentence: Sentence, i: int) -> list[str]:
    words, tags = sentence["word"], sentence.get("pos")
    others = [name for name in sentence if name.startswith("column")]
    word = words[i]
    result = [
        "bias",
        "word.lower=" + word.lower(),
        "word[-3:]=" + word[-3:],
        "word[-2:]=" + word[-2:],
        f"word.isupper={word.isupper()}",
        f"word.istitle={word.istitle()}",
        f"word.isdigit={word.isdigit()}",
    ]
    if tags is not None:
        result += ["postag=" + tags[i], "postag[:2]=" + tags[i][:2]]
    result += [f"{name}={sentence[name][i]}" for name in others]
    for offset, edge in ((-1, "BOS"), (1, "EOS")):
        place = i + offset
        if not 0 <= place < len(words):
            result.append(edge)
            continue
        word = words[place]
        result += [
            f"{offset:+}:word.lower={word.lower()}",
            f"{offset:+}:word.istitle={word.istitle()}",
            f"{offset:+}:word.isupper={word.isupper()}",
        ]
        if tags is not None:
            result += [f"{offset:+}:postag={tags[place]}", f"{offset:+}:postag[:2]={tags[place][:2]}"]
        result += [f"{offset:+}:{name}={sentence[name][place]}" for name in others]
    return result
