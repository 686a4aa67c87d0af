"""Constraints and sums of lattices against enumeration of the sequences that keep them."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from lattices import WHOLE, Problem, entries, problems

from tagpool import InputError, Lattice, Scheme
from tagpool.corpus.schemes import spans, violations

MARK = st.booleans() | st.just(True)


def square(labels: int) -> st.SearchStrategy[list[list[bool]]]:
    row = st.lists(MARK, min_size=labels, max_size=labels)
    return st.lists(row, min_size=labels, max_size=labels)


@st.composite
def constraints(draw: st.DrawFn, problem: Problem) -> dict[str, Any]:
    positions, labels = st.integers(0, problem.tokens - 1), st.integers(0, problem.labels - 1)
    marks = st.lists(MARK, min_size=problem.labels, max_size=problem.labels)
    return {
        "fixed": draw(st.none() | st.dictionaries(positions, labels, max_size=2)),
        "forbidden": draw(st.none() | st.dictionaries(positions, labels | st.sets(labels, max_size=2), max_size=2)),
        "allowed_transitions": draw(st.none() | square(problem.labels)),
        "allowed_start": draw(st.none() | marks),
        "allowed_end": draw(st.none() | marks),
    }


def keeps(labels: tuple[int, ...], rules: dict[str, Any]) -> bool:
    """Whether a sequence keeps the constraints, read from their description and nothing else."""
    fixed, forbidden, steps = rules["fixed"] or {}, rules["forbidden"] or {}, rules["allowed_transitions"]
    return (
        all(labels[position] == label for position, label in fixed.items())
        and all(labels[position] not in ({no} if isinstance(no, int) else no) for position, no in forbidden.items())
        and (rules["allowed_start"] is None or rules["allowed_start"][labels[0]])
        and (rules["allowed_end"] is None or rules["allowed_end"][labels[-1]])
        and (steps is None or all(steps[a][b] for a, b in itertools.pairwise(labels)))
    )


@given(st.data())
@settings(max_examples=200, deadline=None)
def test_a_constrained_lattice_has_just_the_sequences_that_keep_the_constraints(data: st.DataObject) -> None:
    problem = data.draw(problems())
    rules = data.draw(constraints(problem))
    lattice = problem.lattice().constrained(**rules)
    truth = problem.enumeration(allowed=lambda labels: keeps(labels, rules))
    assert lattice.log_partition() == pytest.approx(truth.log_partition(), rel=1e-12, abs=1e-9)
    assume(truth.scores)
    assert {tuple(labels.tolist()) for labels, _ in lattice.best_n(2000)} == set(truth.scores)
    assert np.abs(lattice.marginals() - truth.marginals()).max() < 1e-9


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_at_most_once_is_exact(data: st.DataObject) -> None:
    """Labels and groups, with runs cut at random places, together with other constraints; ties included."""
    problem = data.draw(problems(kinds=WHOLE))
    rules = data.draw(constraints(problem)) if data.draw(st.booleans()) else None
    order = data.draw(st.permutations(range(problem.labels)))
    items: list[Any] = []
    while order and data.draw(MARK):
        size = data.draw(st.integers(0, len(order)))  # 0: a label by itself
        items.append(order[0] if size == 0 else tuple(order[:size]))
        order = order[max(size, 1) :]
    continues = data.draw(st.none() | square(problem.labels))

    def allowed(labels: tuple[int, ...]) -> bool:
        singles = [item for item in items if isinstance(item, int)]
        groups = [item for item in items if not isinstance(item, int)]
        return (
            (rules is None or keeps(labels, rules))
            and all(labels.count(label) <= 1 for label in singles)
            and all(entries(labels, group, lambda a, b: continues is None or continues[a][b]) <= 1 for group in groups)
        )

    truth = problem.enumeration(allowed=allowed)
    lattice = problem.lattice().constrained(**rules) if rules else problem.lattice()
    if not truth.scores:
        with pytest.raises(InputError, match=r"no label sequence is possible"):
            lattice.best(at_most_once=items, continues=continues)
        return
    labels, score = lattice.best(at_most_once=items, continues=continues)
    assert (tuple(labels.tolist()), score) == truth.ranked()[0]


def test_at_most_once_watches_many_groups_at_once() -> None:
    """Twelve labels, all of them wanted twice: best is each of them once, where it scores more, and outside elsewhere."""
    groups, tokens = 12, 24
    nodes = np.full((tokens, groups + 1), -50.0)
    nodes[:, 0] = 0.0
    for t in range(tokens):
        nodes[t, 1 + t % groups] = 2.0 if t < groups else 3.0
    lattice = Lattice(nodes, np.zeros((groups + 1, groups + 1)))
    labels, score = lattice.best(at_most_once=[(label,) for label in range(1, groups + 1)])
    assert labels.tolist() == [0] * groups + list(range(1, groups + 1))
    assert score == 3.0 * groups


def test_at_most_once_watches_groups_that_are_broken_only_later() -> None:
    """Best is 2 1 1; with label 1 once it is 2 1 2; with label 2 once as well 2 0 1 (2 1 0 scores the same)."""
    lattice = Lattice([[0.0, 0.0, 9.0], [0.0, 9.0, 0.0], [0.0, 9.0, 8.0]], np.zeros((3, 3)))
    assert lattice.best().labels.tolist() == [2, 1, 1]
    assert lattice.best(at_most_once=[1]).labels.tolist() == [2, 1, 2]
    assert lattice.best(at_most_once=[1, 2]).labels.tolist() == [2, 0, 1]


def test_at_most_once_says_when_it_needs_too_much_memory() -> None:
    random = np.random.default_rng(0)
    lattice = Lattice(random.normal(size=(2000, 21)), np.zeros((21, 21)))
    with pytest.raises(InputError, match=r"at_most_once: the best sequences enter 20 groups .* name fewer"):
        lattice.best(at_most_once=range(1, 21))
    assert np.bincount(lattice.best(at_most_once=[3, 5]).labels)[[3, 5]].max() <= 1


@pytest.mark.parametrize("scheme", [Scheme.IOB1, Scheme.BIO2, Scheme.BIOES, Scheme.BILOU])
@pytest.mark.parametrize("seed", range(5))
def test_rules_of_a_scheme_leave_just_its_valid_sequences(scheme: Scheme, seed: int) -> None:
    letters = {"iob1": "BI", "bio2": "BI", "bioes": "BIES", "bilou": "BILU"}[scheme.value]
    names = ["O", *(f"{letter}-{kind}" for kind in ("X", "Y") for letter in letters)]
    random = np.random.default_rng(seed)
    lattice = Lattice(random.normal(size=(4, len(names))), random.normal(size=(len(names), len(names))))
    rules = Scheme.of(scheme).constraints(names)
    valid = {
        labels
        for labels in itertools.product(range(len(names)), repeat=4)
        if not violations([names[label] for label in labels], scheme)
    }
    assert {tuple(labels.tolist()) for labels, _ in rules.constrain(lattice).best_n(10_000)} == valid

    def chunks(labels: tuple[int, ...]) -> int:
        return sum(span.type == "X" for span in spans([names[label] for label in labels]))

    best = rules.constrain(lattice).best(at_most_once=[rules.chunk("X")], continues=rules.continues)
    scored = {labels: lattice.score(labels) for labels in valid if chunks(labels) <= 1}
    assert tuple(best.labels.tolist()) == max(scored, key=scored.__getitem__)


def test_plain_labels_are_chunks_by_runs_as_in_addresses() -> None:
    rules = Scheme.PLAIN.constraints(["number", "street", "city"])
    assert rules.transitions.all()
    nodes = [[5, 0, 0], [0, 5, 0], [0, 5, 0], [0, 4, 3], [3, 0, 2], [0, 4, 3]]
    lattice = rules.constrain(Lattice(nodes, np.zeros((3, 3))))
    assert lattice.best().labels.tolist() == [0, 1, 1, 1, 0, 1]
    once = [rules.chunk(name) for name in rules.labels]
    assert lattice.best(at_most_once=once, continues=rules.continues).labels.tolist() == [0, 1, 1, 1, 2, 2]


def test_rules_refuse_what_they_cannot_use() -> None:
    with pytest.raises(InputError, match="got 'O' twice"):
        Scheme.BIO2.constraints(["O", "B-X", "O"])
    rules = Scheme.BIO2.constraints(["O", "B-X"])
    with pytest.raises(InputError, match="expected one of the types 'X', got 'Y'"):
        rules.chunk("Y")
    with pytest.raises(InputError, match="expected a lattice of 2 labels"):
        rules.constrain(Lattice([[0.0]], [[0.0]]))


def test_no_constraints_change_nothing() -> None:
    lattice = Lattice([[1.0, 2.0]] * 3, [[0.5, 0.0], [0.0, 1.5]], start=[1.0, 0.0], end=[0.0, 3.0])
    same = lattice.constrained()
    for name in ("nodes", "edges", "start", "end"):
        assert getattr(same, name).tolist() == getattr(lattice, name).tolist()


def test_bad_constraints_are_refused() -> None:
    lattice = Lattice(np.zeros((3, 2)), np.zeros((2, 2)))
    bad: list[tuple[dict[str, Any], str]] = [
        ({"fixed": {3: 0}}, "fixed, position: expected a number from 0 to 2, got 3"),
        ({"fixed": {-1: 0}}, "fixed, position: expected a number from 0 to 2, got -1"),
        ({"fixed": {0: 2}}, r"fixed\[0\]: expected a number from 0 to 1, got 2"),
        ({"forbidden": {0: [0, 5]}}, r"forbidden\[0\]: expected a number from 0 to 1, got 5"),
        ({"forbidden": {0: "ab"}}, r"forbidden\[0\]: expected a whole number, got 'a'"),
        ({"allowed_transitions": [[True]]}, r"allowed_transitions: expected shape \(2, 2\), got \(1, 1\)"),
        ({"allowed_start": [0, 1]}, "allowed_start: expected True and False, got int64"),
    ]
    for arguments, message in bad:
        with pytest.raises(InputError, match=message):
            lattice.constrained(**arguments)
    with pytest.raises(InputError, match="at_most_once: expected a number from 0 to 1, got 2"):
        lattice.best(at_most_once=[2])
    with pytest.raises(InputError, match=r"continues: expected shape \(2, 2\)"):
        lattice.best(at_most_once=[1], continues=[True, False])


@given(problems(longest=3, most=3), st.lists(st.sampled_from([0.0, 0.25, 1.0, 2.0]), min_size=2, max_size=3), st.integers(-2, 2))
@settings(deadline=None)
def test_a_combination_scores_the_weighted_sum(first: Problem, weights: list[float], shift: int) -> None:
    turned = Problem([[score / 2 + shift for score in row] for row in reversed(first.nodes)], first.edges, first.end, first.start)
    members = [first, turned, first][: len(weights)]
    combined = Lattice.combine([member.lattice() for member in members], weights)
    truths = [(weight, member.enumeration()) for weight, member in zip(weights, members, strict=True) if weight]
    for labels in itertools.product(range(first.labels), repeat=first.tokens):
        parts = [weight * truth.score(labels) for weight, truth in truths]
        expected = -math.inf if -math.inf in parts else math.fsum(parts)
        assert combined.score(labels) == pytest.approx(expected, rel=1e-12, abs=1e-9)


def test_combining_shared_and_varying_edges() -> None:
    shared = Lattice(np.ones((3, 2)), [[1.0, 2.0], [3.0, -np.inf]], start=[1.0, 0.0])
    varying = Lattice(np.zeros((3, 2)), np.arange(8.0).reshape(2, 2, 2), end=[0.0, 1.0])
    for members in ([shared, varying], [varying, shared]):
        combined = Lattice.combine(members)
        assert combined.edges.shape == (2, 2, 2)
        for labels in itertools.product(range(2), repeat=3):
            assert combined.score(labels) == (shared.score(labels) + varying.score(labels)) / 2


def test_combinations_that_mean_nothing_are_refused() -> None:
    lattice = Lattice([[0.0, -np.inf]], np.zeros((2, 2)))
    assert Lattice.combine([lattice, lattice], [0.0, 0.0]).nodes.tolist() == [[0.0, 0.0]]  # no member has weight
    for members, weights, message in [
        ([], None, "at least one lattice"),
        ([lattice], [1.0, 2.0], r"weights: expected shape \(1,\)"),
        ([lattice], [np.nan], "weights: expected finite numbers"),
        ([lattice], [-1.0], r"weights\[0\]: expected a weight of at least 0 for a lattice that forbids"),
        ([lattice, Lattice([[0.0]], [[0.0]])], None, r"lattices\[1\].nodes: expected shape \(1, 2\), got \(1, 1\)"),
    ]:
        with pytest.raises(InputError, match=message):
            Lattice.combine(members, weights)


def test_the_error_names_at_most_once() -> None:
    lattice = Lattice(np.zeros((2, 1)), np.zeros((1, 1)))
    with pytest.raises(InputError, match=r"no label sequence is possible.*, and at_most_once"):
        lattice.best(at_most_once=[0])
