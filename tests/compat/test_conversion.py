"""Models from one tool's files to another's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from compat.models import files, sentences
from hypothesis import assume, given, settings
from oracles.crfsuite import written

from tagpool import CRF, _native, builtin_corpus
from tagpool.compat import pycrfsuite
from tagpool.compat.conversion import ChainWeights, from_crfsuite, from_expert, from_text_model
from tagpool.compat.wapiti.text_models import parse_wapiti_model
from tagpool.errors import InputError


def tagger_of(model: bytes) -> pycrfsuite.Tagger:
    tagger = pycrfsuite.Tagger()
    tagger.open_inmemory(model)
    return tagger


@settings(max_examples=30)
@given(files(), sentences)
def test_to_ours_and_back(model: bytes, sentence: Any) -> None:
    """Weights are the same but for their precision, and so are probabilities."""
    weights = from_crfsuite(_native.CrfsuiteTagger.read(model))
    assume(len(weights.labels) > 1)
    expert = weights.to_expert("CRFsuite")
    tagger = tagger_of(model)
    tagger.set(sentence)
    for mine, their in zip(expert.predict_marginals([sentence])[0], tagger.marginals(), strict=True):
        assert list(mine) == pytest.approx(list(their.values()), abs=1e-4)
    back = from_expert(expert)
    assert (back.labels, sorted(back.attributes)) == (weights.labels, sorted(weights.attributes))
    assert not back.has_end_weights
    again, before = tagger_of(back.to_crfsuite()).info(), tagger.info()
    for result, expected in ((again.state_features, before.state_features), (again.transitions, before.transitions)):
        for pair in set(result) | set(expected):  # what is too small for single precision is zero, and not kept
            assert result.get(pair, 0.0) == pytest.approx(expected.get(pair, 0.0), rel=1e-6, abs=1e-30)


def test_to_wapiti_and_back() -> None:
    model = written(["A", "B", "é"], ["x", "word=Ann", "ü"], [0.25, -1.0, 0.0] * 3, [0.1, 0.0, -0.3] * 3)
    text = from_crfsuite(_native.CrfsuiteTagger.read(model)).to_wapiti()
    result = parse_wapiti_model(text)
    assert from_text_model(result).to_crfsuite() == model
    rows = [["x", "ü"], ["word=Ann"], ["x", "unknown"]]
    observed = [["b", *(f"u:{name}" for name in row)] for row in rows]
    assert result.tag([observed]) == [tagger_of(model).tag(rows)]
    with pytest.raises(InputError, match="'a b': expected labels and attributes without blanks"):
        from_crfsuite(_native.CrfsuiteTagger.read(written(["A"], ["a b"], [1.0], [0.0]))).to_wapiti()


def test_observations_of_a_model_without_patterns_stay_apart() -> None:
    text = "#mdl#2#2\n#rdr#0/0/0\n#qrk#2\n1:A,\n1:B,\n#qrk#2\n4:udog,\n6:u:udog,\n1=0x1p+0\n2=0x1p+1\n"
    weights = from_text_model(parse_wapiti_model(text))
    assert weights.attributes == ["udog", "u:udog"]
    assert tagger_of(weights.to_crfsuite()).tag([["udog"], ["u:udog"]]) == ["B", "A"]


def test_patterns_give_the_attributes_of_a_converted_model() -> None:
    text = "#mdl#2#2\n#rdr#2/0/0\n8:u%x[0,0],\n1:b,\n#qrk#2\n1:A,\n1:B,\n#qrk#2\n4:udog,\n1:b,\n1=0x1p+0\n4=-0x1p+1\n"
    model = parse_wapiti_model(text)
    weights = from_text_model(model)
    assert weights.transitions.tolist() == [[0.0, 0.0], [-2.0, 0.0]]
    tagger = tagger_of(weights.to_crfsuite())
    assert tagger.tag([["udog"], ["ucat"]]) == model.tag([[["dog"], ["cat"]]])[0] == ["B", "B"]
    with pytest.raises(InputError, match="transitions that depend on observations, such as 'bdog'"):
        from_text_model(
            parse_wapiti_model(text.replace("1:b,\n#qrk#2\n1:A", "8:b%x[0,0],\n#qrk#2\n1:A").replace("1:b,", "4:bdog,"))
        )


def test_what_ours_has_beyond_is_told() -> None:
    corpus = builtin_corpus(60)
    expert = CRF("word[0]").fit(corpus)
    weights = from_expert(expert)
    assert weights.has_end_weights
    assert "word[0]=the" in weights.attributes
    count = len(weights.labels)
    again = weights.to_expert("tagpool")
    assert np.allclose(again._fitted().edges(), expert._fitted().edges())
    assert len(weights.start) == len(weights.end) == count
    with pytest.raises(InputError, match="without transition features"):
        from_expert(CRF("word[0]\nlabel[-1] & word[0]").fit(corpus))


def test_bytes_that_are_no_text_are_kept() -> None:
    model = written([b"A", b"\xfe"], [b"\xff", "é".encode()], [0.0, 1.0, 2.0, 0.0], [0.0] * 4)
    weights = from_crfsuite(_native.CrfsuiteTagger.read(model))
    assert weights.to_crfsuite() == model
    assert from_text_model(parse_wapiti_model(weights.to_wapiti())).to_crfsuite() == model
    with pytest.raises(InputError, match="expected UTF-8, which"):
        weights.to_expert("CRFsuite")


@pytest.mark.parametrize(("first", "second", "expected"), [(1, 0, [2.0, 1.0]), (1, 1, [3.0])])
def test_weights_of_a_crfsuite_file_in_any_order(first: int, second: int, expected: list[float]) -> None:
    block = bytearray(written(["A", "B"], ["x"], [1.0, 2.0], [0.0] * 4))
    labels = (
        48 + 12 + 8,
        48 + 12 + 20 + 8,
    )  # after the headers of the file and of the chunk; a weight has 20 bytes, with its label in the middle
    block[labels[0]], block[labels[1]] = first, second
    tagger = pycrfsuite.Tagger()
    tagger.open_inmemory(bytes(block))
    weights = from_crfsuite(tagger._opened())
    assert weights.pair_weights.tolist() == expected
    assert weights.to_expert("CRFsuite").predict([[["x"]]]) == [tagger.tag([["x"]])]
    again = _native.CrfsuiteTagger.read(weights.to_crfsuite())
    assert again.tag([["x"]]) == tagger.tag([["x"]])


@pytest.mark.parametrize(("state", "transition"), [(1e300, 0.0), (0.0, -1e300)])
def test_weights_beyond_single_precision_are_refused(state: float, transition: float) -> None:
    weights = from_crfsuite(_native.CrfsuiteTagger.read(written(["A"], ["x"], [state], [transition])))
    with pytest.raises(InputError, match="a weight of magnitude 1e\\+300 exceeds single precision"):
        weights.to_expert("CRFsuite")


def test_equal_names_of_attributes_are_refused() -> None:
    weights = ChainWeights(
        ["A", "B"], ["x", "y", "x"], np.array([0, 2], np.uint32), np.array([0, 1], np.uint16), np.ones(2), np.zeros((2, 2))
    )
    with pytest.raises(InputError, match="two attributes with the name 'x'"):
        weights.to_expert("CRFsuite")
