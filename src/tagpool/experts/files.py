"""Model files, the reading side. Like expert.py it imports next to nothing: the file is mapped, and nothing is built."""

from __future__ import annotations

from tagpool import _native
from tagpool.errors import ModelError
from tagpool.experts.crf import CRF
from tagpool.experts.expert import Expert
from tagpool.experts.maxent import MaxEnt
from tagpool.lazy import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_EXPERTS: dict[str, type[Expert]] = {"crf": CRF, "maxent": MaxEnt}


def load_expert(path: str | Path) -> Expert:
    """Loads an expert from a model file."""
    try:
        return _expert(_native.Model.open(str(path)), path)
    except _native.InputFault as fault:
        raise ModelError(str(fault.args[0]), source=path) from None


def read_expert(block: bytes, source: str | Path) -> Expert:
    """An expert from what its file would hold."""
    try:
        return _expert(_native.Model.read(block), source)
    except _native.InputFault as fault:
        raise ModelError(str(fault.args[0]), source=source) from None


def _expert(model: _native.Model, source: str | Path) -> Expert:
    kind = model.text("kind")
    if kind not in _EXPERTS:
        raise ModelError(f"it holds a {kind}, which this version of tagpool does not know; upgrade tagpool", source=source)
    expert = _EXPERTS[kind]()
    expert._model = model
    if model.order != expert.order:
        expert.order = model.order
    return expert
