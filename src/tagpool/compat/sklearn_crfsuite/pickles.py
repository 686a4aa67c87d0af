"""Pickle and joblib files of sklearn-crfsuite, read without executing what they name.

Unpickling creates records in place of all objects. The CRF is then built from their known parts.
"""

from __future__ import annotations

import bz2
import io
import lzma
import os
import pickle
import re
import struct
import zlib
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from tagpool.compat.pycrfsuite.log import LabelScore, TrainLogParser
from tagpool.compat.pycrfsuite.trainer import BaseTrainer, Trainer
from tagpool.compat.sklearn_crfsuite.estimator import CRF
from tagpool.compat.sklearn_crfsuite.trainer import LinePerIterationTrainer
from tagpool.errors import InputError, ModelError
from tagpool.wording import counted

_OURS = "tagpool.compat"
_CRF, _FILE, _LOG, _SCORE, _FRACTION, _SCALAR, _DTYPE = "crf", "file", "log", "score", "fraction", "scalar", "dtype"
_RECONSTRUCTED, _ENCODED, _BYTES, _BASE = "reconstructed", "encoded", "bytes", "base"
_TRAINERS: dict[str, type[BaseTrainer]] = {
    "Trainer": Trainer,
    "BaseTrainer": BaseTrainer,
    "LinePerIterationTrainer": LinePerIterationTrainer,
}
# Names in pickles, and what they stand for. Modules of the standard library have their names of Python 3.
_KNOWN = {
    "sklearn_crfsuite.estimator.CRF": _CRF,
    f"{_OURS}.sklearn_crfsuite.estimator.CRF": _CRF,
    "sklearn_crfsuite._fileresource.FileResource": _FILE,
    "pycrfsuite._logparser.TrainLogParser": _LOG,
    f"{_OURS}.pycrfsuite.log.TrainLogParser": _LOG,
    "pycrfsuite._logparser.LabelScore": _SCORE,
    f"{_OURS}.pycrfsuite.log.LabelScore": _SCORE,
    "fractions.Fraction": _FRACTION,
    "numpy.core.multiarray.scalar": _SCALAR,
    "numpy._core.multiarray.scalar": _SCALAR,
    "numpy.dtype": _DTYPE,
    "_codecs.encode": _ENCODED,
    "copyreg._reconstructor": _RECONSTRUCTED,
    "builtins.bytes": _BYTES,
    "builtins.object": _BASE,
    "builtins.tuple": _BASE,
    **dict.fromkeys(("posix.unlink", "nt.unlink"), "function"),  # 0.3 stores os.unlink; a record is never called
    "pycrfsuite._pycrfsuite.Trainer": "Trainer",
    "pycrfsuite._pycrfsuite.BaseTrainer": "BaseTrainer",
    f"{_OURS}.pycrfsuite.trainer.Trainer": "Trainer",
    f"{_OURS}.pycrfsuite.trainer.BaseTrainer": "BaseTrainer",
    "sklearn_crfsuite.trainer.LinePerIterationTrainer": "LinePerIterationTrainer",
    f"{_OURS}.sklearn_crfsuite.trainer.LinePerIterationTrainer": "LinePerIterationTrainer",
}
_OLD_MODULES = {"copy_reg": "copyreg", "__builtin__": "builtins"}  # in protocols 0 to 2
_FORMATS = {
    f"{kind}{size}": code for kind, codes in (("f", {8: "d", 4: "f", 2: "e"}), ("b", {1: "?"})) for size, code in codes.items()
}
_FORMATS |= {
    f"{kind}{size}": code
    for kind, codes in (("i", "bhiq"), ("u", "BHIQ"))
    for size, code in zip((1, 2, 4, 8), codes, strict=True)
}
_EXPANSION = 32  # times the size of a compressed file, beyond 64 MB, is the limit of its content


class _Record:
    """An object of a pickle: its kind, the arguments of its constructor, and its state."""

    kind: str
    arguments: tuple[Any, ...] = ()
    state: Any = None

    def __new__(cls, *arguments: Any) -> _Record:
        record = super().__new__(cls)
        record.arguments = arguments
        return record

    def __setstate__(self, state: Any) -> None:
        self.__dict__["state"] = state


class _Reader(pickle.Unpickler):
    """Unpickler that creates records."""

    def find_class(self, module: str, name: str) -> Any:
        full = f"{_OLD_MODULES.get(module, module)}.{name}"
        if full not in _KNOWN:
            raise InputError(
                f"the file names {full}, which is no part of a CRF of sklearn-crfsuite; for a file that you trust, call "
                "tagpool.compat.install() and then pickle.load or joblib.load"
            )
        return type("Record", (_Record,), {"kind": _KNOWN[full]})


def load(path: str | os.PathLike[str], *, model_filename: str | None = None) -> CRF:
    """Load a CRF that ``pickle.dump`` or ``joblib.dump`` has written, from sklearn-crfsuite 0.3 to 0.5 or from this module.

    It needs neither sklearn-crfsuite nor joblib, and executes no code of the file. ``model_filename`` replaces the path of a CRF
    whose model is in a file of its own: paths in the pickle are not opened.

    >>> import pickle, tempfile
    >>> crf = CRF(c2=0.1).fit([[["the"], ["dog"]]] * 3, [["D", "N"]] * 3)
    >>> file = Path(tempfile.mkdtemp()) / "crf.pickle"
    >>> _ = file.write_bytes(pickle.dumps(crf))
    >>> load(file).predict_single([["the"], ["dog"]])
    ['D', 'N']
    """
    source = Path(path)
    content = _decompress(source.read_bytes(), source)
    try:
        record = _Reader(io.BytesIO(content), encoding="latin-1").load()  # the encoding is for pickles of Python 2
        crf, model, written_to = _restore_crf(record)
    except InputError as error:
        raise ModelError(str(error), source=source) from None
    except Exception as error:  # anything may be wrong in a damaged pickle
        raise ModelError(f"damaged, or not a pickle of a CRF: {error}", source=source) from None
    if model is None and written_to is not None and model_filename is None:
        raise InputError(f"{path}: the model is in another file, {written_to}; load(path, model_filename=...) says where it is")
    crf.model_filename = model_filename
    crf._model = model if model_filename is None else None
    return crf


def _decompress(content: bytes, source: Path) -> bytes:
    """Return the content of a file that joblib has compressed; any other as it is."""
    limit = len(content) * _EXPANSION + (64 << 20)
    decompressor: Any
    if content[:1] == b"\x78" or content[:2] == b"\x1f\x8b":
        decompressor = zlib.decompressobj(47)  # of both formats
    elif content[:3] == b"BZh":
        decompressor = bz2.BZ2Decompressor()
    elif content[:6] == b"\xfd7zXZ\x00" or content[:3] == b"\x5d\x00\x00":
        decompressor = lzma.LZMADecompressor()
    else:
        return content
    try:
        out: bytes = decompressor.decompress(content, limit)
    except (zlib.error, OSError, lzma.LZMAError) as error:
        raise ModelError(f"damaged: {error}", source=source) from None
    if not decompressor.eof:
        reason = f"it expands to more than {counted(limit, 'byte')}" if len(out) >= limit else "the file ends early"
        raise ModelError(f"damaged: {reason}", source=source)
    return out


def _restore_crf(record: Any) -> tuple[CRF, bytes | None, str | None]:
    """Return a CRF, the bytes of its model, and the path of its model file."""
    record = _expect(record, _CRF)
    state = _dict(record.state)
    parameters = {name: _restore_value(state[name]) for name in CRF().get_params() if name in state}
    path = parameters.pop("model_filename", None)
    crf = CRF(**parameters)
    if state.get("training_log_") is not None:
        crf.training_log_ = _restore_log(_dict(_expect(state["training_log_"], _LOG).state))
    model = state.get("_model")
    if "modelfile" in state:
        file = _dict(_expect(state["modelfile"], _FILE).state)
        model = file.get("__FILE_RESOURCE_DATA__")
        path = file.get("name") or path
    return crf, None if model is None else _restore_bytes(model), None if path is None else str(path)


def _expect(value: Any, kind: str) -> _Record:
    """Return a record of a kind; records of old protocols are wrapped."""
    if isinstance(value, _Record) and value.kind == _RECONSTRUCTED:
        inner = value.arguments[0]()
        inner.arguments, inner.__dict__["state"] = tuple(value.arguments[2] or ()), value.state
        value = inner
    if not isinstance(value, _Record) or value.kind != kind:
        raise InputError("not a CRF of sklearn-crfsuite" if kind == _CRF else f"damaged: expected an object of the kind {kind}")
    return value


def _dict(state: Any) -> Mapping[str, Any]:
    if not isinstance(state, dict):
        raise InputError("damaged: an object has no attributes")
    return state


def _restore_bytes(value: Any) -> bytes:
    """Return bytes; old protocols and Python 2 have them as text."""
    if isinstance(value, _Record):
        if value.kind == _BYTES and not value.arguments:
            return b""
        value = _expect(value, _ENCODED).arguments[0]
    return value if isinstance(value, bytes) else str(value).encode("latin-1")


def _restore_value(value: Any) -> Any:
    """Return a parameter: a plain value, a number of NumPy, or a class of a trainer."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, type) and issubclass(value, _Record) and value.kind in _TRAINERS:
        return _TRAINERS[value.kind]
    kind, content = _expect(value, _SCALAR).arguments
    kind, content = _expect(kind, _DTYPE), _restore_bytes(content)
    name, order = str(kind.arguments[0]), str(kind.state[1])
    if name.startswith("U"):
        return content.decode("utf-32-be" if order == ">" else "utf-32-le").rstrip("\0")
    if name not in _FORMATS:
        raise InputError(f"damaged: a parameter has the unknown type {name}")
    return struct.unpack((">" if order == ">" else "<") + _FORMATS[name], content)[0]


def _restore_log(state: Mapping[str, Any]) -> TrainLogParser:
    log = TrainLogParser()
    for name in vars(log).keys() & state.keys() - {"iterations", "last_iteration"}:
        setattr(log, name, state[name])
    log.iterations = [
        {
            name: {label: _restore_score(score) for label, score in value.items()} if name == "scores" else _restore_number(value)
            for name, value in iteration.items()
        }
        for iteration in state["iterations"]
    ]
    log.last_iteration = log.iterations[-1] if log.iterations else None
    return log


def _restore_score(value: Any) -> LabelScore:
    return LabelScore(*_expect(value, _SCORE).arguments)


def _restore_number(value: Any) -> Any:
    if not isinstance(value, _Record):
        return value
    parts = _expect(value, _FRACTION).arguments
    # A text such as 1e999999999 would take all memory.
    if len(parts) == 1 and not re.fullmatch(r"\d{1,20}(/\d{1,20})?", str(parts[0])):
        raise InputError(f"damaged: {str(parts[0])[:40]!r} is not a fraction")
    return Fraction(*parts)
