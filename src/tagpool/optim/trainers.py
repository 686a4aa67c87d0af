"""Registry of the trainers by kind."""

from __future__ import annotations

from tagpool.errors import InputError
from tagpool.optim.fobos import FOBOS
from tagpool.optim.lbfgs import LBFGS, OWLQN
from tagpool.optim.perceptron import Perceptron
from tagpool.optim.sgd import SGD
from tagpool.optim.trainer import Trainer

TRAINERS: dict[str, type[Trainer]] = {trainer.kind: trainer for trainer in (SGD, LBFGS, OWLQN, FOBOS, Perceptron)}


def trainer_of(trainer: Trainer | str) -> Trainer:
    """Create a trainer from its kind; return a trainer unchanged.

    >>> trainer_of("sgd")
    SGD()
    """
    if isinstance(trainer, Trainer):
        return trainer
    if not isinstance(trainer, str) or trainer not in TRAINERS:
        raise InputError(f"trainer={trainer!r}: expected one of {', '.join(TRAINERS)}, or a trainer such as SGD(epochs=20)")
    return TRAINERS[trainer]()
