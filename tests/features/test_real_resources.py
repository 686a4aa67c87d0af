"""Real lexicons, clusters, classes and embeddings, against the encoder in plain Python (tests/oracles/encoder.py)."""

from __future__ import annotations

import gzip
import itertools
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from oracles import encoder as oracle

from tagpool.corpus.conll import read_conll
from tagpool.corpus.corpus import Corpus
from tagpool.features.encoder import Encoder
from tagpool.features.resources import Gazetteer


@pytest.fixture(scope="module")
def data() -> Path:
    root = os.environ.get("TAGPOOL_DATA")
    if not root:
        pytest.skip("TAGPOOL_DATA is not set")
    return Path(root)


@pytest.fixture(scope="module")
def news(data: Path) -> Corpus:
    path = data / "conll2003" / "eng.testa.gz"
    return read_conll(path, columns=("word", "pos", "chunk", "label"))[:200]


@pytest.fixture(scope="module")
def lists(data: Path) -> Path:
    return data / "gazetteers" / "illinois-knownlists"


def plain_lists(folder: Path) -> dict[str, list[str]]:
    return {
        path.name.split(".gz")[0].rsplit(".", 1)[0]: gzip.decompress(path.read_bytes()).decode().split("\n")
        for path in folder.iterdir()
    }


def plain_classes(path: Path, word: int, value: int) -> dict[str, str]:
    result: dict[str, str] = {}
    for line in gzip.decompress(path.read_bytes()).decode().split("\n"):
        fields = line.removesuffix("\r").split("\t")
        if len(fields) > 1:
            result.setdefault(fields[word], "_".join(fields[value].split()))
    return result


def check(encoder: Encoder, sentences: Corpus, plain: dict[str, Any]) -> None:
    """Rows and history rows of the encoder against the oracle."""
    encoded = encoder.fit_transform(sentences)
    columns = [dict(sentence.columns) for sentence in sentences]
    parts = [(encoded.native, encoder.feature_names, False)]
    if encoded.history is not None:
        parts.append((encoded.history, encoder.history_names, True))
    for native, names, history in parts:
        starts, ids = native.starts().tolist(), native.ids().tolist()
        result = [Counter(names[i] for i in ids[begin:end]) for begin, end in itertools.pairwise(starts)]
        expected = oracle.encode(encoder.templates_, columns, plain, history=history)
        assert result == [Counter(name for name, _ in row) for row in expected]
        assert sum(map(len, expected)) > 1000


def test_real_gazetteers(lists, news):
    gazetteer = Gazetteer.read(lists)
    assert len(gazetteer.lists) == 28
    assert {"WikiLocations", "known_names.big", "currencyFinal"} <= set(gazetteer.lists)
    assert len(gazetteer) > 800_000


def test_bagging_preset_on_real_data(lists, news):
    """The smaller lists, which the oracle can take."""
    plain = {name: phrases for name, phrases in plain_lists(lists).items() if name.startswith("known_")}
    assert len(plain) >= 8
    check(Encoder("ner-bagging", resources={"lexicons": Gazetteer(plain)}), news, {"lexicons": plain})


def test_ner_dfi_preset_on_real_data(data, lists, news):
    clusters = data / "brown-clusters" / "spacy_en_c1000.txt.gz"
    names = {name: phrases for name, phrases in plain_lists(lists).items() if name.startswith("known_na")}
    resources = {"clusters": clusters, "embeddings": data / "glove" / "glove.6B.100d.subset.f16.npz", "names": Gazetteer(names)}
    encoder = Encoder("ner-dfi", resources=resources, history=True)
    check(encoder, news, {"clusters": plain_classes(clusters, 1, 0), "names": names})
    dense = encoder.transform(news).dense
    assert [block.offset for block in dense] == list(range(-4, 5))
    words = [line for line in gzip.decompress((data / "glove" / "words.txt.gz").read_bytes()).decode().split("\n") if line]
    numbers = {word: row for row, word in reversed(list(enumerate(words)))}
    expected = [numbers.get(oracle.lower(word), -1) for sentence in news.words for word in sentence]
    assert dense[0].rows.tolist() == expected
    assert sum(row >= 0 for row in expected) > 0.8 * len(expected)


def test_pos_dfi_preset_on_real_data(data, news):
    clusters = data / "brown-clusters" / "spacy_en_c1000.txt.gz"
    classes = data / "nlp4j-lexica" / "en-ambiguity-classes-simplified.tsv.gz"
    encoder = Encoder("pos-dfi", resources={"clusters": clusters, "classes": classes}, history=True)
    check(encoder, news, {"clusters": plain_classes(clusters, 1, 0), "classes": plain_classes(classes, 0, 1)})
