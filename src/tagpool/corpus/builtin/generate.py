"""Draw sentences from the frames of the built-in corpus."""

from __future__ import annotations

import random
import zlib
from collections.abc import Callable
from typing import Literal, get_args

from tagpool.corpus.builtin.frames import Frame, frames, training_frames
from tagpool.corpus.builtin.shapes import Row
from tagpool.errors import InputError
from tagpool.wording import counted

Part = Literal["train", "dev", "test"]
"""Parts of the corpus; a sentence belongs to one of them only."""

_PARTS: tuple[str, ...] = get_args(Part)
_MAX_COUNT = 1_000_000  # sentences per call
_PATIENCE = 2000  # draws in a row without a new sentence after which the corpus counts as exhausted


def draw_sentences(
    count: int, *, seed: int = 1, part: Part = "train", unseen: float = 0.4, lowercase: float = 0.0
) -> list[list[Row]]:
    """Draw ``count`` different sentences; the same arguments give the same sentences everywhere.

    A sentence is a list of rows (word, part of speech, chunk, label). In ``"dev"`` and ``"test"``, ``unseen`` is the
    fraction of entities whose names never occur in ``"train"``, for any seed. ``lowercase`` is the fraction of
    sentences without capitals; it does not change which sentences are drawn. ``"train"`` contains seen names only and
    keeps its capitals. One frame in four is not used in training either.

    >>> for row in draw_sentences(1, seed=12)[0]:
    ...     print(*row)
    Amara NNP B-NP B-PER
    Lincoln NNP I-NP I-PER
    left VBD B-VP O
    Langley NNP B-NP B-LOC
    for IN B-PP O
    Plymouth NNP B-NP B-LOC
    . . O O
    """
    _check(count, seed, part, unseen, lowercase)
    choices = [frame for frame in (training_frames() if part == "train" else frames()) for _ in range(frame.weight)]
    unseen = 0.0 if part == "train" else float(unseen)
    place, parts = _PARTS.index(part), len(_PARTS)
    rand = random.Random(f"tagpool {part} {seed}").random
    drawn: set[str] = set()
    sentences: list[list[Row]] = []
    misses = 0
    while len(sentences) < count:
        frame = choices[int(rand() * len(choices))]
        key, pieces = _fill(frame, rand, unseen)
        if not key or zlib.crc32(key.encode("utf-8")) % parts != place or key in drawn:
            misses += 1
            if misses > _PATIENCE:
                raise InputError(f"the corpus has only {counted(len(sentences), 'different sentence')}, not {count}; draw fewer")
            continue
        misses = 0
        drawn.add(key)
        rows = [row for piece in pieces for row in piece]
        if rand() < lowercase:
            rows = [(word.lower(), pos, chunk, label) for word, pos, chunk, label in rows]
        elif frame.capitals:
            rows = [(word.upper(), pos, chunk, label) for word, pos, chunk, label in rows]
        sentences.append(rows)
    return sentences


def _fill(frame: Frame, rand: Callable[[], float], unseen: float) -> tuple[str, list[tuple[Row, ...]]]:
    """Return the lower-cased words and the rows of a sentence, or an empty string if a name was drawn twice."""
    texts, pieces = [], []
    for seen_shapes, unseen_shapes in frame.steps:
        shapes = unseen_shapes if unseen_shapes and rand() < unseen else seen_shapes
        for pool in shapes[int(rand() * len(shapes))] if len(shapes) > 1 else shapes[0]:
            if len(pool) == 1:
                text, rows = pool[0]
            else:
                text, rows = pool[int(rand() * len(pool))]
                if unseen_shapes and text in texts:
                    return "", []
            texts.append(text)
            pieces.append(rows)
    return " ".join(texts), pieces


def _check(count: int, seed: int, part: str, unseen: float, lowercase: float) -> None:
    for name, value in (("count", count), ("seed", seed)):
        if type(value) is not int:
            raise InputError(f"{name} must be a whole number, got {value!r}")
    if count < 1:
        raise InputError(f"count must be at least 1, got {count}")
    if count > _MAX_COUNT:
        raise InputError(f"count must be at most {_MAX_COUNT:,}, got {count:,}; use another seed for more")
    if part not in _PARTS:
        raise InputError(f"part must be one of {', '.join(_PARTS)}, got {part!r}")
    for name, fraction in (("unseen", unseen), ("lowercase", lowercase)):
        if isinstance(fraction, bool) or not isinstance(fraction, int | float) or not 0 <= fraction <= 1:
            raise InputError(f"{name} must be between 0 and 1, got {fraction!r}")
    if part == "train" and lowercase:
        raise InputError(f"lowercase applies to dev and test only, got {lowercase!r} for the training part")
