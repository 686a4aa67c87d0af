"""Template text: parse, write, parse again, and encode a sentence."""

from __future__ import annotations

from harness import fuzz, instrument, text_of

with instrument():
    from tagpool import Corpus, Encoder
    from tagpool.features.parser import parse

CORPUS = Corpus.from_lists(word=[["Ann", "left", "Oslo"]], pos=[["NNP", "VBD", "NNP"]], label=[["B-PER", "O", "B-LOC"]])


def check(data: bytes) -> None:
    """Templates have an exact text, and compile without resources."""
    templates = parse(text_of(data))
    assert parse(str(templates)) == templates
    if not templates.uses and len(templates) < 100:
        Encoder(templates).fit_transform(CORPUS)


if __name__ == "__main__":
    fuzz(check)
