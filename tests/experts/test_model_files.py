"""Model files: a loaded model gives the same labels, and damage is an error."""

from __future__ import annotations

import contextlib
import copy
import json
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import safetensors
import safetensors.numpy
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.tampering import resigned

import tagpool
from tagpool import Corpus
from tagpool.experts.saving import feature_names, to_bytes
from tagpool.features.resources import Clusters, Gazetteer

HEAVY = {"numpy", "scipy", "safetensors", "sklearn", "json", "re", "typing", "dataclasses", "pathlib", "enum", "rich", "typer"}
TEMPLATES = """
word[-1..1]
shape(word)[-1] & shape(word)[0]
word[0] & suffix(word, 2)[0]
[lexicons]
gazetteer(places)[0]
cluster(brown, 2, 4)[-1..0]
ngrams(lower(word), 2..3)[0]
"""
RESOURCES = {
    "places": Gazetteer({"cities": ["Oslo", "New York"], "rivers": ["Nile"]}),
    "brown": Clusters({"moved": "0110", "to": "0111", "lives": "0100"}),
}


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return tagpool.builtin_corpus(200, seed=3)


@pytest.fixture(scope="module")
def crf(corpus: Corpus) -> tagpool.CRF:
    return tagpool.CRF(TEMPLATES, resources=RESOURCES, trainer=tagpool.SGD(epochs=3)).fit(corpus)


@pytest.fixture(scope="module")
def block(crf: tagpool.CRF) -> bytes:
    return to_bytes(crf)


def agreement(one: tagpool.CRF, other: tagpool.CRF, corpus: Corpus) -> float:
    """The rate of tokens with the same label from two experts."""
    pairs = zip(one.predict(corpus), other.predict(corpus), strict=True)
    return float(np.mean(np.concatenate([np.array(a) == np.array(b) for a, b in pairs])))


@pytest.mark.parametrize("kind", [tagpool.CRF, tagpool.MaxEnt])
@pytest.mark.parametrize("pairs", ["all", "observed"])
def test_a_saved_model_tags_as_before(kind, pairs, corpus, tmp_path):
    expert = kind(TEMPLATES, resources=RESOURCES, pairs=pairs, trainer=tagpool.SGD(epochs=2)).fit(corpus)
    expected = expert.predict(corpus)
    expert.save(tmp_path / "model")
    loaded = tagpool.load(tmp_path / "model")
    assert type(loaded) is kind
    assert loaded.labels_ == expert.labels_
    assert loaded.predict(corpus) == expected
    assert [a.tolist() for a in loaded.predict_marginals(corpus[:5])] == [
        a.tolist() for a in expert.predict_marginals(corpus[:5])
    ]
    # Saved again, the loaded model is the same file except for the order of names, which files do not store.
    loaded.save(tmp_path / "again")
    assert tagpool.load(tmp_path / "again").predict(corpus) == expected


def test_models_of_given_features(tmp_path):
    sentences = [[{"w": "Ann", "caps": True, "n": 2.5}, ["w:left", "small"]], [["w:Rain"]]]
    crf = tagpool.CRF().fit(sentences, [["PER", "O"], ["O"]])
    crf.save(tmp_path / "model")
    loaded = tagpool.load(tmp_path / "model")
    assert loaded.predict(sentences) == crf.predict(sentences) == [["PER", "O"], ["O"]]
    assert np.array_equal(loaded.predict_marginals(sentences)[0], crf.predict_marginals(sentences)[0])


def test_a_loaded_model_continues_with_its_lexicons(crf, block, corpus, tmp_path):
    (tmp_path / "model").write_bytes(block)
    loaded = tagpool.load(tmp_path / "model")
    loaded.partial_fit(Corpus.from_lists(word=[["Nile", "floods", "qwertz"]] * 9, label=[["B-LOC", "O", "B-NEW"]] * 9))
    names = feature_names(loaded)
    assert set(feature_names(crf)) < set(names)
    assert "gazetteer(places)[0]=rivers/U" in names
    assert loaded.predict([["Nile", "floods", "qwertz"]]) == [["B-LOC", "O", "B-NEW"]]
    assert agreement(loaded, crf, corpus) > 0.85
    loaded.save(tmp_path / "further")
    assert tagpool.load(tmp_path / "further").labels_ == (*crf.labels_, "B-NEW")


def test_the_safetensors_package_reads_it(crf, block, tmp_path):
    (tmp_path / "model").write_bytes(block)
    with safetensors.safe_open(tmp_path / "model", "numpy") as file:
        assert file.metadata()["format"] == "tagpool"
        assert json.loads(file.metadata()["labels"]) == list(crf.labels_)
        weights = file.get_tensor("features.weights")
        assert weights.dtype == np.float32
        assert weights.any()
        assert file.get_tensor("edges").shape == (len(crf.labels_) + 2, len(crf.labels_))


def test_hashes_follow_from_names(crf):
    """A file stores the name of a feature; its hash follows from the name."""
    names = feature_names(crf)
    native = crf._encoder.fitted_native
    assert np.array_equal(crf._model.keys_of(names), native.keys())
    assert any("|" in name for name in names)


@given(st.integers(0, 2**32 - 1), st.sampled_from([1, 2, 3, 4, 5, 9, 300]), st.floats(0.02, 1), st.integers(1, 30))
@settings(max_examples=60, deadline=None)
def test_every_feature_has_its_weights_also_if_they_are_shared(seed, labels, density, kinds):
    random = np.random.default_rng(seed)
    stored = np.where(random.random((kinds, labels)) < density, random.normal(size=(kinds, labels)), 0).astype(np.float32)
    weights = stored[random.integers(0, kinds, 40)]
    supplied = tagpool._native.GivenFeatures()
    supplied.fit([[[str(number)] for number in range(len(weights))]], 1)
    features, of = np.nonzero(weights)
    model = tagpool._native.Model.from_given(
        supplied,
        [f"label {number}" for number in range(labels)],
        features.astype(np.uint32),
        of.astype(np.uint16),
        weights[features, of],
        np.zeros(0, np.float32),
    )
    for item in (model, tagpool._native.Model.read(model.write({}, {}, False))):
        result = item.weights_of([str(number) for number in range(len(weights))])
        assert result.tobytes() == weights.tobytes()
        assert item.feature_count == weights.any(axis=1).sum()
        assert item.weight_count >= np.count_nonzero(weights)
    distinct = {row.tobytes() for row in weights if row.any()}
    assert len(model.array("features.weights")) <= 4 * (len(distinct) * labels + labels + 7)


def test_names_with_special_characters():
    words = [["a|b", "\\", "c=d", "|", "a\\|b", "="], ["x", "y|", "=|=", "\\\\", "b", "a"]]
    corpus = Corpus.from_lists(word=words, label=[list("ABABAB")] * 2)
    crf = tagpool.CRF("word[0]\nword[-1] & word[0]\nsame: word[0]\nsame: word[0] & word[1]").fit(corpus)
    assert np.array_equal(crf._model.keys_of(feature_names(crf)), crf._encoder.fitted_native.keys())


def test_smaller_files(crf, corpus, tmp_path):
    sizes = {}
    for name, options in {"whole": {}, "small": {"size": "small"}, "bare": {"names": False}}.items():
        crf.save(tmp_path / name, **options)
        sizes[name] = (tmp_path / name).stat().st_size
        assert agreement(tagpool.load(tmp_path / name), crf, corpus) > 0.995
    assert all(sizes[name] < sizes["whole"] for name in ("small", "bare"))
    bare = tagpool.load(tmp_path / "bare")
    with pytest.raises(tagpool.InputError, match="without names"):
        bare.partial_fit(corpus)
    bare.save(tmp_path / "small and bare", size="small")  # pruning needs names; half precision does not
    assert agreement(tagpool.load(tmp_path / "small and bare"), crf, corpus) > 0.995


@given(st.lists(st.floats(-70000, 70000, width=32), min_size=1, max_size=50))
@settings(max_examples=40)
def test_half_precision_rounds_as_numpy_does(values):
    weights = np.array(values, np.float32)
    model = tagpool._native.Model.of_encoded(
        len(weights),
        ["a"],
        np.arange(len(weights), dtype=np.uint32),
        np.zeros(len(weights), np.uint16),
        weights,
        np.zeros(0, np.float32),
    )
    stored = tagpool._native.Model.read(model.write({}, {}, True)).array("features.weights")
    limit = np.finfo(np.float16).max
    retained = np.clip(weights[weights != 0], -limit, limit).astype(np.float16)
    assert np.frombuffer(stored, np.float16)[: len(retained)].tobytes() == retained.tobytes()


@given(cut=st.booleans(), where=st.floats(0, 1, exclude_max=True), by=st.integers(1, 255))
@settings(max_examples=150, deadline=None)
def test_damage_is_noticed(block, cut, where, by, tmp_path_factory):
    path = tmp_path_factory.mktemp("damaged") / "model"
    place = int(where * len(block))
    path.write_bytes(block[:place] if cut else block[:place] + bytes([block[place] ^ by]) + block[place + 1 :])
    with pytest.raises(tagpool.ModelError) as caught:
        tagpool.load(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"version":"2"', '"version":"99"', "newer tagpool"),
        ('"version":"2"', '"version":"1"', "older tagpool"),
        ('"format":"tagpool"', '"format":"other"', "not a tagpool model"),
        ('"kind":"crf"', '"kind":"oracle"', "unknown kind .oracle."),
        ('\\"B-', '\\"X\\",\\"B-', "damaged model"),
        ('"features.weights"', '"features.weighty"', "is missing"),
        ('"dtype":"F32"', '"dtype":"U32"', "has type U32, expected F32"),
        ('\\"capacity\\":', '\\"capacity\\":9', "more than its capacity"),
        ('\\"capacity\\":', '\\"hash_size\\":99,\\"capacity\\":', "hash_size, which was removed; train it again"),
        ('"blocks":"[', '"blocks":"[9', "damaged model"),
        ('\\"shape\\"', '\\"shapely\\"', "shapely"),
    ],
)
def test_files_that_were_tampered_with(block, old, new, message, tmp_path):
    (tmp_path / "model").write_bytes(resigned(block, old, new))
    with pytest.raises(tagpool.ModelError, match=message):
        tagpool.load(tmp_path / "model")


@given(where=st.floats(0, 1, exclude_max=True), digit=st.sampled_from("0123456789"))
@settings(max_examples=300, deadline=None)
def test_any_header_with_a_fitting_checksum_fails_or_tags(block, where, digit, tmp_path_factory):
    """Digits of the header changed at random: never a crash."""
    length = int.from_bytes(block[:8], "little")
    header = block[8 : 8 + length].decode()
    digits = [i for i, c in enumerate(header) if c.isdigit() and i > header.index("format")]
    place = digits[int(where * len(digits))]
    changed = header[:place] + digit + header[place + 1 :]
    path = tmp_path_factory.mktemp("tampered") / "model"
    path.write_bytes(resigned(block, header, changed))
    with contextlib.suppress(tagpool.InputError):
        tagpool.load(path).predict([["Ann", "moved", "to", "New", "York"]])


def test_files_that_are_not_models(tmp_path):
    def message(data: bytes | None) -> str:
        path = tmp_path / "file"
        if data is not None:
            path.write_bytes(data)
        with pytest.raises(tagpool.ModelError) as caught:
            tagpool.load(path if data is not None else tmp_path / "nowhere")
        return str(caught.value)

    assert "there is no such file" in message(None)
    assert "the file is empty" in message(b"")
    assert "not in the safetensors format" in message(b"Ann B-PER\nleft O\n" * 3)
    assert "too short" in message(b"abc")
    assert "expected a tagpool model" in message(safetensors.numpy.save({"x": np.zeros(3, np.float32)}))
    with pytest.raises(tagpool.ModelError, match="folder"):
        tagpool.load(tmp_path)


def test_a_failed_save_leaves_no_partial_file(crf, tmp_path):
    with pytest.raises(tagpool.OutputError):
        crf.save(tmp_path / "missing" / "model")
    (tmp_path / "model").write_bytes(b"before")
    with pytest.raises(tagpool.InputError, match="size='tiny': expected 'full' or 'small'"):
        crf.save(tmp_path / "model", size="tiny")
    assert (tmp_path / "model").read_bytes() == b"before"
    assert [path.name for path in tmp_path.iterdir()] == ["model"]
    if Path("/dev/full").exists():
        with pytest.raises(tagpool.OutputError, match="No space left"):
            crf.save("/dev/full")


def test_an_unfitted_expert_cannot_be_saved(tmp_path):
    with pytest.raises(tagpool.NotFittedError):
        tagpool.CRF().save(tmp_path / "model")
    assert not list(tmp_path.iterdir())


def test_copies(crf, corpus):
    expected = crf.predict(corpus)
    for copied in (pickle.loads(pickle.dumps(crf)), copy.deepcopy(crf), copy.copy(crf)):
        assert copied.predict(corpus) == expected
        assert copied.get_params()["trainer__epochs"] == 3
    assert not pickle.loads(pickle.dumps(tagpool.CRF(l2=3.0))).is_fitted


def test_the_same_seed_gives_the_same_bytes(corpus):
    def trained(threads: int) -> bytes:
        return to_bytes(tagpool.CRF("ner", trainer=tagpool.SGD(epochs=2), seed=5, threads=threads).fit(corpus))

    first = trained(1)
    assert trained(1) == first
    other = tagpool.CRF("ner", trainer=tagpool.SGD(epochs=2), seed=6).fit(corpus)
    assert to_bytes(other) != first
    # The number of threads is a stored parameter; the weights are the same.
    assert tagpool._native.Model.read(trained(3)).array("features.weights") == tagpool._native.Model.read(first).array(
        "features.weights"
    )


def test_threads_share_a_model(crf, corpus):
    expected = crf.predict(corpus)
    with ThreadPoolExecutor(4) as pool:
        assert all(result == expected for result in pool.map(lambda _: crf.predict(corpus), range(12)))
    threaded = copy.deepcopy(crf).set_params(threads=3)
    assert threaded.predict(corpus) == expected


def test_tagging_imports_few_modules(crf, tmp_path):
    crf.save(tmp_path / "model")
    code = (
        "import sys, tagpool; before = set(sys.modules)\n"
        f"print(tagpool.load({str(tmp_path / 'model')!r}).predict([['Ann', 'moved']]))\n"
        f"heavy = {HEAVY!r}\n"
        "print(sorted(heavy & (set(sys.modules) - before)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_an_iterator_of_sentences_is_tagged_from_its_first() -> None:
    corpus = tagpool.builtin_corpus(30)
    crf = tagpool.CRF("word[0]").fit(corpus)
    assert crf.predict(iter(corpus.words)) == crf.predict(corpus.words)
    supplied = [[[f"w={word}"] for word in words] for words in corpus.words]
    crf = tagpool.CRF().fit(supplied, corpus.labels)
    assert crf.predict(iter(supplied)) == crf.predict(supplied)
