"""Limit on memory for work with a model from a file: four times its size and 64 MB, also where little text names much.

A hostile file may have tens of thousands of labels, and features that share their weights, so that tables of them are far
larger than the file. Such tables are estimated before they are built. Models that were trained in this process have no limit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tagpool.errors import ModelError

if TYPE_CHECKING:
    from tagpool.experts.tagger import Tagger

_TIMES, _SPARE = 3, 40 << 20  # the model itself takes up to the rest


def demand_memory(tagger: Tagger, needed: float, what: str, advice: str) -> None:
    """Raise a ModelError if work with a tagger needs more bytes than a file of its size may take.

    >>> from tagpool import CRF, Corpus
    >>> demand_memory(CRF("word[0]").fit(Corpus.from_lists(word=[["a", "b"]], label=[["A", "B"]])), 1e12, "the list", "use less")
    """
    if tagger._encoder is not None:
        return
    size = sum(tagger._fitted().sizes().values())
    if needed > _TIMES * size + _SPARE:
        raise ModelError(f"{what} would take {needed / 1e6:,.0f} MB, more than a model file of this size may take; {advice}")
