"""Model files of CRFsuite's, read and written: python-crfsuite opens the same files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from compat.models import agree, both, files, items, sentences, texts, trained
from hypothesis import given
from hypothesis import strategies as st
from oracles.crfsuite import written

from tagpool import _native
from tagpool.compat import pycrfsuite
from tagpool.compat.conversion import from_crfsuite
from tagpool.errors import ModelError

LABELS = ["B", "I O", "é"]
labelled = st.lists(
    st.lists(st.tuples(items, st.sampled_from(LABELS)), min_size=1, max_size=5).map(
        lambda pairs: ([item for item, _ in pairs], [label for _, label in pairs])
    ),
    min_size=1,
    max_size=4,
)


@given(files(), sentences)
def test_a_file_we_write_tags_the_same_there(model: bytes, sentence: Any) -> None:
    agree(*both(model), sentence)


@given(labelled, sentences)
def test_a_file_of_theirs_tags_the_same_here(tmp_path_factory: Any, instances: Any, sentence: Any) -> None:
    path = tmp_path_factory.getbasetemp() / "theirs.crfsuite"
    trained(instances, path, max_iterations=5)
    model = path.read_bytes()
    theirs, mine = both(model)
    agree(theirs, mine, sentence)
    assert mine.labels() == theirs.labels()
    # The same inside makes the same file, byte for byte: nothing of the format is left out.
    assert from_crfsuite(_native.CrfsuiteTagger.read(model)).to_crfsuite() == model


@given(st.lists(texts, min_size=1, max_size=300, unique=True))
def test_dictionaries_hold_any_text(names: list[str]) -> None:
    """Each attribute votes for a label of its own, by another way than it is found."""
    model = written(["no", "yes"], names, [0.0, 1.0] * len(names), [0.0] * 4)
    theirs, mine = both(model)
    assert _native.CrfsuiteTagger.read(model).attributes() == names
    assert mine.tag([[name] for name in names]) == ["yes"] * len(names) == theirs.tag([[name] for name in names])


def test_weights_that_are_equal_are_decided_alike() -> None:
    """All scores are equal, then all but some: every tie is CRFsuite's."""
    labels = ["c", "a", "b", "d"]
    for transitions in ([0.0] * 16, [1.0, 1.0, 0.0, 0.0] * 4, [0.5, 0.0] * 8):
        theirs, mine = both(written(labels, ["x", "y"], [1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 2.0, 2.0], transitions))
        for sentence in ([["x"]] * 5, [["x"], ["y"], [], ["x", "y"]], [[]] * 3):
            agree(theirs, mine, sentence)


def test_weights_of_any_size() -> None:
    """Where scores lie far apart, CRFsuite's sums overflow; ours are probabilities still."""
    mine = both(written(["a", "b"], ["x"], [3000.0, -3000.0], [500.0, 0.0, 0.0, -500.0]))[1]
    mine.set([["x"]] * 50)
    assert mine.marginal("a", 20) == pytest.approx(1.0)
    assert sum(mine.marginal(label, 3) for label in mine.labels()) == pytest.approx(1.0)


MODEL = written(["a", "b"], ["x"], [0.5, -1.0], [0.1] * 4)


def test_errors_name_the_file(tmp_path: Path) -> None:
    path = tmp_path / "model.crfsuite"
    path.write_bytes(MODEL[:1000])
    with pytest.raises(ModelError, match=r"model\.crfsuite: cut off: expected \d+ bytes, got 1000"):
        pycrfsuite.Tagger().open(str(path))
    path.write_bytes(b"safe" * 100)
    with pytest.raises(ModelError, match="does not begin with lCRF"):
        pycrfsuite.Tagger().open(str(path))
