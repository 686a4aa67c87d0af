"""Pickle and joblib files written by published versions of sklearn-crfsuite."""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import subprocess
import sys
import time
import zlib
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from compat.downloads import FILES, download
from hypothesis import given, settings
from hypothesis import strategies as st

from tagpool.compat.pycrfsuite import Trainer
from tagpool.compat.pycrfsuite.log import TrainLogParser
from tagpool.compat.sklearn_crfsuite import CRF, load
from tagpool.errors import InputError, ModelError, NotFittedError

# Wheels of pure Python are imported as they are.
WHEELS = {
    "0.3": (
        f"{FILES}/34/74/a47b32eed56b0163d2d9a6e99b806baa8448367ba4f825b9f2305cb60f51/sklearn_crfsuite-0.3-py2.py3-none-any.whl",
        "eb251e2ae6897e501f1bb9859418c54c30ce73237658ba67f5616d430d6a3418",
    ),
    "0.3.6": (
        f"{FILES}/25/74/5b7befa513482e6dee1f3dd68171a6c9dfc14c0eaa00f885ffeba54fe9b0/sklearn_crfsuite-0.3.6-py2.py3-none-any.whl",
        "6e9a42bc3de96941d5f7262335130955b8c380b1356147622368f385075705d9",
    ),
    "0.4.0": (
        f"{FILES}/d1/18/aadd618ea86cc75d50bd79bf4ba933b0937f457ff035e4220ae5175021d4/sklearn_crfsuite-0.4.0-py2.py3-none-any.whl",
        "29952c49c53213c7468743bd1ae8e908f858965c7bfc68a6512b580abde75d18",
    ),
    "0.5.0": (
        f"{FILES}/b2/11/a8370dd6fce65f8f4e74a0adffae72be9db5799d8ed8ddbf84415356a764/sklearn_crfsuite-0.5.0-py2.py3-none-any.whl",
        "9cb7a881969b6426d28ada69ada7eff4c789a3c508eafc32d39c0d078ce3bebc",
    ),
}
SIX = (
    f"{FILES}/b7/ce/149a00dd41f10bc29e5921b496af8b574d8413afcd5e30dfa0ed46c2cc5e/six-1.17.0-py2.py3-none-any.whl",
    "4721f391ed90541fddacab5acf947aa0d3dc7d27b2e1e8eda2be8970586c3274",
)
COMPRESSIONS = ("zlib", "gzip", "bz2", "lzma", "xz")
SENTENCES = [[{"w": "the", "t": True}, {"w": "dog", "n": 0.5}], [{"w": "a"}, {"w": "cat"}, {"w": "x"}]] * 4
LABELS = [["D", "N"], ["D", "N", "X"]] * 4

# The search of the tutorial leaves numbers of NumPy in the parameters.
WRITE = f"""
import json, pickle, sys
from pathlib import Path
import joblib, numpy, sklearn_crfsuite
from sklearn_crfsuite.trainer import LinePerIterationTrainer
folder = Path(sys.argv[1])
X, y = {SENTENCES!r}, {LABELS!r}
crf = sklearn_crfsuite.CRF(
    algorithm=numpy.str_("lbfgs"), c1=numpy.float64(0.125), c2=numpy.float32(0.25), max_iterations=numpy.int64(20),
    all_possible_transitions=numpy.bool_(True), trainer_cls=LinePerIterationTrainer,
)
crf.fit(X, y, X[:2], y[:2])
for protocol in range(6):
    (folder / f"protocol{{protocol}}").write_bytes(pickle.dumps(crf, protocol=protocol))
joblib.dump(crf, folder / "joblib")
for name in {COMPRESSIONS!r}:
    joblib.dump(crf, folder / name, compress=(name, 3))
(folder / "unfitted").write_bytes(pickle.dumps(sklearn_crfsuite.CRF("ap", c2=0.5)))
named = sklearn_crfsuite.CRF(model_filename=str(folder / "model.crfsuite")).fit(X, y)
(folder / "named").write_bytes(pickle.dumps(named))
print(json.dumps([[list(map(str, item)) for item in crf.predict(X)], crf.predict_marginals_single(X[0]), crf.training_log_.log]))
"""


@pytest.fixture(scope="module", params=WHEELS)
def files(request: Any, tmp_path_factory: Any) -> tuple[Path, Any]:
    """Return a folder of files that a version has written, and the results of its CRF."""
    cache = request.config.cache.mkdir("wheels")
    paths = [str(download(*source, cache)) for source in (WHEELS[request.param], SIX)]
    folder = tmp_path_factory.mktemp("pickles")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
    done = subprocess.run(
        [sys.executable, "-c", WRITE, str(folder)], capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode == 0, done.stderr
    return folder, json.loads(done.stdout)


@pytest.mark.parametrize("name", [*(f"protocol{number}" for number in range(6)), "joblib", *COMPRESSIONS])
def test_a_file_of_theirs_has_their_results(files: Any, name: str) -> None:
    folder, (labels, marginals, messages) = files
    crf = load(folder / name)
    assert [list(item) for item in crf.predict(SENTENCES)] == labels
    for mine, their in zip(crf.predict_marginals_single(SENTENCES[0]), marginals, strict=True):
        assert mine == pytest.approx(their, abs=1e-9)
    parameters = {key: value for key, value in crf.get_params().items() if value is not None}
    assert parameters.pop("trainer_cls").__module__ == "tagpool.compat.sklearn_crfsuite.trainer"
    assert parameters == {
        "algorithm": "lbfgs",
        "c1": 0.125,
        "c2": 0.25,
        "max_iterations": 20,
        "all_possible_transitions": True,
        "verbose": False,
        "keep_tempfiles": False,
    }
    assert crf.training_log_ is not None
    assert crf.training_log_.log == messages
    assert crf.training_log_.last_iteration is not None
    assert crf.training_log_.last_iteration["item_accuracy"] == Fraction(1)
    assert crf.training_log_.last_iteration["scores"]["X"].ref == 1
    assert crf.fit(SENTENCES, LABELS).score(SENTENCES, LABELS) == 1.0


def test_a_crf_without_a_model(files: Any) -> None:
    crf = load(files[0] / "unfitted")
    assert (crf.algorithm, crf.c2, crf.tagger_) == ("ap", 0.5, None)


def test_a_path_in_a_file_is_not_opened(files: Any) -> None:
    folder = files[0]
    with pytest.raises(InputError, match=r"the model is in another file, .*model\.crfsuite; load\(path, model_filename=...\)"):
        load(folder / "named")
    crf = load(folder / "named", model_filename=str(folder / "model.crfsuite"))
    assert crf.score(SENTENCES, LABELS) == 1.0


@pytest.mark.parametrize("names", [("protocol0", "protocol4", "joblib", "zlib")])
def test_redirected_imports_load_files_of_theirs(files: Any, names: tuple[str, ...]) -> None:
    folder, (labels, _, messages) = files
    code = f"""
import sys, json
import tagpool.compat
tagpool.compat.install()
import joblib
for name in {names!r}:
    crf = joblib.load(sys.argv[1] + "/" + name)
    assert type(crf).__module__ == "tagpool.compat.sklearn_crfsuite.estimator", type(crf)
    assert [list(item) for item in crf.predict({SENTENCES!r})] == {labels!r}
    assert crf.training_log_.log == {messages!r}
    assert crf.c1 == 0.125 and crf.model_filename is None
named = joblib.load(sys.argv[1] + "/named")
assert named.score({SENTENCES!r}, {LABELS!r}) == 1.0
"""
    done = subprocess.run([sys.executable, "-c", code, str(folder)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def fitted(**parameters: Any) -> CRF:
    return CRF(max_iterations=5, **parameters).fit(SENTENCES, LABELS, SENTENCES[:2], LABELS[:2])


def test_files_of_ours_load_as_well(tmp_path: Path) -> None:
    crf = fitted(trainer_cls=Trainer)
    for protocol in range(6):
        (tmp_path / "ours").write_bytes(pickle.dumps(crf, protocol=protocol))
        again = load(tmp_path / "ours")
        assert again.state_features_ == crf.state_features_
        assert again.get_params() == crf.get_params()
        assert again.training_log_ is not None
        assert crf.training_log_ is not None
        assert vars(again.training_log_) == vars(crf.training_log_)


class Harmful:
    """An object whose pickle calls a function."""

    def __init__(self, function: Any, *arguments: Any) -> None:
        self.call = function, arguments

    def __reduce__(self) -> Any:
        return self.call


@pytest.mark.parametrize("function", [os.system, os.mkdir, eval, time.sleep, pickle.loads, getattr])
def test_no_function_of_a_file_is_called(tmp_path: Path, function: Any) -> None:
    target = tmp_path / "created"
    arguments = {os.system: f"touch {target}", os.mkdir: str(target), eval: f"open({str(target)!r}, 'w')", time.sleep: 1000}
    crf = fitted()
    crf.c1 = Harmful(function, arguments.get(function, b""))
    for content in (crf, crf.c1):
        (tmp_path / "file").write_bytes(pickle.dumps(content))
        with pytest.raises(ModelError, match=r"file: the file names .*call tagpool\.compat\.install\(\)"):
            load(tmp_path / "file")
    assert not target.exists()


def test_a_record_changes_no_class(tmp_path: Path) -> None:
    """BUILD with a state of slots sets attributes of a class that the file names."""
    path = tmp_path / "file"
    path.write_bytes(b"\x80\x04cpycrfsuite._logparser\nTrainLogParser\nN}X\x04\x00\x00\x00feedNs\x86b.")
    with pytest.raises(ModelError):
        load(path)
    assert callable(TrainLogParser.feed)


def test_damaged_files_are_errors(tmp_path: Path) -> None:
    path = tmp_path / "file"
    for content, message in (
        (b"", "damaged, or not a pickle"),
        (pickle.dumps({"a": 1}), "not a CRF of sklearn-crfsuite"),
        (pickle.dumps(CRF)[:-20], "damaged"),
        (b"\x78\x9cnothing", "damaged"),
        (b"BZh9nothing", "damaged"),
        (zlib.compress(bytes(70 << 20)), "expands to more than"),
        (zlib.compress(pickle.dumps(fitted()))[:-9], "the file ends early"),
        (b"\x80\x04\x8e" + (1 << 60).to_bytes(8, "little") + b".", "damaged, or not a pickle"),
        (pickle.dumps(fitted()).replace(b"lCRF", b"xxxx"), None),
    ):
        path.write_bytes(content)
        with pytest.raises(ModelError, match=message):
            load(path).predict(SENTENCES)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_a_changed_file_loads_or_is_an_error(tmp_path_factory: Any, data: Any) -> None:
    content = bytearray(pickle.dumps(CHANGED, protocol=data.draw(st.integers(0, 5))))
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.getbasetemp() / "changed"
    path.write_bytes(content)
    with contextlib.suppress(ModelError, InputError, OSError, NotFittedError):
        load(path).predict(SENTENCES)


CHANGED = fitted()
