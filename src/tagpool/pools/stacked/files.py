"""Files of stacked pools. Reading checks everything; inconsistent content is a ModelError."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

import tagpool
from tagpool import _native
from tagpool.corpus.schemes import Scheme
from tagpool.experts.linear.crf import CRF
from tagpool.experts.metadata import DAMAGED, damaged, read_object
from tagpool.experts.model_file import ModelFile
from tagpool.experts.saving import SaveOptions
from tagpool.pools.loading import read
from tagpool.pools.pool_files import check_version
from tagpool.pools.stacked.fitted import FittedStack
from tagpool.pools.stacked.precision import HeldOutSpans
from tagpool.pools.stacked.training import StackSettings
from tagpool.pools.unsupervised.files import read_numbers
from tagpool.pools.unsupervised.pool import UnsupervisedPool
from tagpool.pools.votes.calibration import Calibration

if TYPE_CHECKING:
    from tagpool.pools.stacked.pool import StackedPool

VERSION = 1
_STACK, _UNSUPERVISED = "stack", "unsupervised"
_CALIBRATIONS = ("token_calibration", "span_calibration")


def stack_to_bytes(pool: StackedPool) -> bytes:
    """Return the content of the file of a stacked pool."""
    fitted = pool.fitted
    record = {
        "parameters": pool.get_params(deep=False),
        "experts": fitted.experts,
        "confident": fitted.confident,
        "settings": {"l2": fitted.settings.l2, "virtual": fitted.settings.virtual, "words": fitted.settings.words},
        "scheme": fitted.scheme.value,
        "f1": fitted.f1,
        "missing": fitted.missing,
        "errors": fitted.errors,
    }
    arrays = {"spans.probability": fitted.spans.probability, "spans.correct": fitted.spans.correct.astype(np.float64)}
    _, units = np.unique(fitted.spans.units, return_inverse=True)
    arrays["spans.units"] = units.astype(np.float64)
    for name in _CALIBRATIONS:
        if (calibration := getattr(fitted, name)) is not None:
            arrays |= {f"{name}.confidence": calibration.confidence, f"{name}.rates": calibration.rates}
    blocks = {name: np.ascontiguousarray(array, np.float64).tobytes() for name, array in arrays.items()}
    blocks[_STACK] = fitted.stack.to_bytes(SaveOptions())
    if fitted.unsupervised is not None:
        blocks[_UNSUPERVISED] = fitted.unsupervised.to_bytes()
    texts = {"kind": pool.kind, "version": str(VERSION), "tagpool": tagpool.__version__, "record": json.dumps(record)}
    return _native.Container.write(texts, blocks)


def read_stack(pool_class: type[StackedPool], file: ModelFile) -> Any:
    """Return the pool of a file."""
    try:
        check_version(file.container, VERSION, file.source)
        record = read_object(file.text("record"), "record")
        pool = pool_class(**record["parameters"])
        experts, confident = (_names(record[name]) for name in ("experts", "confident"))
        if not experts or not set(confident) <= set(experts):
            raise ValueError("experts")
        settings = StackSettings(**record["settings"])
        unsupervised = None
        if file.container.array(_UNSUPERVISED) is not None:
            unsupervised = read(file.member(_UNSUPERVISED))
            if not isinstance(unsupervised, UnsupervisedPool) or unsupervised.experts_ != experts:
                raise ValueError("the unsupervised pool has other experts")
        stack = read(file.member(_STACK))
        _check_columns(stack, experts, confident, unsupervised, settings)
        probability, correct = (read_numbers(file, f"spans.{name}", most=1.0) for name in ("probability", "correct"))
        units = read_numbers(file, "spans.units", most=float(len(probability)))
        if not probability.shape == correct.shape == units.shape:
            raise ValueError("spans")
        pool._fitted = FittedStack(
            experts=experts,
            confident=confident,
            stack=stack,
            unsupervised=unsupervised,
            settings=settings,
            scheme=Scheme.of(record["scheme"]),
            f1=float(record["f1"]),
            missing={name: float(record["missing"][name]) for name in experts if name in record["missing"]},
            spans=HeldOutSpans(probability, correct > 0, units.astype(np.int64)),
            errors={name: float(record["errors"][name]) for name in ("tokens", "spans")},
            **{name: _calibration(file, name) for name in _CALIBRATIONS},
        )
    except DAMAGED as error:
        raise damaged(error, "stacked pool", file.source) from None
    return pool


def _names(values: Any) -> tuple[str, ...]:
    names = tuple(values)
    if not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
        raise ValueError("names of experts")
    return names


def _check_columns(stack: Any, experts: Any, confident: Any, unsupervised: UnsupervisedPool | None, settings: Any) -> None:
    """Raise a ValueError if the stack reads other columns than its pool has."""
    if not isinstance(stack, CRF):
        raise ValueError(f"the stack is a {type(stack).__name__}")
    columns = {f"e{number}" for number in range(1, len(experts) + 1)} | {f"c{experts.index(name) + 1}" for name in confident}
    if settings.words:
        columns.add("word")
    if unsupervised is not None:
        columns |= {"u", "ubin"} if unsupervised.fitted.taggers is None else {"u", "ubin", "w", "wbin"}
    if not set(stack.columns) <= {*columns, "votes"}:
        raise ValueError("the stack reads other columns")


def _calibration(file: ModelFile, name: str) -> Calibration | None:
    if file.container.array(f"{name}.confidence") is None:
        return None
    calibration = Calibration(*(read_numbers(file, f"{name}.{part}", most=1.0) for part in ("confidence", "rates")))
    knots = calibration.confidence
    if knots.shape != calibration.rates.shape or not knots.size or (np.diff(knots) < 0).any():
        raise ValueError("calibration")
    return calibration
