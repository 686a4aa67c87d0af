"""Optuna: its import, and its messages."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator
from typing import Any

from tagpool.errors import InputError


def import_optuna() -> Any:
    """Import Optuna; an InputError names the extra if it is missing."""
    try:
        import optuna
    except ImportError:
        raise InputError("tuning needs Optuna; pip install 'tagpool[tune]'") from None
    return optuna


@contextlib.contextmanager
def quiet(optuna: Any) -> Iterator[None]:
    """Hide messages of Optuna, and its warnings about interfaces that may change."""
    logging = optuna.logging
    level = logging.get_verbosity()
    logging.set_verbosity(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
            yield
    finally:
        logging.set_verbosity(level)
