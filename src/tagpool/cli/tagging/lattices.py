"""Readings that need more than the best labels: from the lattices of an expert."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tagpool import _native
from tagpool.chain.rules import SchemeRules, scheme_rules
from tagpool.cli.tagging.reading import Reading
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.schemes import Scheme
from tagpool.errors import InputError

if TYPE_CHECKING:
    from tagpool.chain.lattice import Lattice
    from tagpool.cli.tagging.labeller import Labeller


def rules_of(labels: list[str], scheme: str) -> SchemeRules:
    """The rules of a scheme for a model's labels; an error if some of these could never be used."""
    rules = scheme_rules(labels, Scheme.of(scheme))
    reached, leaving = rules.start.copy(), rules.end.copy()
    for _ in labels:
        reached |= (reached[:, None] & rules.transitions).any(axis=0)
        leaving |= (leaving[None, :] & rules.transitions).any(axis=1)
    dead = [label for label, one, other in zip(labels, reached, leaving, strict=True) if not (one and other)]
    if dead:
        raise InputError(f"--scheme {scheme}: the model's labels are not of this scheme: {', '.join(dead)} could never be valid")
    return rules


def readings(labeller: Labeller, columns: _native.Columns) -> list[list[Reading]]:
    """The readings of each sentence, best first."""
    lattices = labeller.expert.lattices(Corpus(columns))
    if labeller.rules is not None:
        lattices = [labeller.rules.constrain(lattice) for lattice in lattices]
        best = [lattice.best().labels for lattice in lattices] if not labeller.nbest else []
    elif not labeller.nbest:
        # What is printed with probabilities is what is printed without.
        flat = labeller.model.label_numbers(columns, labeller.expert.threads)
        best = np.split(flat, np.cumsum([len(lattice) for lattice in lattices])[:-1])
    if not labeller.nbest:
        return [[_reading(labeller, lattice, labels)] for lattice, labels in zip(lattices, best, strict=True)]
    return [[_reading(labeller, lattice, *one) for one in lattice.best_n(labeller.nbest)] for lattice in lattices]


def _reading(labeller: Labeller, lattice: Lattice, labels: np.ndarray, score: float | None = None) -> Reading:
    names = labeller.model.labels
    probabilities = None
    if labeller.marginals:
        probabilities = lattice.marginals()[np.arange(len(labels)), labels].tolist()
    log_probability = None if score is None else lattice.log_probability(labels)
    return Reading([names[number] for number in labels.tolist()], probabilities, score, log_probability)
