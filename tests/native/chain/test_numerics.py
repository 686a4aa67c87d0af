"""Long sentences, scores far apart, derivatives, and the agreement of the ways in which sums are computed."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tagpool import Lattice, _native


def random_lattice(tokens: int, labels: int, seed: int = 0, scale: float = 1.0, forbid: float = 0.0) -> Lattice:
    random = np.random.default_rng(seed)
    edges = scale * random.normal(size=(labels, labels))
    edges[random.random((labels, labels)) < forbid] = -np.inf
    ends = random.normal(size=(2, labels))
    return Lattice(scale * random.normal(size=(tokens, labels)), edges, *ends)


def by_step(lattice: Lattice) -> Lattice:
    """The same lattice with its edges written out for every step: sums are then made with logarithms."""
    L = lattice.label_count
    return Lattice(lattice.nodes, np.broadcast_to(lattice.edges, (len(lattice) - 1, L, L)), lattice.start, lattice.end)


@pytest.mark.parametrize("labels", [1, 2, 3, 4, 7, 8, 9, 13, 16, 22])
@pytest.mark.parametrize("forbid", [0.0, 0.3])
def test_weights_and_logarithms_agree(labels: int, forbid: float) -> None:
    lattice = random_lattice(40, labels, forbid=forbid if labels > 2 else 0.0, scale=3.0)
    other = by_step(lattice)
    assert not lattice._messages.logarithmic
    assert other._messages.logarithmic
    assert lattice.log_partition() == pytest.approx(other.log_partition(), rel=1e-14)
    assert lattice.entropy() == pytest.approx(other.entropy(), rel=1e-11, abs=1e-12)
    assert np.abs(lattice.marginals() - other.marginals()).max() < 1e-13
    assert np.abs(lattice.pair_marginals() - other.pair_marginals()).max() < 1e-13
    drawn = lattice.sample(5, seed=1)
    assert lattice.log_probability(drawn[0]) == pytest.approx(other.log_probability(drawn[0]), rel=1e-12, abs=1e-12)
    assert (lattice.best().labels == other.best().labels).all()
    assert [tuple(a.labels) for a in lattice.best_n(20)] == [tuple(b.labels) for b in other.best_n(20)]


def test_a_way_that_underflows_is_found_when_it_is_the_only_one() -> None:
    """Label 1 is e^-1000 as likely as label 0, which leads nowhere."""
    lattice = Lattice([[0.0, -1000.0], [0.0, 0.0]], [[-np.inf, -np.inf], [0.0, -np.inf]])
    assert lattice._messages.logarithmic
    assert lattice.log_partition() == -1000.0
    assert lattice.marginals().tolist() == [[0.0, 1.0], [1.0, 0.0]]
    assert lattice.log_probability([1, 0]) == 0.0
    # The same slowly: a hundred steps of e^-30 each, and the favoured label is forbidden in the end (or in the beginning).
    tokens = 100
    nodes = np.zeros((tokens, 2))
    nodes[:, 1] = -30.0
    for ends in ({"end": [-np.inf, 0.0]}, {"start": [-np.inf, 0.0]}):
        slow = Lattice(nodes, [[0.0, -np.inf], [-np.inf, 0.0]], **ends)
        assert slow.log_partition() == pytest.approx(-3000.0, rel=1e-14)
        assert slow.marginals()[:, 1].tolist() == [1.0] * tokens


def test_unlikely_sequences_keep_their_probability() -> None:
    nodes = np.zeros((3, 2))
    nodes[:, 1] = -2000.0
    lattice = Lattice(nodes, np.zeros((2, 2)))
    assert not lattice._messages.logarithmic
    assert lattice.log_probability([1, 1, 1]) == -6000.0
    assert lattice.log_partition() == 0.0


@pytest.mark.parametrize("varying", [False, True])
def test_exponential_and_logarithm_are_right_to_the_last_digits(varying: bool) -> None:
    edges = np.zeros((0, 2, 2)) if varying else np.zeros((2, 2))
    for distance in [0.0, 1e-9, *np.linspace(0.01, 3, 500).tolist(), *np.linspace(3, 707, 500).tolist()]:
        lattice = Lattice([[0.0, -distance]], edges)
        small = math.exp(-distance)
        assert lattice.marginals()[0, 1] == pytest.approx(small / (1 + small), rel=8e-16)
        assert lattice.log_partition() == pytest.approx(math.log1p(small), rel=1e-15, abs=3e-16)


@pytest.mark.parametrize("scale", [1.0, 1e4])
@pytest.mark.parametrize("varying", [False, True])
def test_a_sentence_of_50_000_tokens(scale: float, varying: bool) -> None:
    tokens, labels = 50_000, 5
    lattice = random_lattice(tokens, labels, seed=5, scale=scale, forbid=0.15)
    lattice = by_step(lattice) if varying else lattice
    marginals = lattice.marginals()
    assert np.isfinite(marginals).all()
    assert np.abs(marginals.sum(axis=1) - 1).max() < 1e-9
    best = lattice.best()
    assert best.score == lattice.score(best.labels)
    assert lattice.log_partition() >= best.score - abs(best.score) * 1e-12
    probability = lattice.log_probability(best.labels)
    assert probability <= 0
    assert probability == pytest.approx(best.score - lattice.log_partition(), abs=abs(best.score) * 1e-12)
    assert -probability - 1e-6 <= lattice.entropy() <= tokens * math.log(labels)  # min-entropy ≤ entropy ≤ uniform
    first, second = lattice.best_n(2)
    assert (first.labels == best.labels).all()
    assert second.score <= first.score
    assert lattice.log_probability(lattice.sample(1)[0]) <= probability + 1e-6
    assert np.abs(lattice.pair_marginals().sum(axis=(1, 2)) - 1).max() < 1e-9


def test_long_sums_do_not_drift() -> None:
    """A chain of independent tokens has the sums of its tokens, however long: known without any recursion."""
    random = np.random.default_rng(1)
    nodes = random.normal(size=(50_000, 4)) * 3
    lattice = Lattice(nodes, np.zeros((4, 4)))
    logs = np.log(np.exp(nodes).sum(axis=1))
    probabilities = np.exp(nodes - logs[:, None])
    assert lattice.log_partition() == pytest.approx(math.fsum(logs), rel=1e-14)
    assert np.abs(lattice.marginals() - probabilities).max() < 1e-14
    assert lattice.entropy() == pytest.approx(-math.fsum((probabilities * (nodes - logs[:, None])).ravel()), rel=1e-12)


def test_the_roundings_of_a_long_sum_are_kept() -> None:
    lattice = Lattice(np.full((50_000, 1), 0.1), [[0.0]])
    assert lattice.log_partition() == math.fsum([0.1] * 50_000) != np.cumsum([0.1] * 50_000)[-1]
    assert lattice.log_probability([0] * 50_000) == 0.0


@pytest.mark.parametrize("varying", [False, True])
def test_derivatives_of_the_partition_are_the_marginals(varying: bool) -> None:
    random = np.random.default_rng(2)
    nodes, edges = random.normal(size=(4, 3)), random.normal(size=(3, 3, 3) if varying else (3, 3))
    lattice = Lattice(nodes, edges)
    step = 1e-5

    def slope(place: tuple[int, ...], *, of_nodes: bool) -> float:
        move = np.zeros(nodes.shape if of_nodes else edges.shape)
        move[place] = step
        ahead = Lattice(nodes + move, edges) if of_nodes else Lattice(nodes, edges + move)
        behind = Lattice(nodes - move, edges) if of_nodes else Lattice(nodes, edges - move)
        return (ahead.log_partition() - behind.log_partition()) / (2 * step)

    for place in np.ndindex(nodes.shape):
        assert slope(place, of_nodes=True) == pytest.approx(lattice.marginals()[place], abs=1e-9)
    expected = lattice.pair_marginals() if varying else lattice.pair_marginals().sum(axis=0)
    for place in np.ndindex(edges.shape):
        assert slope(place, of_nodes=False) == pytest.approx(expected[place], abs=1e-9)


def test_many_sentences_at_once_are_tagged_as_one_by_one() -> None:
    random = np.random.default_rng(4)
    lengths = [3, 1, 0, 7, 30, 2, 0]
    offsets = np.cumsum([0, *lengths]).astype(np.uint32)
    nodes, edges, start, end = (random.normal(size=shape) for shape in ((sum(lengths), 5), (5, 5), 5, 5))
    nodes[offsets[1]] = -np.inf  # the second sentence is impossible
    labels = _native.best_batch(nodes, offsets, edges, start, end)
    for begin, finish in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
        if finish - begin > 1:
            assert (labels[begin:finish] == Lattice(nodes[begin:finish], edges, start, end).best().labels).all()
    assert labels[offsets[1]] == -1
    with pytest.raises(_native.InputFault, match="offsets: expected increasing"):
        _native.best_batch(nodes, offsets + np.uint32(1), edges, start, end)
