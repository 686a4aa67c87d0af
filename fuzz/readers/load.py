"""Model files of taggers and pools: load, describe, tag, explain, save. The mutator repairs checksums, also those of members."""

from __future__ import annotations

from harness import file_of, fuzz, instrument

with instrument():
    from tagpool import Corpus, VotePool, load

WORDS = [["Ann", "Smith", "left"], ["Oslo"]]
NUMBERS = [["1.5", "0", "2"], ["3"]]
VOTES = {"first": [["A", "B"]], "second": [["B", "B"]]}
FEATURES = [[["word=Ann", "bias"], ["word=left"]]]


def check(data: bytes) -> None:
    """A file loads and works, or is refused."""
    model = load(file_of(data))
    model.describe(top=2)
    if isinstance(model, VotePool):
        model.predict(VOTES)
        return
    sentences = FEATURES
    if not model.takes_features:
        columns = {name: NUMBERS if name == "size" else WORDS for name in ("word", *model.columns)}
        sentences = Corpus.from_columns(columns)
    for labels in model.predict(sentences):
        assert set(labels) <= set(model.labels_)
    model.explain(sentences[0])
    model.save(file_of(b"", "saved"))


if __name__ == "__main__":
    fuzz(check, model_files=True)
