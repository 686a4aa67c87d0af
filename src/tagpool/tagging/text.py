"""Tagging of plain text: one sentence per line in, CoNLL lines of word and label out."""

from __future__ import annotations

from functools import partial

from tagpool.corpus.blocks import Block, Blocks
from tagpool.corpus.corpus import WORD, Corpus
from tagpool.corpus.text import tokenize_line
from tagpool.errors import InputError
from tagpool.tagging.labeller import Labeller, Reading, StreamTagger


class TextTagger(StreamTagger):
    """Tags text: writes each token on a line with its label, and the probability before it if wanted."""

    def __init__(self, labeller: Labeller, blocks: Blocks) -> None:
        super().__init__(labeller, blocks)
        labeller.require((WORD,), partial(InputError, source=blocks.source))

    def _tag(self, block: Block) -> bytes:
        """Return the labelled lines of a block. A blank line is a sentence without tokens, and has no output."""
        words: list[list[str]] = []
        comments: dict[int, bytes] = {}  # by the number of sentences before them
        for number, line in block.valid_lines(self.blocks.source):
            try:
                if isinstance(line, InputError):
                    raise line
                tokens = tokenize_line(line, self.blocks.source, number)
            except InputError as error:
                comments[len(words)] = comments.get(len(words), b"") + self._comment(error)
                if self._stops:
                    break
                continue
            words.append([token.text for token in tokens])
        self.sentences += len(words)
        readings = self.labeller.readings(Corpus.from_columns({WORD: words}).native) if words else []
        pieces = [self._format(*item).encode() if item[0] else b"" for item in zip(words, readings, strict=True)]
        if self._stops:
            return b"".join(pieces)
        return b"".join(comments.get(place, b"") + piece for place, piece in enumerate([*pieces, b""]))

    def _format(self, words: list[str], readings: list[Reading]) -> str:
        lines = []
        for rank, reading in enumerate(readings, 1):
            if self.labeller.nbest:
                lines.append(f"# nbest = {rank} {reading.comment}")
            if reading.probabilities is None:
                lines += [f"{word} {label}" for word, label in zip(words, reading.labels, strict=True)]
            else:
                rows = zip(words, reading.probabilities, reading.labels, strict=True)
                lines += [f"{word} {probability:.6f} {label}" for word, probability, label in rows]
            lines.append("")
        return "\n".join(lines) + "\n"
