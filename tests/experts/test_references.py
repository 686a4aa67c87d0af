"""Models that refer to their resources: the same model with the same resources, otherwise an error."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors
from oracles.mutants import Content
from oracles.tampering import resigned

import tagpool
from tagpool import (
    CRF,
    SGD,
    BaggingPool,
    Clusters,
    Corpus,
    ElitistPool,
    Gazetteer,
    InducingTagger,
    InputError,
    MaxEnt,
    ModelError,
    OpinionPool,
)
from tagpool.errors import ResourceError, TemplateError
from tagpool.experts.saving import to_bytes

TEMPLATES = """
word[0]
gazetteer(places)[0]
gazetteer(places, lower(word))[-1..1]
cluster(brown, 2, 4)[-1..0]
[classes]
ambiguity(classes)[0..1]
[vectors]
embedding(vectors, lower(word))[0]
"""
KINDS = ("places", "brown.txt", "classes.tsv", "vectors.txt")


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return tagpool.builtin_corpus(60, seed=3)


def write_resources(folder: Path) -> dict[str, Path]:
    folder.mkdir(exist_ok=True)
    (folder / "places").mkdir()
    (folder / "places" / "cities.txt").write_text("Oslo\nNew York\nLima\nParis\n")
    (folder / "places" / "rivers.lst").write_text("Nile\nSt. Lawrence\n")
    (folder / "brown.txt").write_text("0110\tmoved\t9\n0111\tto\t30\n00\tthe\t99\n0100\tlives\t2\n")
    (folder / "classes.tsv").write_text("moved\tVBD VBN\nto\tTO\nlives\tVBZ NNS\n")
    words = ["the", "to", "moved", "oslo"]
    rows = [" ".join([word, *map(str, np.arange(3) / (4.0 + number))]) for number, word in enumerate(words)]
    (folder / "vectors.txt").write_text("\n".join(rows))
    return {Path(name).stem: folder / name for name in KINDS}


def learners(resources: dict[str, Any]) -> dict[str, Any]:
    crf = CRF(TEMPLATES, resources=resources, trainer=SGD(epochs=2))
    return {
        "crf": crf,
        "maxent": MaxEnt(TEMPLATES, resources=resources, trainer=SGD(epochs=2)),
        "inducing": InducingTagger(TEMPLATES + "[base]\nlabel[-1] & cluster(brown)[0]", resources=resources, epochs=2),
        "elitist": ElitistPool(TEMPLATES, resources=resources, epochs=2),
        "bagging": BaggingPool(crf),
    }


@pytest.mark.parametrize("name", ["crf", "maxent", "inducing", "elitist", "bagging", "opinion", "collapsed"])
def test_the_same_model_without_its_resources(corpus: Corpus, tmp_path: Path, name: str) -> None:
    paths = write_resources(tmp_path / "resources")
    created = learners(paths)
    if name == "opinion":
        tagger = OpinionPool([created["crf"].fit(corpus), OpinionPool([created["maxent"].fit(corpus)])])
    elif name == "collapsed":
        tagger = created["bagging"].fit(corpus).merge()
    else:
        tagger = created[name].fit(corpus)
    tagger.save(tmp_path / "whole")
    tagger.save(tmp_path / "apart", resources=False)
    assert (tmp_path / "apart").stat().st_size < (tmp_path / "whole").stat().st_size
    # Only the stored configuration names the file that the resource was read from.
    assert b"brown.txt" not in re.sub(rb'"config":"(?:[^"\\]|\\.)*"', b"", (tmp_path / "whole").read_bytes())
    loaded = tagpool.load(tmp_path / "apart", resources=paths)
    assert type(loaded) is type(tagger)
    assert loaded.predict(corpus) == tagger.predict(corpus)
    # A loaded model can be saved in both ways, and its resources can be moved.
    loaded.save(tmp_path / "whole again")
    loaded.save(tmp_path / "apart again", resources=False)
    assert (tmp_path / "apart again").stat().st_size == (tmp_path / "apart").stat().st_size
    elsewhere = tmp_path.parent / f"{tmp_path.name} elsewhere"
    shutil.move(tmp_path / "resources", elsewhere)
    assert tagpool.load(tmp_path / "whole again").predict(corpus) == tagger.predict(corpus)
    moved = {name: str(elsewhere / path.name) for name, path in paths.items()}
    assert tagpool.load(tmp_path / "apart again", resources=moved).predict(corpus) == tagger.predict(corpus)
    with pytest.raises(
        ResourceError, match=r"apart: the model needs the \w+ '\w+' \(sha256 [0-9a-f]{64}\), which its file does not"
    ):
        tagpool.load(tmp_path / "apart")
    with pytest.raises(InputError, match=r"refers to no resource 'other'; it needs brown, classes, places, vectors"):
        tagpool.load(tmp_path / "apart", resources={**moved, "other": moved["brown"]})


def test_a_file_with_references_has_no_lexicons(corpus: Corpus, tmp_path: Path) -> None:
    paths = write_resources(tmp_path / "resources")
    crf = CRF(TEMPLATES, resources=paths, trainer=SGD(epochs=1)).fit(corpus)
    (tmp_path / "models").mkdir()
    crf.save(tmp_path / "models" / "apart", resources=False)
    with safetensors.safe_open(tmp_path / "models" / "apart", "numpy") as file:
        assert not [name for name in file.keys() if name.startswith("program.")]  # noqa: SIM118 - no dict
        references = json.loads(file.metadata()["resources"])
    assert {item["name"] for item in references.values()} == set(paths)
    assert {tuple(item) for item in references.values()} == {("kind", "name", "sha256")}
    crf.save(tmp_path / "whole")
    loaded = tagpool.load(tmp_path / "models" / "apart", resources=paths), tagpool.load(tmp_path / "whole")
    further = [model.partial_fit(corpus) for model in loaded]
    assert to_bytes(further[0]) == to_bytes(further[1])


@pytest.mark.parametrize("changed", KINDS)
def test_resources_that_have_changed(corpus: Corpus, tmp_path: Path, changed: str) -> None:
    paths = write_resources(tmp_path / "resources")
    CRF(TEMPLATES, resources=paths, trainer=SGD(epochs=1)).fit(corpus).save(tmp_path / "m", resources=False)
    path = tmp_path / "resources" / changed
    more = {"places": "Rome\n", "brown.txt": "10\tRome\n", "classes.tsv": "Rome\tNNP\n", "vectors.txt": "\nrome 1 2 3\n"}[changed]
    path = path / "cities.txt" if path.is_dir() else path
    text = path.read_text()
    path.write_text(text + more)
    name = Path(changed).stem
    with pytest.raises(ResourceError, match=rf"m: the model needs the \w+ '{name}' .*; the supplied resource has the checksum"):
        tagpool.load(tmp_path / "m", resources=paths)
    path.write_text("\x00")
    with pytest.raises(ResourceError, match=rf"m: the model needs the \w+ '{name}' .*:1: expected text, got a NUL byte"):
        tagpool.load(tmp_path / "m", resources=paths)
    path.write_text(text)
    tagpool.load(tmp_path / "m", resources=paths)


def test_resources_without_a_file_are_stored(corpus: Corpus, tmp_path: Path) -> None:
    paths: dict[str, Any] = dict(write_resources(tmp_path / "resources"))
    paths["brown"] = Clusters({"moved": "0110", "to": "0111"})
    crf = CRF(TEMPLATES, resources=paths, trainer=SGD(epochs=1)).fit(corpus)
    crf.save(tmp_path / "m", resources=False)
    with safetensors.safe_open(tmp_path / "m", "numpy") as file:
        assert {item["kind"] for item in json.loads(file.metadata()["resources"]).values()} == {
            "gazetteer",
            "ambiguity",
            "embedding",
        }
        assert "program.words.0.value_of" in file.keys()  # noqa: SIM118 - no dict
    files = {name: path for name, path in paths.items() if name != "brown"}
    assert tagpool.load(tmp_path / "m", resources=files).predict(corpus) == crf.predict(corpus)
    plain = CRF("word[0]", trainer=SGD(epochs=1)).fit(corpus)
    plain.save(tmp_path / "plain", resources=False)
    assert (tmp_path / "plain").read_bytes() == to_bytes(plain)
    # A resource that was read from a file and passed as an object is referred to, and may be supplied as an object.
    paths["brown"] = Clusters.read(tmp_path / "resources" / "brown.txt")
    crf = CRF(TEMPLATES, resources=paths, trainer=SGD(epochs=1)).fit(corpus)
    crf.save(tmp_path / "m", resources=False)
    assert tagpool.load(tmp_path / "m", resources=paths).predict(corpus) == crf.predict(corpus)
    with pytest.raises(ResourceError, match=r"the model needs the cluster 'brown' .*; got a Gazetteer"):
        tagpool.load(tmp_path / "m", resources={**paths, "brown": Gazetteer({"a": ["b"]})})


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "{",
        '{"program.words.0": 3}',
        '{"program.words.0": {"kind": "cluster", "path": "brown.txt"}}',
        '{"program.words.0": {"kind": "file", "name": "b", "sha256": "0"}}',
        '{"program.phrases.0": {"kind": "gazetteer", "name": "b", "sha256": "0"}}',
        '{"nonsense": {}}',
        "[" * 100_000,
    ],
)
def test_damaged_references(corpus: Corpus, tmp_path: Path, text: str) -> None:
    (tmp_path / "brown.txt").write_text("0110\tmoved\n")
    CRF("word[0]\ncluster(b)[0]", resources={"b": tmp_path / "brown.txt"}, trainer=SGD(epochs=1)).fit(corpus).save(
        tmp_path / "m", resources=False
    )
    with safetensors.safe_open(tmp_path / "m", "numpy") as file:
        now = file.metadata()["resources"]
    (tmp_path / "m").write_bytes(resigned((tmp_path / "m").read_bytes(), json.dumps(now), json.dumps(text)))
    with pytest.raises((ModelError, ResourceError), match=r"damaged (?:model|metadata)|got a Clusters"):
        tagpool.load(tmp_path / "m", resources={"b": Clusters({"moved": "0110"})})


def saved_apart(corpus: Corpus, folder: Path) -> Path:
    (folder / "brown.txt").write_text("0110\tmoved\n")
    crf = CRF("word[0]\ncluster(brown)[0]", resources={"brown": folder / "brown.txt"}, trainer=SGD(epochs=1)).fit(corpus)
    crf.save(folder / "apart", resources=False)
    return folder / "apart"


def test_no_path_in_a_model_is_opened(corpus: Corpus, tmp_path: Path) -> None:
    """References of version 0.1 have paths; a hostile one may name any file."""
    apart = saved_apart(corpus, tmp_path)
    (tmp_path / "secret").write_text("secret content\n")
    with safetensors.safe_open(apart, "numpy") as file:
        now = file.metadata()["resources"]
    for path in (tmp_path / "secret", "/etc/passwd"):
        old = json.dumps({"program.words.0": {"kind": "cluster", "path": str(path), "checksum": "0" * 16}})
        apart.write_bytes(resigned(apart.read_bytes(), json.dumps(now), json.dumps(old)))
        now = old
        with pytest.raises(ResourceError) as caught:
            tagpool.load(apart)
        assert "secret content" not in str(caught.value)
        assert "root:" not in str(caught.value)


def test_references_of_version_0_1(corpus: Corpus, tmp_path: Path) -> None:
    apart = saved_apart(corpus, tmp_path)
    expected = tagpool.load(apart, resources={"brown": tmp_path / "brown.txt"}).predict(corpus)
    with safetensors.safe_open(apart, "numpy") as file:
        now = file.metadata()["resources"]
    arrays = tagpool._native.lexicon_arrays(Clusters.read(tmp_path / "brown.txt").native)
    checksum = 0
    for name in sorted(arrays):
        checksum = tagpool._native.combine(checksum, tagpool._native.xxh64(name.encode()))
        checksum = tagpool._native.combine(checksum, tagpool._native.xxh64(arrays[name]))
    old = json.dumps({"program.words.0": {"kind": "cluster", "path": "/nowhere/brown.txt", "checksum": f"{checksum:016x}"}})
    apart.write_bytes(resigned(apart.read_bytes(), json.dumps(now), json.dumps(old)))
    loaded = tagpool.load(apart, resources={"brown": tmp_path / "brown.txt"})
    assert loaded.predict(corpus) == expected
    loaded.save(tmp_path / "new", resources=False)
    with safetensors.safe_open(tmp_path / "new", "numpy") as file:
        assert json.loads(file.metadata()["resources"]) == json.loads(now)


def test_templates_of_a_model_are_not_read_from_files(corpus: Corpus, tmp_path: Path) -> None:
    """Further training and saving take the templates of the file as text, and ignore its ``use`` lines."""
    (tmp_path / "brown.txt").write_text("0110\tmoved\n")
    (tmp_path / "templates").write_text(f'use brown from "{tmp_path / "brown.txt"}"\nword[0]\ncluster(brown)[0]\n')
    pool = ElitistPool(tmp_path / "templates", epochs=1, experts=2).fit(corpus)
    pool.save(tmp_path / "pool")
    (tmp_path / "brown.txt").unlink()
    loaded: Any = tagpool.load(tmp_path / "pool")
    assert loaded.predict(corpus) == pool.predict(corpus)
    assert loaded.templates.uses == ()
    with pytest.raises(TemplateError, match="the cluster 'brown' is missing"):
        loaded.fit(corpus)
    (tmp_path / "secret").write_text("secret content\n")
    content = Content.of((tmp_path / "pool").read_bytes())
    content.texts["templates"] = str(tmp_path / "secret")
    (tmp_path / "pool").write_bytes(content.sealed())
    with pytest.raises(ModelError) as caught:
        tagpool.load(tmp_path / "pool")
    assert "secret content" not in str(caught.value)
