"""Dynamic feature induction (Choi 2016): what outside knowledge, and pairs that a learner joins by itself, bring to it.

The rows are those of the paper's tables, each with one thing more than the one before, on tags and on names. Deviation: clusters
are of other text than the paper's, name lists are not DBpedia's, vectors are GloVe's, and the lemma is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tagpool.evaluation.breakdown import vocabulary_breakdown, vocabulary_of
from tagpool.evaluation.scores import score
from tagpool.experiments.corpora import Split, clusters, conll2003, gazetteers, journal_split, possible_tags, vectors
from tagpool.experiments.fits import Labels, compared, listed, measured, precision_and_recall
from tagpool.experiments.study import Row, Setting, Study, Table
from tagpool.experiments.texts import templates
from tagpool.experts.inducing import InducingTagger
from tagpool.features.parser import parse
from tagpool.features.resources import AmbiguityClasses

_PENALTIES = (1e-8, 1e-7, 3e-7)
_SLOTS = (5_000_000, 1_500_000)
_PATIENCE = 4
_EPOCHS_OF_TAGS, _EPOCHS_OF_NAMES = 12, 30  # at most: there are five times as many tags


@dataclass(frozen=True)
class Step:
    """A row: the bags of features that its taggers have, and whether they join features; ``paper`` has what was printed."""

    name: str
    bags: tuple[str, ...] = ()
    induces: bool = False
    paper: tuple[float | None, ...] = (None, None, None, None)


@dataclass(frozen=True)
class Task:
    """What is tagged, and with what."""

    split: Split
    text: str
    resources: Mapping[str, Any]
    epochs: int

    def tagger(self, step: Step, setting: Setting, seed: int, **chosen: Any) -> InducingTagger:
        """A tagger of a row, trained; dev says how long."""
        features = str(parse(self.text).restrict(*(step.bags or ("base",))))
        needed = parse(features).resources
        made = InducingTagger(
            features,
            resources={name: each for name, each in self.resources.items() if name in needed},
            induce=step.induces,
            epochs=self.epochs,
            patience=_PATIENCE,
            seed=seed,
            threads=setting.threads,
            **chosen,
        )
        return made.fit(self.split.train, dev=self.split.dev)


@dataclass(frozen=True)
class Found:
    """The taggers of a row, one for each seed: the penalty and the slots that dev has chosen, and what they say."""

    chosen: Mapping[str, float]
    on_dev: list[Labels]
    on_test: list[Labels]
    features: int
    pairs: int


TAG_STEPS = (
    Step("M0: baseline", paper=(97.09, 86.14, 97.18, 86.35)),
    Step("M1: M0 + outside classes", ("possible",), paper=(97.37, 91.92, 97.37, 91.34)),
    Step("M2: M1 + clusters", ("possible", "clusters"), paper=(97.45, 91.96, 97.46, 91.23)),
    Step("M3: M1 + induction", ("possible",), True, (97.42, 92.10, 97.52, 91.53)),
    Step("M4: M2 + induction", ("possible", "clusters"), True, (97.48, 92.21, 97.64, 92.03)),
)
NAME_STEPS = (
    Step("M0: baseline", paper=(90.87, 89.15, 90.00, 84.44)),
    Step("M1: M0 + name lists", ("names",), paper=(92.30, 90.61, 91.45, 86.85)),
    Step("M2: M1 + clusters", ("names", "clusters"), paper=(93.66, 91.79, 92.72, 89.64)),
    Step("M3: M2 + embeddings", ("names", "clusters", "embeddings"), paper=(94.14, 92.43, 93.27, 90.57)),
    Step("M4: M3 + induction", ("names", "clusters", "embeddings"), True, (94.50, 93.10, 93.79, 91.00)),
    Step("M3 + documents", ("names", "clusters", "embeddings", "document")),
    Step("M4 + documents", ("names", "clusters", "embeddings", "document"), True),
)


def run_tags(setting: Setting) -> Study:
    """Tables 3 and 4: parts of speech of the Wall Street Journal."""
    study = Study("dfi-pos", "Dynamic feature induction: tags of the Wall Street Journal (DFI, Tables 3 and 4)")
    split = journal_split(setting)
    resources = {
        "classes": AmbiguityClasses.from_corpus(split.train),
        "possible": possible_tags(setting),
        "possible_small": possible_tags(setting, small=True),
        "brown": clusters(setting),
    }
    known = vocabulary_of(split.train.words)
    task = Task(split, templates("tags-induced"), resources, _EPOCHS_OF_TAGS)
    found: dict[str, Found] = {}
    for step in TAG_STEPS:
        here = found[step.name] = _found(task, step, setting)
        for where, part, said, papers in (
            ("dev", split.dev, here.on_dev, step.paper[:2]),
            ("test", split.test, here.on_test, step.paper[2:]),
        ):
            study.rows.append(measured(step.name, f"{where}, all", part.labels, said, paper=papers[0]))
            unknown = [vocabulary_breakdown(part.words, part.labels, labels, known).out_of_vocabulary for labels in said]
            mean = sum(each.accuracy for each in unknown) / len(unknown)
            study.rows.append(Row(step.name, f"{where}, unknown words", round(mean, 2), paper=papers[1]))
    rivals = {"M3: M1 + induction": "M1: M0 + outside classes", "M4: M2 + induction": "M2: M1 + clusters"}
    _add_notes(study, found, rivals, split, setting)
    return study


def run_names(setting: Setting) -> Study:
    """Tables 7 and 8: names of CoNLL-2003."""
    study = Study("dfi-ner", "Dynamic feature induction: names of CoNLL-2003 (DFI, Tables 7 and 8)")
    split = conll2003(setting)
    resources = {"names": gazetteers(setting), "brown": clusters(setting), "glove": vectors(setting)}
    task = Task(split, templates("names-induced"), resources, _EPOCHS_OF_NAMES)
    found: dict[str, Found] = {}
    for step in NAME_STEPS:
        here = found[step.name] = _found(task, step, setting)
        study.rows += precision_and_recall(step.name, "dev", split.dev.labels, here.on_dev, step.paper[:2])
        study.rows.append(measured(step.name, "dev F1", split.dev.labels, here.on_dev, paper=step.paper[2]))
        study.rows.append(measured(step.name, "test F1", split.test.labels, here.on_test, paper=step.paper[3]))
    rivals = {"M4: M3 + induction": "M3: M2 + embeddings", "M4 + documents": "M3 + documents"}
    _add_notes(study, found, rivals, split, setting)
    study.notes.append(
        "Labels are BIOES inside. Documents: what the other occurrences of a word in its document look like, beyond the paper."
    )
    return study


def _found(task: Task, step: Step, setting: Setting) -> Found:
    """Tries every penalty with the first seed, then fewer slots with the best one; the other seeds have what was best."""
    tried: list[tuple[float, Mapping[str, float], InducingTagger]] = []

    def attempt(l1: float, slots: int) -> None:
        tagger = task.tagger(step, setting, 1, l1=l1, slots=slots)
        reached = score(task.split.dev.labels, tagger.predict(task.split.dev)).f1
        setting.say(f"{step.name}, l1 {l1:g}, slots {slots:,}: dev {reached:.2f}")
        tried.append((reached, {"l1": l1, "slots": slots}, tagger))
        tried.sort(key=lambda each: -each[0])
        del tried[1:]  # a tagger with its resources is large

    for l1 in _PENALTIES[-1:] if setting.quick else _PENALTIES:
        attempt(l1, _SLOTS[0])
    if step.induces and not setting.quick:
        attempt(tried[0][1]["l1"], _SLOTS[1])
    _, chosen, first = tried[0]
    result = Found(chosen, [], [], first.feature_count, first.pair_count)
    for seed in setting.seed_numbers():
        tagger = first if seed == 1 else task.tagger(step, setting, seed, **chosen)
        setting.say(f"{step.name}, seed {seed}")
        result.on_dev.append(tagger.predict(task.split.dev))
        result.on_test.append(tagger.predict(task.split.test))
    return result


def _add_notes(study: Study, found: Mapping[str, Found], rivals: Mapping[str, str], split: Split, setting: Setting) -> None:
    slots = " and ".join(f"{count:,}" for count in _SLOTS)
    said = {name: each.on_test for name, each in found.items()}
    study.notes += [f"On the test set, {note}" for note in compared(split.test.labels, said, rivals)]
    study.notes += [
        f"Means over {len(setting.seed_numbers())} seeds; intervals are mean bounds of a bootstrap over sentences. The penalty, "
        f"from {listed(_PENALTIES)} a token, and the slots for pairs, from {slots}, are the best on dev with the first "
        "seed, and dev says which epoch is kept. Weights are averaged over epochs; tagging is greedy.",
    ]
    lines = [
        [
            name,
            f"{each.features:,}",
            f"{each.pairs:,}",
            f"{100 * each.pairs / max(1, each.features):.0f}%",
            f"{each.chosen['l1']:g}",
            f"{each.chosen['slots']:,}" if each.pairs else "",
        ]
        for name, each in found.items()
    ]
    study.tables.append(Table("Features of the first seed", ["", "features", "pairs", "share", "l1", "slots"], lines))
