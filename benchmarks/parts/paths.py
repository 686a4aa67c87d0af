"""VotePool: cost of fitting, and its growth with the automaton and the number of rounds."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from measure import HERE, fastest, in_fresh_process, timed
from table import Row, fraction
from tasks import Task

import tagpool

_SEQUENCES, _POSITIONS, _EXPERTS, _LABELS = 40_000, 10, 20, 12
_SIZES = (1, 2, 4)  # of automata and of sets of rounds, beside one another
_ROUNDS = 1000  # sentences that automata are fitted on

Sequences = list[list[str]]


def paths(_: list[Task]) -> Iterator[Row]:
    predictions, gold = _random_experts(_SEQUENCES, _POSITIONS, _EXPERTS)
    taken = min((timed(lambda: tagpool.VotePool("mvote").fit(predictions, gold)) for _ in range(3)), key=lambda each: each.cpu)
    yield Row(
        f"fitting MVote on {_SEQUENCES:,} sequences × {_POSITIONS} positions × {_EXPERTS} experts",
        f"{taken.cpu:.2f} s CPU",
        f"from lists of labels, minimum of 3: {taken}",
    )
    yield _by_edges()
    yield _by_rounds()


def _random_experts(sequences: int, positions: int, experts: int) -> tuple[dict[str, Sequences], Sequences]:
    """Return experts that are right with probabilities from 0.5 to 0.95 and random otherwise."""
    random = np.random.default_rng(1)
    names = np.array([f"L{number}" for number in range(_LABELS)], dtype=object)
    gold = random.integers(0, _LABELS, (sequences, positions))
    messages = {}
    for number, right in enumerate(np.linspace(0.5, 0.95, experts)):
        wrong = random.integers(0, _LABELS, gold.shape)
        messages[f"e{number}"] = names[np.where(random.random(gold.shape) < right, gold, wrong)].tolist()
    return messages, names[gold].tolist()


def _automaton(width: int) -> tagpool.Automaton:
    """Return an automaton with up to ``width`` states per position, and one edge per expert from each state."""
    edges: list[tuple[tuple[int, int], tuple[int, int], int]] = []
    states = [0]
    for position in range(_POSITIONS):
        reached = {(state, expert): (3 * state + 7 * expert) % width for state in states for expert in range(_EXPERTS)}
        edges += [((position, state), (position + 1, to), expert) for (state, expert), to in reached.items()]
        states = sorted(set(reached.values()))
    return tagpool.Automaton(edges)


def _by_edges() -> Row:
    """Measure the time per round and edge for automata of n, 2n and 4n edges."""
    predictions, gold = _random_experts(_ROUNDS, _POSITIONS, _EXPERTS)
    pools = {f"{size}": tagpool.VotePool("mvote", automaton=_automaton(20 * size)) for size in _SIZES}
    result = fastest({name: lambda pool=pool: pool.fit(predictions, gold) for name, pool in pools.items()}, rounds=3)
    edges = [len(pools[f"{size}"].automaton or ()) for size in _SIZES]
    item = [1e9 * result[f"{size}"].cpu / count / _ROUNDS for size, count in zip(_SIZES, edges, strict=True)]
    counted = ", ".join(f"{count:,} edges {time:.0f} ns" for count, time in zip(edges, item, strict=True))
    return fraction(
        "a general automaton: CPU time for each edge and round, four times the edges over one time",
        item[-1] / item[0],
        f"MVote, {_ROUNDS:,} rounds, the whole fit: {counted}",
    )


_PEAK = """
import json, resource, sys
sys.path.insert(0, sys.argv[1])
from measure import peak_memory
import numpy as np
from tagpool.pools.votes.ballots import Ballots, native_ballots
rounds, positions, experts, labels = map(int, sys.argv[2:6])
random = np.random.default_rng(1)
votes = random.integers(0, labels, (rounds * positions, experts), np.int32)
gold = random.integers(0, labels, rounds * positions, np.int32)
offsets = np.arange(0, rounds * positions + 1, positions, dtype=np.uint32)
ballots = Ballots(tuple(map(str, range(experts))), tuple(map(str, range(labels))), offsets, votes, gold)
rows = np.tile(np.arange(positions, dtype=np.int32), rounds)
native = native_ballots(ballots, 1.0 - np.eye(labels), rows, positions, None)
before = peak_memory()
native.expected_losses(False, 0.95, 1)
native.averaged(False, 0.95, 1, rounds // 2, rounds)
print(json.dumps({"grown": peak_memory() - before}))
"""


def _by_rounds() -> Row:
    """Measure the memory beyond the input for T and 2T rounds."""
    rounds = (100_000, 200_000)
    grown = [in_fresh_process(_PEAK, str(HERE), *map(str, (count, _POSITIONS, _EXPERTS, _LABELS)))["grown"] for count in rounds]
    stored = 8 * _POSITIONS * _EXPERTS * (rounds[1] - rounds[0])
    return fraction(
        "memory of a round: what MVote needs more for each of them, over an array of rounds × edges",
        (grown[1] - grown[0]) / stored,
        f"{grown[0] / 1e6:.1f} MB at the peak beside votes for {rounds[0]:,} rounds, {grown[1] / 1e6:.1f} MB for {rounds[1]:,};"
        f" such an array would be {stored / 1e6:.0f} MB larger",
    )
