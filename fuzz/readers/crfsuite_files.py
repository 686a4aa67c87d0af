"""Model files of CRFsuite through the drop-in: tag, dump and convert."""

from __future__ import annotations

from harness import file_of, fuzz, instrument

with instrument():
    from tagpool.compat.conversion import from_crfsuite
    from tagpool.compat.pycrfsuite import Tagger
    from tagpool.errors import InputError

SENTENCE = [["word=Ann", "bias"], {"word=left": 0.5, "bias": 1.0}, ["unknown"]]


def check(data: bytes) -> None:
    """A model tags with its labels, and its dump and conversions are valid or refused."""
    tagger = Tagger()
    tagger.open_inmemory(data)
    assert set(tagger.tag(SENTENCE)) <= set(tagger.labels())
    tagger.info()
    tagger.dump(str(file_of(b"", "dump")))
    weights = from_crfsuite(tagger._opened())
    for convert in (weights.to_crfsuite, weights.to_wapiti, lambda: weights.to_expert("CRFsuite")):
        try:
            convert()
        except InputError:
            continue


if __name__ == "__main__":
    fuzz(check)
