"""Features that are numbered in slices of a corpus have the numbers, counts and names of the whole corpus."""

from __future__ import annotations

import itertools
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagpool import CRF, Corpus, Encoder, InputError, _native, builtin_corpus, load, load_templates
from tagpool.features.compiler import Compiler
from tagpool.features.encoder import load_resources

TEMPLATES = "word[-1..1]\nsuffix(word, 1..3)[0]\nword[-1] & shape(word)[0]\nngrams(word, 2..3)[0]\nbias"
NONE = 2**32 - 1


def native(corpus: Corpus, templates: str, min_count: int) -> _native.Encoder:
    loaded = load_templates(templates)
    resources = load_resources(loaded, {})
    return Compiler(loaded, corpus.columns, resources, corpus.label_column).program(False, True).native(min_count)


def slices(corpus: Corpus, cuts: list[int]) -> list[Corpus]:
    bounds = sorted({0, *(cut % len(corpus) for cut in cuts), len(corpus)})
    return [corpus[a:b] for a, b in itertools.pairwise(bounds)]


def all_ids(encodings: list[_native.Encoding]) -> list[int]:
    return [number for one in encodings for number in one.ids().tolist()]


@settings(max_examples=25, deadline=None)
@given(cuts=st.lists(st.integers(0, 60), max_size=4), min_count=st.sampled_from([1, 2, 5]), size=st.integers(3, 60))
def test_every_cut_numbers_features_as_the_whole(cuts: list[int], min_count: int, size: int) -> None:
    corpus = builtin_corpus(size)
    whole = native(corpus, TEMPLATES, min_count)
    expected = whole.fit(corpus.native)
    # One encoder reads the slices in turn.
    streamed = native(corpus, TEMPLATES, min_count)
    streamed.begin()
    encodings = [streamed.fit_next(one.native) for one in slices(corpus, cuts)]
    ids = streamed.finish()
    assert all_ids([one.renumbered(ids) for one in encodings]) == expected.ids().tolist()
    # Every slice has an own encoder; the dictionaries are merged in order.
    merged = native(corpus, TEMPLATES, min_count)
    merged.begin()
    local = []
    for one in slices(corpus, cuts):
        worker = native(corpus, TEMPLATES, 1)
        worker.begin()
        encoding = worker.fit_next(one.native)
        local.append(encoding.renumbered(merged.merge(worker.state())))
    ids = merged.finish()
    assert all_ids([one.renumbered(ids) for one in local]) == expected.ids().tolist()
    for one in (streamed, merged):
        assert one.keys().tolist() == whole.keys().tolist()
        assert one.counts().tolist() == whole.counts().tolist()
        assert one.template_numbers().tolist() == whole.template_numbers().tolist()
        assert one.names() == whole.names()


def test_finish_tells_the_removed_features() -> None:
    encoder = native(corpus := Corpus.from_lists(word=[["a", "b", "a"]]), "word[0]", 2)
    encoder.begin()
    encoder.fit_next(corpus.native)
    assert encoder.finish().tolist() == [0, NONE]
    assert encoder.names() == ["word[0]=a"]


def test_a_damaged_dictionary_is_an_error() -> None:
    encoder = native(corpus := Corpus.from_lists(word=[["a", "b"]]), "word[0]", 1)
    encoder.fit(corpus.native)
    state = encoder.state()
    with pytest.raises(_native.InputFault):
        encoder.restore(state[:-1])
    other = native(corpus, "word[0]\nword[1]", 1)
    other.fit(corpus.native)
    with pytest.raises(_native.InputFault, match="template of the dictionary is out of range"):
        encoder.merge(other.state())


def test_a_pickled_encoder_encodes_in_another_process() -> None:
    corpus = builtin_corpus(40)
    encoder = Encoder(TEMPLATES + "\nlabel[-1] & word[0]", history=True, min_count=2)
    encoder.fit(corpus)
    copy: Any = pickle.loads(pickle.dumps(encoder))
    more = builtin_corpus(60)[40:]
    expected, got = encoder.transform(more), copy.transform(more)
    assert got.ids.tolist() == expected.ids.tolist()
    assert expected.history is not None
    assert got.history.ids().tolist() == expected.history.ids().tolist()
    assert (copy.feature_names, copy.history_names, copy.labels_) == (
        encoder.feature_names,
        encoder.history_names,
        encoder.labels_,
    )
    assert np.array_equal(copy.feature_counts, encoder.feature_counts)
    assert copy.template_groups("templates") == encoder.template_groups("templates")
    assert pickle.loads(pickle.dumps(Encoder("word[0]"))).fit(corpus).feature_count > 0


def test_an_encoder_of_a_model_file_is_not_pickled(tmp_path: Any) -> None:
    corpus = builtin_corpus(20)
    CRF("word[0]").fit(corpus).save(tmp_path / "a.tagpool")
    loaded = load(tmp_path / "a.tagpool")
    loaded.partial_fit(corpus)
    with pytest.raises(InputError, match="pickle the model instead"):
        pickle.dumps(loaded._encoder)
