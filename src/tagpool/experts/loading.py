"""Model files, the reading side. Like expert.py it imports next to nothing: the file is mapped, and nothing is built."""

from __future__ import annotations

from tagpool import _native
from tagpool.errors import ModelError
from tagpool.experts.inducing.tagger import InducingTagger
from tagpool.experts.linear.crf import CRF
from tagpool.experts.linear.expert import Expert
from tagpool.experts.linear.maxent import MaxEnt
from tagpool.experts.tagger import Tagger
from tagpool.lazy import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tagpool.experts.references import Referred
    from tagpool.features.resources import Origin

_REFERENCES = "resources"
_TAGGERS: dict[str, type[Tagger]] = {"crf": CRF, "maxent": MaxEnt, "inducing": InducingTagger}


def load_tagger(path: str | Path) -> Tagger:
    """Loads a tagger from a model file."""
    kind = _TAGGERS.get(_native.text_of_file(str(path), "kind") or "", Expert)
    referred = _native.text_of_file(str(path), _REFERENCES)
    try:
        if referred is None:
            return _tagger(kind.native.open(str(path)), source=path)
        from tagpool.corpus.files import read_bytes
        from tagpool.experts.references import Referred

        return _tagger(*Referred(path).model(kind.native, read_bytes(path), referred), source=path)
    except _native.InputFault as fault:
        raise ModelError(str(fault.args[0]), source=path) from None


def read_tagger(
    block: bytes, kind: str | None, source: str | Path, references: str | None = None, referred: Referred | None = None
) -> Tagger:
    """A tagger of a kind from what its file would hold; ``references`` are those to resources that it does not hold."""
    native = _TAGGERS.get(kind or "", Expert).native
    try:
        if references is None or referred is None:
            return _tagger(native.read(block), source=source)
        return _tagger(*referred.model(native, block, references), source=source)
    except _native.InputFault as fault:
        raise ModelError(str(fault.args[0]), source=source) from None


def _tagger(
    model: _native.Model | _native.OnlineModel, origins: dict[str, Origin] | None = None, *, source: str | Path
) -> Tagger:
    kind = model.text("kind")
    if kind not in _TAGGERS:
        raise ModelError(f"it holds a {kind}, which this version of tagpool does not know; upgrade tagpool", source=source)
    tagger = _TAGGERS[kind]()
    tagger._model = model
    tagger._origins = origins
    tagger._recall()
    return tagger
