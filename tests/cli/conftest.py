"""Models and files that tests of the commands share, made once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tagpool import CRF, SGD, builtin_corpus, write_corpus


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """train.conll, dev.conll, test.conll with word, pos, chunk, label, and a model ner.tagpool of words alone."""
    folder = tmp_path_factory.mktemp("data")
    for part, count in (("train", 300), ("dev", 80), ("test", 80)):
        write_corpus(builtin_corpus(count, part=part), folder / f"{part}.conll")
    CRF("ner", trainer=SGD(epochs=4)).fit(builtin_corpus(300)).save(folder / "ner.tagpool")
    CRF("word[0]\npos[-1..1]", trainer=SGD(epochs=4)).fit(builtin_corpus(300)).save(folder / "pos.tagpool")
    return folder
