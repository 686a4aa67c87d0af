"""Path pools as files: one safetensors file like all models. Nothing in a file is trusted: what does not fit is a ModelError."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

import tagpool
from tagpool import _native
from tagpool.corpus.files import write_bytes
from tagpool.errors import InputError, ModelError, TagpoolError
from tagpool.pools.votes.automaton import Automaton
from tagpool.pools.votes.ballots import FloatArray
from tagpool.pools.votes.calibration import Calibration
from tagpool.pools.votes.fitted import Fitted
from tagpool.pools.votes.guarantees import Guarantees
from tagpool.pools.votes.keys import Place

VERSION = 1
_FUNCTION = "a function"  # stands for a key or loss that a file cannot hold


def forgotten_key(place: Place) -> str:
    """The key of a pool whose own was a function of its user's, which a file cannot hold."""
    raise InputError("the pool was fitted with a function as key, which its file does not hold: set pool.key to it first")


def forgotten_loss(gold: str, label: str) -> float:
    """The same for a loss; it is not needed to vote."""
    raise InputError("the pool was fitted with a function as loss, which its file does not hold: set pool.loss to it first")


def save(pool: Any, path: str | Path) -> None:
    """Writes a path pool, whole or not at all."""
    fitted: Fitted = pool._found
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
        arrays |= {"calibration.shares": pool._calibration.shares, "calibration.rates": pool._calibration.rates}
    texts = {"kind": pool.kind, "version": str(VERSION), "tagpool": tagpool.__version__, "record": json.dumps(record)}
    write_bytes(
        path, _native.Container.write(texts, {name: np.ascontiguousarray(each).tobytes() for name, each in arrays.items()})
    )


def restore(pool: Any, container: _native.Container, source: str | Path) -> None:
    """Fills a new pool with what a file holds."""
    try:
        if int(container.text("version") or "") > VERSION:
            raise ModelError("it was written by a newer tagpool; upgrade tagpool", source=source)
        record = json.loads(container.text("record") or "")
        parameters = record["parameters"]
        if parameters["automaton"] is not None:
            parameters["automaton"] = Automaton.from_json(parameters["automaton"])
        for name, instead in (("key", forgotten_key), ("loss", forgotten_loss)):
            if parameters[name] == _FUNCTION:
                parameters[name] = instead
        pool.set_params(**parameters)
        pool._check()
        pool._beta = float(record["beta"])
        pool._fitted = _fitted(record, container)
        _demand_fit(pool)
        if container.array("calibration.shares") is not None:
            shares, rates = _numbers(container, "calibration.shares"), _numbers(container, "calibration.rates")
            if shares.shape != rates.shape or not shares.size or (np.diff(shares) < 0).any():
                raise ValueError("calibration")
            pool._calibration = Calibration(shares, rates)
    except ModelError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, TagpoolError) as error:  # InputFault is a ValueError
        raise ModelError(f"the path pool is damaged: {error}", source=source) from None


def _fitted(record: dict[str, Any], container: _native.Container) -> Fitted:
    weights = _numbers(container, "weights").reshape(record["shape"])
    drawn_from = None if container.array("drawn_from") is None else _numbers(container, "drawn_from").reshape(-1, *weights.shape)
    names = {name: tuple(record[name]) for name in ("experts", "labels", "states")}
    if not all(isinstance(each, str) for group in names.values() for each in group):
        raise ValueError("names")
    if (
        record["fallback"] not in names["labels"]
        or len(names["experts"]) < 2
        or len(set(names["experts"])) < len(names["experts"])
    ):
        raise ValueError("experts and labels")
    return Fitted(
        **names,
        weights=weights,
        drawn_from=drawn_from,
        fallback=record["fallback"],
        guarantees=Guarantees(**record["guarantees"]),
        details=dict(record["details"]),
    )


def _demand_fit(pool: Any) -> None:
    """An error where the weights are not as many as there are states or edges."""
    fitted: Fitted = pool._fitted
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
    found = np.frombuffer(block, np.float64)
    if not np.isfinite(found).all() or (found < 0).any():
        raise ValueError(f"{name} are not numbers from 0 on")
    return found
