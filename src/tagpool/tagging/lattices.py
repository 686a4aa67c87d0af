"""Readings from the lattices of a tagger: n best, probabilities, tag schemes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tagpool import _native
from tagpool.corpus.constraints import SchemeConstraints
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.schemes import Scheme
from tagpool.errors import InputError
from tagpool.tagging.reading import Reading

if TYPE_CHECKING:
    from tagpool.chain.lattice import Lattice
    from tagpool.tagging.labeller import Labeller

_Numbers = NDArray[np.int32]


def rules_of(labels: list[str], scheme: str) -> SchemeConstraints:
    """The rules of a scheme for the labels of a model; an error if a label is never valid."""
    rules = Scheme.of(scheme).constraints(labels)
    reached, leaving = rules.start.copy(), rules.end.copy()
    for _ in labels:
        reached |= (reached[:, None] & rules.transitions).any(axis=0)
        leaving |= (leaving[None, :] & rules.transitions).any(axis=1)
    dead = [label for label, one, other in zip(labels, reached, leaving, strict=True) if not (one and other)]
    if dead:
        raise InputError(f"--scheme {scheme}: the model's labels have another scheme; {', '.join(dead)} would never be valid")
    return rules


def readings(labeller: Labeller, columns: _native.Columns) -> list[list[Reading]]:
    """The readings of each sentence, best first."""
    corpus = Corpus(columns)
    tagger: Any = labeller.tagger
    lattices = tagger.lattices(corpus)
    if labeller.rules is not None:
        lattices = [_valid(labeller.rules, lattice) for lattice in lattices]
    if labeller.nbest:
        return [
            [
                _reading(labeller, lattice, states, score, lattice.log_probability(states))
                for states, score in lattice.best_n(labeller.nbest)
            ]
            for lattice in lattices
        ]
    if labeller.rules is not None:
        best = [lattice.best().labels for lattice in lattices]
    else:
        # The labels are the same with and without probabilities.
        number = {name: number for number, name in enumerate(labeller.names)}
        best = [np.array([number[label] for label in labels]) for labels in labeller.labels(columns)]
    return [[_reading(labeller, lattice, labels)] for lattice, labels in zip(lattices, best, strict=True)]


def _valid(rules: SchemeConstraints, lattice: Lattice) -> Lattice:
    """Only valid sequences."""
    return lattice.constrained(allowed_transitions=rules.transitions, allowed_start=rules.start, allowed_end=rules.end)


def _reading(
    labeller: Labeller,
    lattice: Lattice,
    labels: _Numbers,
    score: float | None = None,
    log_probability: float | None = None,
) -> Reading:
    probabilities = None
    if labeller.probabilities:
        probabilities = lattice.marginals()[np.arange(len(labels)), labels].tolist()
    return Reading([labeller.names[number] for number in labels.tolist()], probabilities, score, log_probability)
