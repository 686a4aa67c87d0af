"""Model files of CRFsuite's that are cut off or damaged: an error, or a reading, and never more than that."""

from __future__ import annotations

import struct
from contextlib import suppress

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from oracles.crfsuite import written

from tagpool.compat import pycrfsuite
from tagpool.errors import InputError, ModelError

MODEL = written(["a", "b", "c"], [f"attribute {n}" for n in range(20)], [0.5, -1.0, 2.0] * 20, [0.1] * 9)


def look_at_everything(model: bytes) -> None:
    tagger = pycrfsuite.Tagger()
    tagger.open_inmemory(model)
    tagger.tag([[f"attribute {n}" for n in range(22)], ["attribute 3"], []])
    tagger.marginals()
    tagger.info()


@given(st.integers(0, len(MODEL) - 1))
@example(0)
@example(47)
@example(48)
def test_a_file_that_is_cut_off_is_refused(length: int) -> None:
    with pytest.raises(ModelError, match=r"cut off|does not begin"):
        look_at_everything(MODEL[:length])


@given(st.lists(st.tuples(st.integers(0, len(MODEL) - 1), st.integers(0, 255)), min_size=1, max_size=8))
def test_a_damaged_file_is_refused_or_read(changes: list[tuple[int, int]]) -> None:
    damaged = bytearray(MODEL)
    for place, value in changes:
        damaged[place] = value
    with suppress(InputError):
        look_at_everything(bytes(damaged))


HEADS = [*range(4, 48), *range(48, 60)]


@given(st.sampled_from(HEADS), st.sampled_from([0, 1, 3, 0x7F, 0x80, 0xFF]))
def test_damage_where_everything_is_led_to(place: int, value: int) -> None:
    """The head says where parts begin: what it says may be anything."""
    damaged = bytearray(MODEL)
    damaged[place] = value
    with suppress(InputError):
        look_at_everything(bytes(damaged))


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_weights_that_are_no_numbers_are_refused(bad: float) -> None:
    model = written(["a", "b"], ["x"], [bad, 1.0], [0.0] * 4)
    tagger = pycrfsuite.Tagger()
    tagger.open_inmemory(model)
    with pytest.raises(ModelError, match="not a finite number"):
        tagger.tag([["x"]])


def test_an_attribute_with_more_weights_than_there_are_labels_is_refused() -> None:
    damaged = bytearray(MODEL)
    head = struct.unpack("<12I", MODEL[:48])
    first = struct.unpack_from("<I", MODEL, head[11] + 12)[0]  # where the numbers of the first attribute's weights are
    assert struct.unpack_from("<I", MODEL, first) == (3,)
    struct.pack_into("<I", damaged, first, 4)
    tagger = pycrfsuite.Tagger()
    tagger.open_inmemory(bytes(damaged))
    with pytest.raises(ModelError, match="more weights than there are labels"):
        tagger.tag([["attribute 0"]])
