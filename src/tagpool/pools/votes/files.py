"""Files of vote pools. Reading checks everything; inconsistent content is a ModelError."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

import tagpool
from tagpool import _native
from tagpool.corpus.files import write_bytes
from tagpool.errors import InputError, ModelError, TagpoolError
from tagpool.pools.pool_files import check_version
from tagpool.pools.votes.automaton import Automaton
from tagpool.pools.votes.ballots import FloatArray
from tagpool.pools.votes.calibration import Calibration
from tagpool.pools.votes.fitted import FittedVotes
from tagpool.pools.votes.guarantees import Guarantees
from tagpool.pools.votes.keys import Place

VERSION = 2
_FUNCTION = "a function"  # replaces a key or loss that is a function


def missing_key(place: Place) -> str:
    """Raise an error: the key was a function, which files do not contain."""
    raise InputError("the pool was fitted with a function as key, which its file does not contain: set pool.key first")


def missing_loss(gold: str, label: str) -> float:
    """Raise an error: the loss was a function, which files do not contain. Voting does not need it."""
    raise InputError("the pool was fitted with a function as loss, which its file does not contain: set pool.loss first")


def save(pool: Any, path: str | Path) -> None:
    """Write a vote pool, atomically."""
    fitted: FittedVotes = pool._weights()
    parameters = pool.get_params(deep=False)
    parameters["automaton"] = None if pool.automaton is None else pool.automaton.to_json()
    for name in ("key", "loss"):
        if callable(parameters[name]):
            parameters[name] = _FUNCTION
    record = {
        "parameters": parameters,
        "beta": pool.beta_,
        "experts": fitted.experts,
        "labels": fitted.labels,
        "states": fitted.states,
        "fallback": fitted.fallback,
        "guarantees": fitted.guarantees.to_dict(),
        "details": fitted.details,
        "shape": fitted.weights.shape,
    }
    arrays = {"weights": fitted.weights}
    if fitted.drawn_from is not None:
        arrays["drawn_from"] = fitted.drawn_from
    if pool._calibration is not None:
        arrays |= {"calibration.confidence": pool._calibration.confidence, "calibration.rates": pool._calibration.rates}
    texts = {"kind": pool.kind, "version": str(VERSION), "tagpool": tagpool.__version__, "record": json.dumps(record)}
    write_bytes(
        path, _native.Container.write(texts, {name: np.ascontiguousarray(array).tobytes() for name, array in arrays.items()})
    )


def restore(pool: Any, container: _native.Container, source: str | Path) -> None:
    """Fill a new pool from a file."""
    try:
        check_version(container, VERSION, source)
        record = json.loads(container.text("record") or "")
        parameters = record["parameters"]
        if parameters["automaton"] is not None:
            parameters["automaton"] = Automaton.from_json(parameters["automaton"])
        for name, replacement in (("key", missing_key), ("loss", missing_loss)):
            if parameters[name] == _FUNCTION:
                parameters[name] = replacement
        pool.set_params(**parameters)
        pool._check()
        pool._beta = float(record["beta"])
        pool._fitted = _read_weights(record, container)
        _check_shape(pool)
        if container.array("calibration.confidence") is not None:
            knots, rates = _numbers(container, "calibration.confidence"), _numbers(container, "calibration.rates")
            if knots.shape != rates.shape or not knots.size or (np.diff(knots) < 0).any():
                raise ValueError("calibration")
            pool._calibration = Calibration(knots, rates)
    except ModelError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, TagpoolError) as error:  # InputFault is a ValueError
        raise ModelError(f"damaged vote pool: {error}", source=source) from None


def _read_weights(record: dict[str, Any], container: _native.Container) -> FittedVotes:
    weights = _numbers(container, "weights").reshape(record["shape"])
    drawn_from = None if container.array("drawn_from") is None else _numbers(container, "drawn_from").reshape(-1, *weights.shape)
    names = {name: tuple(record[name]) for name in ("experts", "labels", "states")}
    if not all(isinstance(name, str) for group in names.values() for name in group):
        raise ValueError("names")
    if (
        record["fallback"] not in names["labels"]
        or len(names["experts"]) < 2
        or len(set(names["experts"])) < len(names["experts"])
    ):
        raise ValueError("experts and labels")
    return FittedVotes(
        **names,
        weights=weights,
        drawn_from=drawn_from,
        fallback=record["fallback"],
        guarantees=Guarantees(**record["guarantees"]),
        details=dict(record["details"]),
    )


def _check_shape(pool: Any) -> None:
    """Raise an error if the number of weights does not match the states or edges."""
    fitted: FittedVotes = pool._fitted
    if fitted.weights.ndim == 2:
        expected: tuple[int, ...] = (len(fitted.states) + 1, len(fitted.experts))
    else:
        expected = (len(pool.automaton),)
    if fitted.weights.shape != expected:
        raise ValueError(f"expected weights of shape {expected}, got {fitted.weights.shape}")


def _numbers(container: _native.Container, name: str) -> FloatArray:
    block = container.array(name)
    if block is None:
        raise ValueError(f"no {name}")
    numbers = np.frombuffer(block, np.float64)
    if not np.isfinite(numbers).all() or (numbers < 0).any():
        raise ValueError(f"{name} are not finite numbers of at least 0")
    return numbers
