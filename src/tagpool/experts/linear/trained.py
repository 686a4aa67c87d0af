"""TrainedExpert: the parameters and the training that CRF and MaxEnt share. Loading imports this module: it imports little."""

from __future__ import annotations

from tagpool.experts.linear.expert import Expert
from tagpool.lazy import TYPE_CHECKING
from tagpool.parameters import declare_parameters, parameter

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tagpool.optim.trainer import Trainer


def trainers() -> Mapping[str, type[Trainer]]:
    """The trainers by kind."""
    from tagpool.optim.trainers import TRAINERS

    return TRAINERS


@declare_parameters
class TrainedExpert(Expert):
    """An expert with a trainer and a penalty."""

    l2: float = parameter(default=1.0, minimum=0, tune=(0.01, 10.0), help="Penalty l2/2·|w|² added to the summed loss.")
    l1: float = parameter(default=0.0, minimum=0, tune=(0.01, 10.0), help="Penalty l1·|w| (trainers owlqn and fobos).")
    trainer: Trainer | str = parameter(default="sgd", kinds=trainers, help="Trainer that finds the weights.")
    warm_start: bool = parameter(default=False, help="Whether fit continues from the weights of the last fit.")
