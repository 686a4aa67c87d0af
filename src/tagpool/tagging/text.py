"""Tagging of plain text: one sentence per line in, CoNLL lines of word and label out."""

from __future__ import annotations

from collections.abc import Iterator

from tagpool.corpus.corpus import WORD
from tagpool.corpus.text import LONGEST_LINE, tokenize
from tagpool.errors import InputError
from tagpool.tagging.blocks import Block, Blocks
from tagpool.tagging.labeller import Labeller
from tagpool.tagging.lines import block_lines
from tagpool.tagging.reading import Reading


class TextTagger:
    """Tags text: writes each token on a line with its label, and the probability before it if wanted."""

    def __init__(self, labeller: Labeller, blocks: Blocks) -> None:
        self.labeller = labeller
        self.blocks = blocks
        self.sentences = 0
        labeller.require((WORD,), blocks.source)

    def __iter__(self) -> Iterator[bytes]:
        for block in self.blocks:
            yield self.tagged(block)
        if not self.sentences:
            raise InputError("expected sentences; the input is empty", source=self.blocks.source)

    def tagged(self, block: Block) -> bytes:
        """A block's tokens with their labels."""
        words: list[list[str]] = []
        for number, line in block_lines(block, self.blocks.source):
            if len(line) > LONGEST_LINE:
                raise InputError(
                    f"a line has {len(line):,} characters, the limit is {LONGEST_LINE:,}; write one sentence per line",
                    source=self.blocks.source,
                    line=number,
                )
            tokens = [token.text for token in tokenize(line.rstrip())]  # as read_text does
            if tokens:
                words.append(tokens)
        if not words:
            return b""
        self.sentences += len(words)
        readings = self.labeller.readings(self.labeller.corpus({WORD: words}))
        return "".join(map(self._written, words, readings)).encode()

    def _written(self, words: list[str], readings: list[Reading]) -> str:
        return "".join(self._one(words, reading, rank) for rank, reading in enumerate(readings, 1))

    def _one(self, words: list[str], reading: Reading, rank: int) -> str:
        lines = [f"# nbest = {rank} {reading.comment}"] if self.labeller.nbest else []
        if reading.probabilities is None:
            lines += [f"{word} {label}" for word, label in zip(words, reading.labels, strict=True)]
        else:
            rows = zip(words, reading.probabilities, reading.labels, strict=True)
            lines += [f"{word} {probability:.6f} {label}" for word, probability, label in rows]
        return "\n".join(lines) + "\n\n"
