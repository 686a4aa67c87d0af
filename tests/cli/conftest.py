"""Models and files that tests of the commands share, made once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from cli.commands import BAGS, write

from tagpool import CRF, SGD, BaggingPool, ElitistPool, OpinionPool, builtin_corpus, read_corpus, write_corpus


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """train.conll, dev.conll, test.conll with word, pos, chunk, label, and a model ner.tagpool of words alone."""
    folder = tmp_path_factory.mktemp("data")
    for part, count in (("train", 300), ("dev", 80), ("test", 80)):
        write_corpus(builtin_corpus(count, part=part), folder / f"{part}.conll")
    CRF("ner", trainer=SGD(epochs=4)).fit(builtin_corpus(300)).save(folder / "ner.tagpool")
    CRF("word[0]\npos[-1..1]", trainer=SGD(epochs=4)).fit(builtin_corpus(300)).save(folder / "pos.tagpool")
    return folder


@pytest.fixture(scope="session")
def pools(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One pool of every kind; mixed.tagpool and second.tagpool are no single expert."""
    folder = tmp_path_factory.mktemp("pools")
    write(folder, "bags.txt", BAGS)
    train, dev = read_corpus(data / "train.conll"), read_corpus(data / "dev.conll")
    crf = CRF(BAGS, trainer=SGD(epochs=2))
    bagged = BaggingPool(crf, weights=[0.7, 0.3]).fit(train, dev=dev)
    elitist = ElitistPool(BAGS, epochs=3, weights=[0.5, 0.3, 0.2]).fit(train, dev=dev)
    created: dict[str, Any] = {
        "bagged": bagged,
        "elitist": elitist,
        "opinion": OpinionPool([bagged, elitist], weights=[0.25, 0.75]),
        "mixed": BaggingPool(crf, combine="transition-mixture").fit(train, dev=dev),
        "second": BaggingPool(CRF("label[-1] & shape(word)[0]\n" + BAGS, trainer=SGD(epochs=2))).fit(train, dev=dev),
    }
    for name, pool in created.items():
        pool.save(folder / f"{name}.tagpool")
    return folder
