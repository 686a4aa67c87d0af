"""Sentence frames of the built-in corpus, read from ``frames/*.txt``: one frame per line, ``#`` starts a comment line.

A frame is a sentence with slots. Words have tags where they differ from the defaults of ``tags.py``:

============================  =================================================================================
``[the old/JJ bridge]``       a noun phrase; an untagged word is a noun
``<has agreed to sell>``      a verb group; an untagged word is a verb, its form follows from the words before
``(ADJP very/RB happy/JJ)``   any other chunk
``in``, ``that``, ``,``       a function word or mark on its own has its usual chunk (``B-PP``, ``B-SBAR``, ``O``)
``again/RB/ADVP``             a one-word chunk; ``as//SBAR`` leaves the tag to the default
``Both/CC/O``                 a word outside of any chunk
``rose|fell``                 one of several words with the same tag
``{city}``                    a slot of ``shapes.txt``: on its own a noun phrase, within brackets part of one
``^`` at the line's start     the whole sentence is printed in capitals, as the headlines of news agencies are
============================  =================================================================================

Opening and closing quotation marks take turns; ``( )`` alone are the marks themselves, as are ``-LRB- -RRB-``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from tagpool.corpus.builtin.names import read_resource
from tagpool.corpus.builtin.shapes import Pool, Row, Step, slot_step, slots
from tagpool.corpus.builtin.tags import default_chunk, default_pos
from tagpool.errors import InputError

# Files under ``frames``, in the order in which they are read.
TOPICS = (
    "news", "business", "sport", "travel", "weather", "culture", "science", "letters", "headlines", "lines", "words", "simple",
)  # fmt: skip
# Topics drawn more often: short sentences of one clause would be rare beside the long ones of the news.
_WEIGHTS = {"simple": 3}
_MARKS = {"-LRB-": "(", "-RRB-": ")"}
_OPENERS = {"[": "NP", "<": "VP"}
_CLOSERS = {"NP": "]", "VP": ">"}


@dataclass(frozen=True)
class Frame:
    """A compiled frame: its steps, its weight when frames are drawn, and whether it is printed in capitals."""

    source: str
    steps: tuple[Step, ...]
    capitals: bool
    weight: int = 1


@cache
def frames() -> tuple[Frame, ...]:
    """All frames, in the order of their files."""
    return tuple(
        _Reader(line, topic, number).frame()
        for topic in TOPICS
        for number, line in enumerate(read_resource(f"frames/{topic}.txt").splitlines(), start=1)
        if line.strip() and not line.startswith("#")
    )


@cache
def training_frames() -> tuple[Frame, ...]:
    """Frames used in training: three of four, so that the other parts also contain sentences of a new form."""
    return tuple(frame for place, frame in enumerate(frames()) if place % 4 != 3)


class _Reader:
    """Parser of one line."""

    def __init__(self, line: str, topic: str, number: int) -> None:
        self.line = line
        self.topic = topic
        self.number = number
        self.steps: list[Step] = []
        self.chunk: str | None = None
        self.chunk_words: list[str] = []
        self.quote_open = False
        self.begun = False

    def frame(self) -> Frame:
        capitals = self.line.startswith("^ ")
        for token in self.line.removeprefix("^ ").split():
            if token.startswith("(") and len(token) > 1:
                self.open(token[1:])
                continue
            if token[0] in _OPENERS:
                self.open(_OPENERS[token[0]])
                token = token[1:]
            closer = _CLOSERS.get(self.chunk or "", ")")
            closes = self.chunk is not None and token.endswith(closer)
            self.token(token[:-1] if closes else token)
            if closes:
                self.chunk = None
        if self.chunk is not None:
            raise self.error(f"the {self.chunk} is not closed")
        return Frame(self.line, _merge(self.steps), capitals, _WEIGHTS.get(self.topic, 1))

    def open(self, chunk: str) -> None:
        if self.chunk is not None:
            raise self.error(f"{chunk} opened inside of {self.chunk}")
        self.chunk, self.chunk_words = chunk, []

    def token(self, token: str) -> None:
        if token.startswith("{"):
            if self.chunk not in {None, "NP"} or not token.endswith("}"):
                raise self.error(f"slot {token!r} must stand alone or in a noun phrase")
            if token[1:-1] not in slots():
                raise self.error(f"no slot is called {token!r}")
            self.steps.append(slot_step(token[1:-1], opens_chunk=not self.chunk_words or self.chunk is None))
        elif token == '"':
            self.quote_open = not self.quote_open
            self.steps.append(_choice([('"', "``" if self.quote_open else "''", "O", "O")]))
        else:
            self.words(token)
        self.chunk_words.append(token.split("/")[0])
        self.begun = True

    def words(self, token: str) -> None:
        text, _, tags = token.partition("/")
        pos, _, alone = tags.partition("/")
        rows = []
        for option in text.split("|"):
            word = _MARKS.get(option, option)
            before = self.chunk_words if self.chunk is not None else []
            tag = pos or default_pos(word, self.chunk, before, opens_sentence=not self.begun)
            if tag is None:
                raise self.error(f"{word!r} needs a tag")
            if self.chunk is not None:
                chunk = f"{'I' if self.chunk_words else 'B'}-{self.chunk}"
            else:
                kind = alone or default_chunk(word, tag) or "O"
                chunk = kind if kind == "O" else f"B-{kind}"
            rows.append((word, tag, chunk, "O"))
        self.steps.append(_choice(rows))

    def error(self, message: str) -> InputError:
        return InputError(message, source=f"frames/{self.topic}.txt", line=self.number)


def _choice(rows: list[Row]) -> Step:
    pool: Pool = tuple((row[0].lower(), (row,)) for row in rows)
    return ((pool,),), ()


def _fixed(step: Step) -> bool:
    return not step[1] and len(step[0]) == 1 and all(len(pool) == 1 for pool in step[0][0])


def _merge(steps: list[Step]) -> tuple[Step, ...]:
    """Join runs of constant words into one step."""
    merged: list[Step] = []
    for step in steps:
        if merged and _fixed(step) and _fixed(merged[-1]):
            (left, left_rows), (right, right_rows) = merged[-1][0][0][0][0], step[0][0][0][0]
            merged[-1] = ((((f"{left} {right}", left_rows + right_rows),),),), ()
        else:
            merged.append(step)
    return tuple(merged)
