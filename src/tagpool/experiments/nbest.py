"""N-best lists as experts: the outputs of one system by their rank, and the tables of a study with them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tagpool.experiments.output_losses import output_losses
from tagpool.experiments.paths_study import Losses, Printed, compare_order
from tagpool.experiments.study import Setting, Study, Table
from tagpool.experts.linear.crf import CRF

Output: TypeAlias = list[str]
Lists: TypeAlias = list[list[Output]]  # for every word its distinct outputs, best first

_WIDEST = 64  # label sequences that are searched for each distinct output, at most
_BLOCK = 500  # words whose lattices are in memory together
_BINS = ((2, 3), (4, 5), (6, 7), (8, 9), (10, 11), (12, 99))  # lengths
_RANKS = (1, 2, 3, 5, 10, 20, 50)


def best_outputs(model: CRF, sentences: Any, ranks: int, convert: Callable[[Iterable[str]], Output] = list) -> Lists:
    """Return the best distinct outputs of every sentence, without empty ones; ``convert`` makes an output of labels."""
    lists: Lists = []
    for begin in range(0, len(sentences), _BLOCK):
        for lattice in model.lattices(sentences[begin : begin + _BLOCK]):
            count = ranks
            while True:
                labellings = lattice.best_n(count)
                outputs = [tuple(convert([model.labels_[number] for number in labels.tolist()])) for labels, _ in labellings]
                distinct = list(dict.fromkeys(output for output in outputs if output))
                if len(distinct) >= ranks or len(labellings) < count or count >= _WIDEST * ranks:
                    break
                count *= 2
            lists.append([list(output) for output in distinct[:ranks]])
    return lists


def experts_of(lists: Lists, ranks: range) -> dict[str, list[Output]]:
    """Return the outputs by rank, counted from 0.

    >>> experts_of([[["a"], ["b"]], [["c"], ["d"]]], range(2))
    {'rank 1': [['a'], ['c']], 'rank 2': [['b'], ['d']]}
    """
    return {f"rank {rank + 1}": [ranked[rank] for ranked in lists] for rank in ranks}


@dataclass
class Results:
    """The study that is written, and the lines of its further tables."""

    setting: Setting
    study: Study
    gains: list[list[str]] = field(default_factory=list)
    orders: list[list[str]] = field(default_factory=list)
    lengths: list[list[str]] = field(default_factory=list)

    @property
    def folds(self) -> int:
        """Number of sets of words to learn from."""
        return 2 if self.setting.quick else 10

    def learned(self, wanted: float, count: int) -> int:
        """Return the size of a set of words to learn from: as wanted, if ``count`` words suffice for disjoint sets."""
        return max(min(int(wanted), count // (self.folds + self.setting.quick)), 2)

    def add(self, heading: str, metric: str, losses: Losses, papers: Printed | None = None, scale: float = 100.0) -> None:
        """Add the rows of a metric, the gains of MVote, and the pairs of methods in the order of the paper."""
        self.study.sections.setdefault(heading, []).append(metric)
        rows = losses.spread_rows(metric, papers, scale)
        self.study.rows += [row for row in rows if not row.row.startswith("expert")]
        self.gains.append([metric, *(str(losses.less("mvote", other, scale)) for other in ("best", "majority"))])
        if papers is not None:
            for sle in ("sle", "sle, stopped early"):
                same, others = compare_order(losses, papers, scale, rows={"sle": sle})
                self.orders.append([metric, sle, f"{same} of {same + len(others)}", "; ".join(others)])

    def add_lengths(self, name: str, losses: Losses, lengths: NDArray[Any]) -> None:
        """Add lines with the losses of the best expert and of MVote by length."""
        for low, high in _BINS:
            chosen = (lengths >= low) & (lengths <= high)
            if chosen.sum() < 2:
                continue
            best, pooled = (f"{100 * losses.mean_of(method, chosen):.2f}" for method in ("best", "mvote"))
            longest = min(high, int(lengths.max()))
            symbols = f"{low} to {longest}" if longest > low else str(low)
            less = str(losses.less("mvote", "best", sentences=chosen))
            self.lengths.append([name, symbols, str(int(chosen.sum())), best, pooled, less])

    def finish(self) -> Study:
        """Return the study with all tables."""
        gain = "gain (95% interval), p"
        self.study.tables += [
            Table("Gain of MVote: the loss of the other minus its own", ["", "best expert", "majority"], self.gains),
            Table("Gain of MVote by length", ["", "symbols", "words", "best", "mvote", gain], self.lengths),
            Table(
                "Pairs of methods in the order of the paper",
                ["", "SLE read as", "same order", "other order here (our losses)"],
                self.orders,
            ),
        ]
        return self.study


def rank_table(title: str, lists: Lists, gold: Sequence[Output]) -> Table:
    """Return a table with the Hamming loss of the outputs of some ranks, and of the best output up to each.

    >>> rank_table("Ranks", [[["a", "b"], ["a", "c"]], [["b"]]], [["a", "c"], ["b"]]).lines
    [['1', '2', '25.00', '25.00'], ['2', '1', '0.00', '0.00']]
    """
    lines = []
    for rank in _RANKS:
        chosen = [(ranked, right) for ranked, right in zip(lists, gold, strict=True) if len(ranked) >= rank]
        if not chosen:
            break
        lost = np.array([[output_losses(right, output)[0] for output in ranked[:rank]] for ranked, right in chosen])
        lines.append([str(rank), str(len(chosen)), f"{100 * lost[:, -1].mean():.2f}", f"{100 * lost.min(axis=1).mean():.2f}"])
    return Table(title, ["rank", "words", "Hamming", "Hamming of the best up to this rank"], lines)
