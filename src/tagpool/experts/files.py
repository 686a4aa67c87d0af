"""Model files, the reading side. Like expert.py it imports next to nothing: the file is mapped, and nothing is built."""

from __future__ import annotations

from tagpool import _native
from tagpool.errors import ModelError
from tagpool.experts.crf import CRF
from tagpool.experts.expert import Expert
from tagpool.experts.inducing import InducingTagger
from tagpool.experts.maxent import MaxEnt
from tagpool.experts.tagger import Tagger
from tagpool.lazy import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_TAGGERS: dict[str, type[Tagger]] = {"crf": CRF, "maxent": MaxEnt, "inducing": InducingTagger}


def load_tagger(path: str | Path) -> Tagger:
    """Loads a tagger from a model file."""
    kind = _TAGGERS.get(_native.text_of_file(str(path), "kind") or "", Expert)
    try:
        return _tagger(kind.native.open(str(path)), path)
    except _native.InputFault as fault:
        raise ModelError(str(fault.args[0]), source=path) from None


def read_tagger(block: bytes, kind: str | None, source: str | Path) -> Tagger:
    """A tagger of a kind from what its file would hold."""
    try:
        return _tagger(_TAGGERS.get(kind or "", Expert).native.read(block), source)
    except _native.InputFault as fault:
        raise ModelError(str(fault.args[0]), source=source) from None


def _tagger(model: _native.AnyModel, source: str | Path) -> Tagger:
    kind = model.text("kind")
    if kind not in _TAGGERS:
        raise ModelError(f"it holds a {kind}, which this version of tagpool does not know; upgrade tagpool", source=source)
    tagger = _TAGGERS[kind]()
    tagger._model = model
    tagger._recall()
    return tagger
