"""The pool of ``dfi-pos``: members that err differently from the taggers of the paper, and what all of them get wrong."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

from tagpool.corpus.corpus import Corpus
from tagpool.evaluation.scores import score
from tagpool.experiments.clues import BLOCK
from tagpool.experiments.corpora import Split
from tagpool.experiments.fits import Labels
from tagpool.experiments.induction import PATIENCE, Step, Taggers, Task
from tagpool.experiments.study import Setting, Table
from tagpool.experts.linear.crf import CRF
from tagpool.optim.sgd import SGD

_CRF_EPOCHS, _CRF_DROPOUT, _CRF_L2 = 8, 0.5, 0.1
_SHOWN = 12
_EDGE = ""


def from_right_to_left(task: Task, step: Step, like: Taggers, setting: Setting) -> Taggers:
    """Return taggers of a row that start at the last word, with the penalty, slots and dropout of ``like``."""
    split = task.split
    turned = replace(task, split=Split(*(turn(part) for part in (split.train, split.dev, split.test))))
    result = Taggers(like.chosen, step=step.step, epochs=step.epochs or task.epochs)
    for seed in setting.seed_numbers():
        tagger = turned.tagger(step, setting, seed, **like.chosen)
        for labels, part in zip((result.on_dev, result.on_test), (turned.split.dev, turned.split.test), strict=True):
            labels.append([row[::-1] for row in tagger.predict(part)])
        _report("right to left", seed, task, result, setting)
    return result


def turn(corpus: Corpus) -> Corpus:
    """Return the corpus with every sentence from right to left.

    >>> turn(Corpus.from_lists(word=[["a", "b"]], label=[["A", "B"]])).labels
    [['B', 'A']]
    """
    columns = {name: [row[::-1] for row in corpus.column(name)] for name in corpus.columns}
    return Corpus.from_columns(columns, documents=range(0, len(corpus), BLOCK), source=corpus.source)


def crfs_with_dropout(task: Task, setting: Setting) -> Taggers:
    """Return CRFs with all features of the task but previous labels."""
    features = "\n".join(line for line in task.text.splitlines() if "label[" not in line)
    result = Taggers(epochs=_CRF_EPOCHS)
    for seed in setting.seed_numbers():
        trainer = SGD(epochs=_CRF_EPOCHS, dropout=_CRF_DROPOUT)
        tagger = CRF(
            features,
            resources=task.resources,
            l2=_CRF_L2,
            min_count=task.min_count,
            trainer=trainer,
            patience=PATIENCE,
            seed=seed,
            threads=setting.threads,
        )
        tagger.fit(task.split.train, dev=task.split.dev)
        for labels, part in zip((result.on_dev, result.on_test), (task.split.dev, task.split.test), strict=True):
            labels.append(tagger.predict(part))
        _report("CRF", seed, task, result, setting)
    return result


def pool_of_each_seed(task: Task, rows: Sequence[Taggers]) -> Taggers:
    """Return, for each seed, the majority vote of one tagger of each row."""
    result = Taggers()
    for seed in range(len(rows[0].on_dev)):
        pooled = task.pool([Taggers(on_dev=row.on_dev[seed : seed + 1], on_test=row.on_test[seed : seed + 1]) for row in rows])
        result.on_dev += pooled.on_dev
        result.on_test += pooled.on_test
    return result


def shared_errors(gold: Labels, outputs: Sequence[Labels]) -> tuple[float, Table]:
    """Return the share of tokens that all outputs get wrong, in percent, and a table of the most frequent of these errors.

    >>> share, table = shared_errors([["A", "B"]], [[["A", "A"]], [["B", "A"]]])
    >>> share, table.lines
    (50.0, [['B', 'A', '1']])
    """
    tokens = zip(chain.from_iterable(gold), zip(*map(chain.from_iterable, outputs), strict=True), strict=True)
    errors = [(right, tags) for right, tags in tokens if right not in tags]
    wrong = Counter((right, Counter(tags).most_common(1)[0][0]) for right, tags in errors)
    lines = [[right, usual, str(count)] for (right, usual), count in wrong.most_common(_SHOWN)]
    table = Table("Errors that all members of the pool share, on dev", ["true tag", "most members", "tokens"], lines)
    return 100 * len(errors) / max(1, sum(map(len, gold))), table


def disagreement(corpus: Corpus) -> tuple[int, float]:
    """Return the number of tokens whose word and neighbours occur more than once, and the percentage with a rare tag there.

    A tag is rare if most occurrences of the three words have another tag for the middle one.

    >>> words, tags = [["a", "run", "b"]] * 4, [["D", "N", "D"]] * 3 + [["D", "V", "D"]]
    >>> disagreement(Corpus.from_lists(word=words, label=tags))
    (12, 8.33)
    """
    tags: dict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
    for words, labels in zip(corpus.words, corpus.labels, strict=True):
        around = [_EDGE, *words, _EDGE]
        for at, label in enumerate(labels):
            tags[around[at], around[at + 1], around[at + 2]][label] += 1
    repeated = [counts for counts in tags.values() if counts.total() > 1]
    total = sum(counts.total() for counts in repeated)
    rare = sum(counts.total() - max(counts.values()) for counts in repeated)
    return total, round(100 * rare / max(1, total), 2)


def _report(name: str, seed: int, task: Task, result: Taggers, setting: Setting) -> None:
    setting.report(f"{name}, seed {seed}: dev {100 * score(task.split.dev.labels, result.on_dev[-1]).f1:.2f}")
