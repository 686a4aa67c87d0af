"""Model files of CRFsuite through the drop-in: tag, dump and convert."""

from __future__ import annotations

from harness import check_conversions, file_of, fuzz, instrument

with instrument():
    from tagpool.compat.conversion import from_crfsuite
    from tagpool.compat.pycrfsuite import Tagger

SENTENCE = [["word=Ann", "bias"], {"word=left": 0.5, "bias": 1.0}, ["unknown"]]


def check(data: bytes) -> None:
    """A model tags with its labels, and its dump and conversions are valid or refused."""
    tagger = Tagger()
    tagger.open_inmemory(data)
    assert set(tagger.tag(SENTENCE)) <= set(tagger.labels())
    tagger.info()
    tagger.dump(str(file_of(b"", "dump")))
    check_conversions(from_crfsuite(tagger._opened()), "CRFsuite")


if __name__ == "__main__":
    fuzz(check)
