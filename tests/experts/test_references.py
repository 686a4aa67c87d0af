"""Models that refer to their resources: the same model if the files are unchanged, otherwise an error."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors
from oracles.tampering import resigned

import tagpool
from tagpool import CRF, SGD, BaggingPool, Clusters, Corpus, ElitistPool, InducingTagger, MaxEnt, ModelError, OpinionPool
from tagpool.errors import ResourceError
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
    loaded = tagpool.load(tmp_path / "apart")
    assert type(loaded) is type(tagger)
    assert loaded.predict(corpus) == tagger.predict(corpus)
    # A loaded model can be saved in both ways, and moved with the resources in its folder.
    loaded.save(tmp_path / "whole again")
    loaded.save(tmp_path / "apart again", resources=False)
    assert (tmp_path / "apart again").stat().st_size == (tmp_path / "apart").stat().st_size
    elsewhere = tmp_path.parent / f"{tmp_path.name} elsewhere"
    shutil.copytree(tmp_path, elsewhere)
    shutil.rmtree(tmp_path / "resources")
    assert tagpool.load(tmp_path / "whole again").predict(corpus) == tagger.predict(corpus)
    assert tagpool.load(elsewhere / "apart again").predict(corpus) == tagger.predict(corpus)
    with pytest.raises(ResourceError, match=r"apart: the model needs the \w+ file .*: there is no such file; restore it"):
        tagpool.load(tmp_path / "apart")


def test_a_file_with_references_has_no_lexicons(corpus: Corpus, tmp_path: Path) -> None:
    paths = write_resources(tmp_path / "resources")
    crf = CRF(TEMPLATES, resources=paths, trainer=SGD(epochs=1)).fit(corpus)
    (tmp_path / "models").mkdir()
    crf.save(tmp_path / "models" / "apart", resources=False)
    with safetensors.safe_open(tmp_path / "models" / "apart", "numpy") as file:
        assert not [name for name in file.keys() if name.startswith("program.")]  # noqa: SIM118 - no dict
        references = json.loads(file.metadata()["resources"])
    assert {item["path"] for item in references.values()} == set(map(str, paths.values()))
    crf.save(tmp_path / "whole")
    further = [tagpool.load(tmp_path / name).partial_fit(corpus) for name in ("models/apart", "whole")]
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
    with pytest.raises(ResourceError, match=rf"m: the .* file .*{changed} has changed since training; restore it"):
        tagpool.load(tmp_path / "m")
    path.write_text("\x00")
    with pytest.raises(ResourceError, match=r"m: the model needs the .* file .*:1: expected text, got a NUL byte"):
        tagpool.load(tmp_path / "m")
    path.write_text(text)
    tagpool.load(tmp_path / "m")


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
    assert tagpool.load(tmp_path / "m").predict(corpus) == crf.predict(corpus)
    plain = CRF("word[0]", trainer=SGD(epochs=1)).fit(corpus)
    plain.save(tmp_path / "plain", resources=False)
    assert (tmp_path / "plain").read_bytes() == to_bytes(plain)
    # A resource that was read before and passed as an object refers to the same file.
    paths["brown"] = Clusters.read(tmp_path / "resources" / "brown.txt")
    CRF(TEMPLATES, resources=paths, trainer=SGD(epochs=1)).fit(corpus).save(tmp_path / "m", resources=False)
    assert b"brown.txt" in (tmp_path / "m").read_bytes()


@pytest.mark.parametrize(
    "text",
    ["[]", "{", '{"program.words.0": 3}', '{"program.words.0": {"kind": "cluster", "path": "brown.txt"}}', '{"nonsense": {}}'],
)
def test_damaged_references(corpus: Corpus, tmp_path: Path, text: str) -> None:
    (tmp_path / "brown.txt").write_text("0110\tmoved\n")
    CRF("word[0]\ncluster(b)[0]", resources={"b": tmp_path / "brown.txt"}, trainer=SGD(epochs=1)).fit(corpus).save(
        tmp_path / "m", resources=False
    )
    with safetensors.safe_open(tmp_path / "m", "numpy") as file:
        now = file.metadata()["resources"]
    (tmp_path / "m").write_bytes(resigned((tmp_path / "m").read_bytes(), json.dumps(now), json.dumps(text)))
    with pytest.raises(ModelError, match=r"m: damaged model: the references to resources are not valid"):
        tagpool.load(tmp_path / "m")
