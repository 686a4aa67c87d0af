"""Models and texts for the tests of components."""

from __future__ import annotations

from pathlib import Path

import pytest

from tagpool import CRF, Corpus, InducingTagger, builtin_corpus

TEMPLATES = "word[-1..1]\nshape[0]\nsuffix(word, 1..3)[0]"


@pytest.fixture(scope="session")
def gold() -> Corpus:
    return builtin_corpus(150)


@pytest.fixture(scope="session")
def test_set() -> Corpus:
    return builtin_corpus(40, part="test")


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory, gold: Corpus) -> dict[str, str]:
    """Model files by name: of entities, of parts of speech, with a column, and without probabilities."""
    folder: Path = tmp_path_factory.mktemp("models")
    tags = Corpus.from_lists(word=gold.words, label=gold.column("pos"))
    taggers = {
        "ner": CRF(TEMPLATES).fit(gold),
        "pos": CRF(TEMPLATES).fit(tags),
        "column": CRF("word[0]\npos[-1..1]").fit(gold),
        "inducing": InducingTagger("word[0]\nshape[0]").fit(gold),
    }
    for name, tagger in taggers.items():
        tagger.save(folder / f"{name}.tagpool")
    return {name: str(folder / f"{name}.tagpool") for name in taggers}
