"""Loading of models: one registry of the kinds of models. A start-up file: pools are imported only for their files."""

from __future__ import annotations

from tagpool.errors import MemoryFor, ModelError
from tagpool.experts.inducing.tagger import InducingTagger
from tagpool.experts.linear.crf import CRF
from tagpool.experts.linear.maxent import MaxEnt
from tagpool.experts.model_file import ModelFile
from tagpool.lazy import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from typing import Any

    from tagpool.experts.tagger import Tagger
    from tagpool.pools.pool import Pool
    from tagpool.pools.votes.pool import VotePool

_TAGGERS: dict[str, type[Tagger]] = {tagger.kind: tagger for tagger in (CRF, MaxEnt, InducingTagger)}
_ELITIST = "alpha"  # the text that marks the file of an elitist pool, whose kind is that of its experts
_REMOVED = {"feature-bagging": "BaggingPool", "path-pool": "VotePool"}  # kinds before 1.0, and their replacements


def load(path: str | Path, *, mmap: bool = False, resources: Mapping[str, Any] | None = None) -> Tagger | Pool | VotePool:
    """Load a tagger or a pool from a model file.

    The file is checked completely, and may come from a source that is not trusted: loading executes no code of the file and opens
    no other file that it names. It is read into memory; later changes of the file have no effect.

    Args:
        path: The model file.
        mmap: Whether to map the file into memory instead, so that several processes share the memory. The file must then stay
            unchanged: if it is modified in place, labels change; if it is truncated, the process ends (SIGBUS).
        resources: Resources that are not in the file, since it was saved with ``resources=False``: paths or loaded resources by
            their names in the templates, or by their checksums.

    >>> import tempfile
    >>> from tagpool import CRF, Corpus
    >>> crf = CRF("word[0]").fit(Corpus.from_lists(word=[["Ann", "left"]], label=[["PER", "O"]]))
    >>> path = tempfile.mkdtemp() + "/tiny.tagpool"
    >>> crf.save(path)
    >>> load(path).predict([["Ann", "left"]])
    [['PER', 'O']]
    """
    with MemoryFor(f"load {path}"):
        file = ModelFile.open(path, mmap=mmap, resources=resources)
        model: Tagger | Pool | VotePool = read(file)
        file.check_supplied()
        return model


def read(file: ModelFile) -> Any:
    """Return the tagger or pool of a file, or of the part of one that holds a member."""
    try:
        return _class_of(file).from_file(file)
    except ModelError as error:
        if error.source is not None:
            raise
        raise ModelError(error.message, source=file.source) from None


def _class_of(file: ModelFile) -> Any:
    kind = file.text("kind") or ""
    if kind in _TAGGERS and file.text(_ELITIST) is None:
        return _TAGGERS[kind]
    if kind in _REMOVED:
        raise ModelError(f"an older tagpool wrote this {kind}; train a {_REMOVED[kind]} again")
    pools = _pools()
    if kind not in pools:
        raise ModelError(f"unknown kind {kind!r}; upgrade tagpool")
    return pools[kind]


def _pools() -> dict[str, Any]:
    from tagpool.pools.bagging.pool import BaggingPool
    from tagpool.pools.elitist.pool import ElitistPool
    from tagpool.pools.opinion.pool import OpinionPool
    from tagpool.pools.stacked.pool import StackedPool
    from tagpool.pools.two_stage.pool import TwoStageTagger
    from tagpool.pools.unsupervised.pool import UnsupervisedPool
    from tagpool.pools.votes.pool import VotePool

    classes = (BaggingPool, OpinionPool, TwoStageTagger, VotePool, StackedPool, UnsupervisedPool)
    pools: dict[str, Any] = {pool.kind: pool for pool in classes}
    return pools | {CRF.kind: ElitistPool, MaxEnt.kind: ElitistPool}
