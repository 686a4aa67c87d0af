"""Files of pools without gold labels. Reading checks everything; inconsistent content is a ModelError."""

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
from tagpool.pools.unsupervised.fitted import METHODS, FittedBelief
from tagpool.pools.unsupervised.word_taggers import WordTaggers
from tagpool.pools.votes.ballots import FloatArray

if TYPE_CHECKING:
    from tagpool.pools.unsupervised.pool import UnsupervisedPool

VERSION = 1
_MOST_FOLDS = 1000


def unsupervised_to_bytes(pool: UnsupervisedPool) -> bytes:
    """Return the content of the file of a pool."""
    fitted = pool.fitted
    record: dict[str, Any] = {
        "parameters": pool.get_params(deep=False),
        "scheme": fitted.scheme.value,
        "accuracy": fitted.accuracy,
    }
    record |= {name: getattr(fitted, name) for name in ("method", "experts", "labels", "abstaining")}
    taggers = [] if fitted.taggers is None else fitted.taggers.taggers
    record["folds"] = [tagger is not None for tagger in taggers]
    blocks = {f"taggers.{number}": tagger.to_bytes(SaveOptions()) for number, tagger in enumerate(taggers) if tagger is not None}
    for name in ("matrices", "prior"):
        blocks[name] = np.ascontiguousarray(getattr(fitted, name), np.float64).tobytes()
    texts = {"kind": pool.kind, "version": str(VERSION), "tagpool": tagpool.__version__, "record": json.dumps(record)}
    return _native.Container.write(texts, blocks)


def read_unsupervised(pool_class: type[UnsupervisedPool], file: ModelFile) -> Any:
    """Return the pool of a file."""
    try:
        check_version(file.container, VERSION, file.source)
        record = read_object(file.text("record"), "record")
        pool = pool_class(**record["parameters"])
        experts, labels, abstaining = names = [tuple(record[name]) for name in ("experts", "labels", "abstaining")]
        if not all(isinstance(name, str) for group in names for name in group):
            raise ValueError("names")
        if not labels or any(len(set(group)) < len(group) for group in names) or not set(abstaining) <= set(experts):
            raise ValueError("experts and labels")
        if record["method"] not in METHODS[1:] or (abstaining and "O" not in labels):
            raise ValueError("method")
        matrices = read_numbers(file, "matrices", most=1.0).reshape(len(experts), len(labels), len(labels))
        prior = read_numbers(file, "prior", least=-1e3, most=1e-6)
        if prior.shape != (len(labels),) or not (matrices > 0).all():
            raise ValueError("matrices")
        pool._fitted = FittedBelief(
            method=record["method"],
            experts=experts,
            labels=labels,
            scheme=Scheme.of(record["scheme"]),
            abstaining=abstaining,
            matrices=matrices,
            prior=prior,
            taggers=_read_taggers(file, record["folds"]),
            accuracy={name: float(record["accuracy"][name]) for name in experts},
        )
    except DAMAGED as error:
        raise damaged(error, "unsupervised pool", file.source) from None
    return pool


def _read_taggers(file: ModelFile, folds: Any) -> WordTaggers | None:
    """Return the word taggers of the folds; None if the pool has none."""
    if not folds:
        return None
    if not isinstance(folds, list) or len(folds) > _MOST_FOLDS:
        raise ValueError("folds")
    taggers = [read(file.member(f"taggers.{number}")) if present is True else None for number, present in enumerate(folds)]
    for tagger in taggers:
        if tagger is not None and (not isinstance(tagger, CRF) or tagger.columns not in ((), ("word",))):
            raise ValueError("word taggers")
    return WordTaggers(taggers)


def read_numbers(file: ModelFile, name: str, *, least: float = 0.0, most: float) -> FloatArray:
    """Return an array of finite numbers in a range."""
    block = file.container.array(name)
    if block is None:
        raise ValueError(f"no {name}")
    numbers = np.frombuffer(block, np.float64)
    if not np.isfinite(numbers).all() or (numbers < least).any() or (numbers > most).any():
        raise ValueError(f"{name} are not numbers from {least} to {most}")
    return numbers
