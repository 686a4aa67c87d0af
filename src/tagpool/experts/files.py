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


def load(path: str | Path) -> Expert:
    """Loads an expert from a model file.

    >>> import tempfile
    >>> from tagpool import CRF, Corpus
    >>> crf = CRF("word[0]").fit(Corpus.from_lists(word=[["Ann", "left"]], label=[["PER", "O"]]))
    >>> path = tempfile.mkdtemp() + "/tiny.tagpool"
    >>> crf.save(path)
    >>> load(path).predict([["Ann", "left"]])
    [['PER', 'O']]
    """
    try:
        model = _native.Model.open(str(path))
    except _native.InputFault as fault:
        raise ModelError(str(fault.args[0]), source=path) from None
    kind = model.text("kind")
    if kind not in _EXPERTS:
        raise ModelError(f"it holds a {kind}, which this version of tagpool does not know; upgrade tagpool", source=path)
    expert = _EXPERTS[kind]()
    expert._model = model
    return expert
