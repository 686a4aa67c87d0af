"""Dawid–Skene by plain loops over tokens, experts and labels. Slow, and independent of the arrays of the library."""

from __future__ import annotations

from collections.abc import Sequence

Votes = Sequence[Sequence[int]]  # [tokens][experts], -1 abstains


def dawid_skene(votes: Votes, size: int, rounds: int, *, cell: float = 0.1, diagonal: float = 10.0) -> list[list[float]]:
    """The probability of each label at each token."""
    experts = range(len(votes[0]))
    beliefs = []
    for row in votes:
        present = [vote for vote in row if vote >= 0]
        beliefs.append([present.count(label) / len(present) if present else 1 / size for label in range(size)])
    for _ in range(rounds):
        prior = [sum(belief[label] for belief in beliefs) / len(beliefs) + 1e-12 for label in range(size)]
        matrices = [_confusion(votes, beliefs, expert, size, cell, diagonal) for expert in experts]
        updated = []
        for row in votes:
            weights = list(prior)
            for label in range(size):
                for expert in experts:
                    if row[expert] >= 0:
                        weights[label] *= matrices[expert][label][row[expert]]
            updated.append([weight / sum(weights) for weight in weights])
        change = max(abs(a - b) for one, other in zip(updated, beliefs, strict=True) for a, b in zip(one, other, strict=True))
        beliefs = updated
        if change < 1e-4:
            break
    return beliefs


def _confusion(
    votes: Votes, beliefs: list[list[float]], expert: int, size: int, cell: float, diagonal: float
) -> list[list[float]]:
    matrix = [[cell + (diagonal if row == column else 0) for column in range(size)] for row in range(size)]
    for row, belief in zip(votes, beliefs, strict=True):
        for label in range(size):
            if row[expert] >= 0:
                matrix[label][row[expert]] += belief[label]
    return [[value / sum(row) for value in row] for row in matrix]
