"""The trainers by name, as ``CRF(trainer="lbfgs")`` and ``tagpool train --trainer`` know them."""

from __future__ import annotations

from tagpool.errors import InputError
from tagpool.optim.fobos import FOBOS
from tagpool.optim.lbfgs import LBFGS, OWLQN
from tagpool.optim.perceptron import Perceptron
from tagpool.optim.sgd import SGD
from tagpool.optim.trainer import Trainer

TRAINERS: dict[str, type[Trainer]] = {"sgd": SGD, "lbfgs": LBFGS, "owlqn": OWLQN, "fobos": FOBOS, "perceptron": Perceptron}


def trainer_of(given: Trainer | str) -> Trainer:
    """A trainer from its name, or as it is.

    >>> trainer_of("sgd")
    SGD()
    """
    if isinstance(given, Trainer):
        return given
    if not isinstance(given, str) or given not in TRAINERS:
        raise InputError(f"trainer={given!r}: expected one of {', '.join(TRAINERS)}, or a trainer such as SGD(epochs=20)")
    return TRAINERS[given]()
