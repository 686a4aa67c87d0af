"""Dynamic feature induction (Choi 2016): the effect of external resources and of induced conjunctions.

The rows are those of the paper's tables, each with one addition to the one before, on tags (``induced_tags``) and on names
(``induced_names``). Deviation: clusters are of other text than the paper's, name lists are not DBpedia's, vectors are GloVe's,
and the lemma is left out. Dropout is an addition.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tagpool.evaluation.scores import score
from tagpool.experiments.corpora import Split
from tagpool.experiments.fits import Labels, compared, listed
from tagpool.experiments.study import Setting, Study, Table
from tagpool.experts.inducing.tagger import InducingTagger
from tagpool.features.parser import parse
from tagpool.pools.votes.pool import VotePool

_PENALTIES = (1e-8, 1e-7, 1e-6)
_SLOTS = (5_000_000, 1_500_000)
_DROPOUTS = (0.0, 0.2)
PATIENCE = 3
POOLED = "the seeds pooled"
_NOT_PRINTED = (None, None, None, None)


@dataclass(frozen=True)
class Step:
    """A row: the bags of features of its taggers, and whether they induce conjunctions; ``paper`` has the printed figures.

    ``step`` is the step size. ``like`` names the row whose penalty and slots are used (default: chosen on dev). ``epochs`` is the
    maximum number of epochs (default: that of the task).
    """

    name: str
    bags: tuple[str, ...] = ()
    induces: bool = False
    paper: tuple[float | None, ...] = _NOT_PRINTED
    step: float = 0.02
    like: str = ""
    epochs: int = 0


@dataclass(frozen=True)
class Task:
    """Corpora and resources of a task; epochs of the final taggers and of the ones tried on dev."""

    split: Split
    text: str
    resources: Mapping[str, Any]
    epochs: int
    tried_epochs: int
    beam: int = 1
    scheme: str | None = None
    min_count: int = 1
    average_from: int = 2

    def tagger(self, step: Step, setting: Setting, seed: int, **chosen: Any) -> InducingTagger:
        """Return a trained tagger of a row; dev stops its training."""
        features = str(parse(self.text).restrict(*(step.bags or ("base",))))
        needed = parse(features).resources
        options = {"epochs": step.epochs or self.epochs, "average_from": self.average_from} | chosen
        created = InducingTagger(
            features,
            resources={name: item for name, item in self.resources.items() if name in needed},
            induce=step.induces,
            step=step.step,
            beam=self.beam,
            min_count=self.min_count,
            patience=PATIENCE,
            seed=seed,
            threads=setting.threads,
            **options,
        )
        return created.fit(self.split.train, dev=self.split.dev)

    def pool(self, rows: Sequence[Taggers]) -> Taggers:
        """Return the majority vote of the taggers of some rows; ties go to the first."""
        members = [(row, seed) for row in rows for seed in range(len(row.on_dev))]
        if len(members) == 1:  # a quick run has one seed
            return Taggers(on_dev=rows[0].on_dev, on_test=rows[0].on_test)
        on_dev = {str(number): row.on_dev[seed] for number, (row, seed) in enumerate(members)}
        on_test = {str(number): row.on_test[seed] for number, (row, seed) in enumerate(members)}
        pool = VotePool("majority", key="shared", scheme=self.scheme, unknown="allow").fit(on_dev, self.split.dev.labels)
        return Taggers(on_dev=[pool.predict(on_dev)], on_test=[pool.predict(on_test)])


@dataclass
class Taggers:
    """The taggers of a row, one for each seed: the penalty and the slots chosen on dev, and their labels."""

    chosen: Mapping[str, Any] = field(default_factory=dict)
    paper: tuple[float | None, ...] = _NOT_PRINTED
    step: float = 0.0
    epochs: int = 0
    on_dev: list[Labels] = field(default_factory=list)
    on_test: list[Labels] = field(default_factory=list)
    greedy: tuple[list[Labels], list[Labels]] = field(default_factory=lambda: ([], []))
    features: int = 0
    pairs: int = 0
    tried: list[str] = field(default_factory=list)


def train_steps(task: Task, steps: Sequence[Step], setting: Setting) -> dict[str, Taggers]:
    """Return the taggers of each row by name."""
    results: dict[str, Taggers] = {}
    for step in steps:
        results[step.name] = _train_step(task, step, results, setting)
    return results


def _train_step(task: Task, step: Step, before: Mapping[str, Taggers], setting: Setting) -> Taggers:
    """Choose the penalty, the slots and the dropout on dev with the first seed; train all seeds with them."""
    chosen = {"l1": _PENALTIES[1], "slots": _SLOTS[0]}
    result = Taggers(chosen, step.paper, step.step, step.epochs or task.epochs)
    if step.like:
        result.chosen = {name: before[step.like].chosen[name] for name in chosen}
    elif not setting.quick:
        _choose(task, step, result, setting)
    first = _choose_dropout(task, step, result, setting)
    for seed in setting.seed_numbers():
        tagger = first if seed == 1 else task.tagger(step, setting, seed, **result.chosen)
        if seed == 1:
            result.features, result.pairs = tagger.feature_count, tagger.conjunction_count
        parts = task.split.dev, task.split.test
        for labels, part in zip((result.on_dev, result.on_test), parts, strict=True):
            labels.append(tagger.predict(part))
        if task.beam > 1:
            tagger.beam = 1
            for labels, part in zip(result.greedy, parts, strict=True):
                labels.append(tagger.predict(part))
        setting.report(f"{step.name}, seed {seed}: dev {100 * score(task.split.dev.labels, result.on_dev[-1]).f1:.2f}")
    return result


def _choose(task: Task, step: Step, result: Taggers, setting: Setting) -> None:
    tried: list[tuple[float, Mapping[str, Any]]] = []

    def attempt(l1: float, slots: int) -> None:
        tagger = task.tagger(step, setting, 1, l1=l1, slots=slots, epochs=task.tried_epochs, average_from=None)
        reached = 100 * score(task.split.dev.labels, tagger.predict(task.split.dev)).f1
        setting.report(f"{step.name}, l1 {l1:g}, slots {slots:,}, {task.tried_epochs} epoch(s): dev {reached:.2f}")
        tried.append((reached, {"l1": l1, "slots": slots}))
        result.tried.append(f"{l1:g}{f' and {slots:,}' if step.induces else ''}: {reached:.2f}")

    for l1 in _PENALTIES:
        attempt(l1, _SLOTS[0])
    if step.induces:
        for slots in _SLOTS[1:]:
            attempt(max(tried, key=lambda trial: trial[0])[1]["l1"], slots)
    result.chosen = max(tried, key=lambda trial: trial[0])[1]


def _choose_dropout(task: Task, step: Step, result: Taggers, setting: Setting) -> InducingTagger:
    """Choose the dropout, and return the tagger of the first seed that has it. A quick run does not choose."""
    tried: list[tuple[float, float, InducingTagger]] = []
    for dropout in _DROPOUTS[-1:] if setting.quick else _DROPOUTS:
        tagger = task.tagger(step, setting, 1, **result.chosen, dropout=dropout)
        reached = 100 * score(task.split.dev.labels, tagger.predict(task.split.dev)).f1
        setting.report(f"{step.name}, dropout {dropout:g}: dev {reached:.2f}")
        tried.append((reached, dropout, tagger))
        result.tried.append(f"dropout {dropout:g}: {reached:.2f}")
    _, best, tagger = max(tried, key=lambda trial: trial[0])
    result.chosen = {**result.chosen, "dropout": best}
    return tagger


def add_notes(study: Study, task: Task, results: Mapping[str, Taggers], rivals: Mapping[str, str], setting: Setting) -> None:
    """Add notes about the choices on dev and the differences of rivals, and a table of the taggers' features."""
    slots = " and ".join(f"{count:,}" for count in _SLOTS)
    outputs = {name: item.on_test for name, item in results.items()}
    study.notes += [f"On the test set, {note}" for note in compared(task.split.test.labels, outputs, rivals)]
    study.notes += [
        f"Means over {len(setting.seed_numbers())} seeds; intervals are mean bounds of a bootstrap over sentences. The penalty, "
        f"from {listed(_PENALTIES)} a token, and the slots for pairs, from {slots}, are the best on dev with the first "
        f"seed, after {task.tried_epochs} epoch(s) only: curves are flat. Dev decides the "
        "epoch; weights are averaged over epochs. Deviation: the step is not 0.02 everywhere.",
        f"Beyond the paper: dropout, {' or '.join(f'{rate:g}' for rate in _DROPOUTS)}, whichever is better on dev with the first "
        "seed. A token lacks this share of its features in an epoch, and the conjunctions of these.",
        "Pooled: the majority vote of the taggers.",
    ]
    lines = [
        [
            name,
            f"{item.features:,}",
            f"{item.pairs:,}",
            f"{100 * item.pairs / max(1, item.features):.0f}%",
            f"{item.step:g}",
            f"{item.epochs}",
            f"{item.chosen['dropout']:g}",
            f"{item.chosen['l1']:g}",
            f"{item.chosen['slots']:,}" if item.pairs else "",
            "; ".join(item.tried),
        ]
        for name, item in results.items()
        if item.features
    ]
    header = ["", "features", "pairs", "share", "step", "most epochs", "dropout", "l1", "slots", "dev of the values tried"]
    study.tables.append(Table("Features of the first seed", header, lines))
