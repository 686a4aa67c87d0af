"""Files of vote pools. Reading checks everything; inconsistent content is a ModelError."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import tagpool
from tagpool import _native
from tagpool.errors import InputError
from tagpool.experts.metadata import DAMAGED, damaged, read_object
from tagpool.pools.pool_files import check_version
from tagpool.pools.votes.automaton import Automaton
from tagpool.pools.votes.ballots import FloatArray
from tagpool.pools.votes.calibration import Calibration
from tagpool.pools.votes.fitted import FittedVotes
from tagpool.pools.votes.guarantees import Guarantees
from tagpool.pools.votes.keys import Place

if TYPE_CHECKING:
    from tagpool.pools.votes.pool import VotePool

VERSION = 2
_FUNCTION = "a function"  # replaces a key or loss that is a function


def missing_key(place: Place) -> str:
    """Raise an error: the key was a function, which files do not contain."""
    raise InputError("the pool was fitted with a function as key, which its file does not contain: set pool.key first")


def missing_loss(gold: str, label: str) -> float:
    """Raise an error: the loss was a function, which files do not contain. Voting does not need it."""
    raise InputError("the pool was fitted with a function as loss, which its file does not contain: set pool.loss first")


def to_bytes(pool: VotePool) -> bytes:
    """Return the content of the file of a vote pool."""
    fitted = pool._weights()
    parameters = pool.get_params(deep=False)
    parameters["automaton"] = None if pool.automaton is None else pool.automaton.to_json()
    for name in ("key", "loss"):
        if callable(parameters[name]):
            parameters[name] = _FUNCTION
    record = {"parameters": parameters, "guarantees": fitted.guarantees.to_dict(), "shape": fitted.weights.shape}
    record |= {name: getattr(fitted, name) for name in ("beta", "experts", "labels", "states", "fallback")}
    arrays = {"weights": fitted.weights}
    if fitted.drawn_from is not None:
        arrays["drawn_from"] = fitted.drawn_from
    if fitted.calibration is not None:
        arrays |= {"calibration.confidence": fitted.calibration.confidence, "calibration.rates": fitted.calibration.rates}
    texts = {"kind": pool.kind, "version": str(VERSION), "tagpool": tagpool.__version__, "record": json.dumps(record)}
    return _native.Container.write(texts, {name: np.ascontiguousarray(array).tobytes() for name, array in arrays.items()})


def restore(pool_class: type[VotePool], container: _native.Container, source: str | Path) -> Any:
    """Return the pool of a file."""
    try:
        check_version(container, VERSION, source)
        record = read_object(container.text("record"), "record")
        parameters = record["parameters"]
        if parameters["automaton"] is not None:
            parameters["automaton"] = Automaton.from_json(parameters["automaton"])
        for name, replacement in (("key", missing_key), ("loss", missing_loss)):
            if parameters[name] == _FUNCTION:
                parameters[name] = replacement
        pool = pool_class(**parameters)
        pool._check()
        pool._fitted = _read_fitted(record, container, pool.automaton)
    except DAMAGED as error:
        raise damaged(error, "vote pool", source) from None
    return pool


def _read_fitted(record: dict[str, Any], container: _native.Container, automaton: Automaton | None) -> FittedVotes:
    experts, labels, states = names = [tuple(record[name]) for name in ("experts", "labels", "states")]
    if not all(isinstance(name, str) for group in names for name in group):
        raise ValueError("names")
    if record["fallback"] not in labels or len(experts) < 2 or len(set(experts)) < len(experts):
        raise ValueError("experts and labels")
    weights = _numbers(container, "weights").reshape(record["shape"])
    expected = (len(states) + 1, len(experts)) if weights.ndim == 2 else (len(automaton or ()),)
    if weights.shape != expected:
        raise ValueError(f"expected weights of shape {expected}, got {weights.shape}")
    has_draws = container.array("drawn_from") is not None
    drawn_from = _numbers(container, "drawn_from").reshape(-1, *weights.shape) if has_draws else None
    if drawn_from is not None and not drawn_from.size:
        raise ValueError("drawn_from is empty")
    calibration = None
    if container.array("calibration.confidence") is not None:
        calibration = Calibration(_numbers(container, "calibration.confidence"), _numbers(container, "calibration.rates"))
        knots = calibration.confidence
        if knots.shape != calibration.rates.shape or not knots.size or (np.diff(knots) < 0).any():
            raise ValueError("calibration")
    guarantees = Guarantees(**{name: _bound(value) for name, value in record["guarantees"].items()})
    if None in (guarantees.delta, guarantees.highest, guarantees.rounds):
        raise ValueError("guarantees")
    return FittedVotes(
        experts=experts,
        labels=labels,
        states=states,
        weights=weights,
        drawn_from=drawn_from,
        fallback=record["fallback"],
        guarantees=guarantees,
        beta=float(record["beta"]),
        calibration=calibration,
    )


def _bound(value: Any) -> Any:
    if value is not None and (isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) < 1e300):
        raise ValueError("guarantees")
    return value


def _numbers(container: _native.Container, name: str) -> FloatArray:
    block = container.array(name)
    if block is None:
        raise ValueError(f"no {name}")
    numbers = np.frombuffer(block, np.float64)
    if not np.isfinite(numbers).all() or (numbers < 0).any():
        raise ValueError(f"{name} are not finite numbers of at least 0")
    return numbers
