"""Tagging of plain text: one sentence per line in, CoNLL lines of word and label out."""

from __future__ import annotations

from functools import partial

from tagpool.corpus.corpus import WORD, Corpus
from tagpool.corpus.text import tokenize_line
from tagpool.errors import InputError
from tagpool.tagging.blocks import Block, Blocks
from tagpool.tagging.labeller import Labeller, Reading, StreamTagger


class TextTagger(StreamTagger):
    """Tags text: writes each token on a line with its label, and the probability before it if wanted."""

    def __init__(self, labeller: Labeller, blocks: Blocks) -> None:
        super().__init__(labeller, blocks)
        labeller.require((WORD,), partial(InputError, source=blocks.source))

    def _tag(self, block: Block) -> bytes:
        source = self.blocks.source
        lines = (tokenize_line(line, source, number) for number, line in block.lines(source))
        words = [[token.text for token in tokens] for tokens in lines if tokens]
        if not words:
            return b""
        self.sentences += len(words)
        readings = self.labeller.readings(Corpus.from_columns({WORD: words}).native)
        return "".join(map(self._format, words, readings)).encode()

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
