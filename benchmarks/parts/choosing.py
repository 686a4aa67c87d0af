"""Choice of the tasks' settings: F1 on held-out sentences, never on the test set. Runs only when named."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from table import Row
from tasks import Task

import tagpool


def choosing(tasks: list[Task]) -> Iterator[Row]:
    for task in tasks:
        train, dev = task.read("train").split(0.1, seed=1)
        for pairs, l2 in product(("all", "observed"), (0.1, 0.3, 1.0, 2.0, 4.0)):
            crf = tagpool.CRF(task.templates, pairs=pairs, l2=l2).fit(train)
            yield Row(
                f"{task.name}: F1 on a tenth of train, pairs={pairs}, l2={l2:g}",
                f"{100 * crf.score(dev):.2f}",
                how="default trainer, trained on the other nine tenths",
            )
