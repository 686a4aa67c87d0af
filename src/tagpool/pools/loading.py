"""Loading of models of every kind. A start-up file: pools are imported only for their files."""

from __future__ import annotations

from tagpool import _native
from tagpool.errors import ModelError
from tagpool.experts.loading import load_tagger
from tagpool.lazy import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tagpool.experts.tagger import Tagger
    from tagpool.pools.pool import Pool
    from tagpool.pools.votes.pool import VotePool

_POOLS = ("opinion-pool", "bagging-pool", "two-stage")
_VOTES = "vote-pool"
_REMOVED = {"feature-bagging": "BaggingPool", "path-pool": "VotePool"}  # kinds before 1.0, and what replaces them


def load(path: str | Path) -> Tagger | Pool | VotePool:
    """Load a tagger or a pool from a model file.

    >>> import tempfile
    >>> from tagpool import CRF, Corpus
    >>> crf = CRF("word[0]").fit(Corpus.from_lists(word=[["Ann", "left"]], label=[["PER", "O"]]))
    >>> path = tempfile.mkdtemp() + "/tiny.tagpool"
    >>> crf.save(path)
    >>> load(path).predict([["Ann", "left"]])
    [['PER', 'O']]
    """
    kind = _native.text_of_file(str(path), "kind")
    if kind in _REMOVED:
        raise ModelError(f"an older tagpool wrote this {kind}; train a {_REMOVED[kind]} again", source=path)
    if kind not in (*_POOLS, _VOTES):
        expert = load_tagger(path)
        if expert._fitted().text("alpha") is None:
            return expert
        from tagpool.pools.elitist.pool import ElitistPool

        return ElitistPool.of_model(expert, path)
    try:
        container = _native.Container.open(str(path))
    except _native.InputFault as fault:
        raise ModelError(str(fault.args[0]), source=path) from None
    if kind == _VOTES:
        from tagpool.pools.votes.files import restore
        from tagpool.pools.votes.pool import VotePool

        votes = VotePool()
        restore(votes, container, path)
        return votes
    from tagpool.pools.pool_reader import read_pool

    return read_pool(container, path)
