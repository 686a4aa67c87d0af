"""Cost model of a step of training on Ray, and its table for large clusters: python benchmarks/ray_model.py

A step moves the weights to every machine, computes one gradient per part, moves the gradients to the driver, adds them in order,
and chooses the next weights.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

MOST_PART_TOKENS = 1 << 18
FEWEST_PARTS = 8
DOUBLE = 8  # bytes
MEMORY = 6  # updates that L-BFGS keeps
PASSES = 4 * MEMORY + 12  # vectors that L-BFGS reads or writes in a step


@dataclass(frozen=True)
class Machine:
    """Speeds: seconds per token of the gradient, and bytes per second of the network, of copies, and of sums on the driver."""

    token: float = 2.5e-6
    network: float = 1.25e9
    copies: float = 2e9
    sums: float = 4e9


@dataclass(frozen=True)
class Problem:
    """A training: its tokens, its weights, and the share of weights whose features are in several parts."""

    tokens: float
    weights: float
    shared: float = 0.5
    known_parts: int | None = None

    @property
    def parts(self) -> int:
        if self.known_parts is not None:
            return self.known_parts
        parts = FEWEST_PARTS
        while self.tokens > parts * MOST_PART_TOKENS:
            parts *= 2
        return parts

    @property
    def bytes_down(self) -> float:
        """Bytes that a machine receives in a step."""
        return DOUBLE * self.weights

    @property
    def bytes_up(self) -> float:
        """Bytes that the driver receives in a step: shared weights from every part, the others once."""
        return DOUBLE * self.weights * (self.shared * self.parts + 1 - self.shared)


@dataclass(frozen=True)
class Step:
    """The seconds of a step."""

    gradient: float
    transport: float
    driver: float

    @property
    def seconds(self) -> float:
        return self.gradient + self.transport + self.driver


def step(problem: Problem, machine: Machine, workers: int, machines: int = 1, cores: int | None = None) -> Step:
    """Return the time of a step; ``cores`` limits the workers that run at the same time."""
    rounds = math.ceil(problem.parts / min(workers, problem.parts, cores or workers))
    gradient = problem.tokens * machine.token * rounds / problem.parts
    copies = (problem.bytes_down + problem.bytes_up) / machine.copies
    wire = 0.0 if machines == 1 else (problem.bytes_down * math.ceil(math.log2(machines)) + problem.bytes_up) / machine.network
    driver = (problem.bytes_up + DOUBLE * problem.weights * PASSES) / machine.sums
    return Step(gradient, copies + wire, driver)


def main() -> None:
    machine = Machine()
    times = "gradient, s | transport, s | driver, s | speedup"
    print(f"| tokens | weights | parts | workers | GB down per machine | GB up | {times} |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for tokens, weights in ((1e6, 1e6), (1e7, 1e7), (1e8, 1e7), (1e9, 1e7), (1e9, 1e8), (1e9, 1e9)):
        problem = Problem(tokens, weights)
        one = step(problem, machine, 1).seconds
        for workers in (1, 4, 32, 1000):
            now = step(problem, machine, workers, math.ceil(workers / 8))
            figures = [problem.bytes_down / 1e9, problem.bytes_up / 1e9, now.gradient, now.transport, now.driver]
            cells = [f"{tokens:.0e}", f"{weights:.0e}", problem.parts, workers, *(f"{figure:.3g}" for figure in figures)]
            print("| " + " | ".join(map(str, cells)) + f" | {one / now.seconds:.1f}× |")


if __name__ == "__main__":
    main()
