"""The models of ``users``, as their users train them: with the defaults. As a program, this module trains and tags."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tagpool.corpus.formats import read_corpus
from tagpool.experiments.users_processes import DEV, TRAIN, Labels, file_of, serve
from tagpool.pools.loading import load

if TYPE_CHECKING:
    from tagpool.corpus.corpus import Corpus

ONE, ROBUST, BAGGED = "one CRF", "robust CRF", "feature bagging"
ELITIST, INDUCING, STACKED = "elitist pool", "inducing tagger", "stacked pool"
STACK_SENTENCES = 1000
_COLUMNS = "word,label"
_STACK = "stack.pool"
_CRF, _INDUCING = "tagpool.experts.linear.crf", "tagpool.experts.inducing.tagger"
_BAGGING, _ELITIST = "tagpool.pools.bagging.pool", "tagpool.pools.elitist.pool"
_STACKING, _PREDICTIONS = "tagpool.pools.stacked.pool", "tagpool.pools.votes.predictions"


def _get(module: str, name: str) -> Any:
    """Return a class or function. Its module is imported when it is used, so that a process has those of its model only."""
    return getattr(importlib.import_module(module), name)


def _crf(seed: int, **parameters: Any) -> Any:
    return _get(_CRF, "CRF")(seed=seed, **parameters)


LEARNERS: dict[str, Callable[[int], Any]] = {
    ONE: _crf,
    ROBUST: lambda seed: _crf(seed, robust="auto"),
    BAGGED: lambda seed: _get(_BAGGING, "BaggingPool")(_crf(seed), seed=seed),
    ELITIST: lambda seed: _get(_ELITIST, "ElitistPool")(seed=seed),
    INDUCING: lambda seed: _get(_INDUCING, "InducingTagger")(seed=seed),
}
MEMBERS = (ONE, ROBUST, INDUCING)
"""The members of the stack: one model each that was trained on clean text, on changed text, and from its errors."""
MODELS = (*LEARNERS, STACKED)


class Taggers:
    """Trains the models, and tags with them."""

    def fit(self, name: str, files: Path, model: Path, seed: int) -> None:
        """Train from files and write the model: a file, or a folder of the files of a stack."""
        train, dev = (read_corpus(file_of(files, part), columns=_COLUMNS) for part in (TRAIN, DEV))
        if name == STACKED:
            _fit_stack(train, dev, model, seed)
        else:
            LEARNERS[name](seed).fit(train, dev=dev).save(model)

    def load(self, model: Path) -> Callable[[list[list[str]]], Labels]:
        """Return a function that labels sentences."""
        if not model.is_dir():
            tagger = load(model)
            return lambda words: list(tagger.predict(words))
        members = {name: load(_member(model, name)) for name in MEMBERS}
        stack: Any = load(model / _STACK)
        predictions_of = _get(_PREDICTIONS, "predictions_of")
        return lambda words: list(stack.predict(predictions_of(members, words), words=words))

    def words(self, path: Path) -> list[list[str]]:
        """Return the words of a file."""
        return [list(words) for words in read_corpus(path, columns=_COLUMNS).words]


def _fit_stack(train: Corpus, dev: Corpus, model: Path, seed: int) -> None:
    """Train the members on all sentences, and the stack on the labels that they give to sentences they have not seen."""
    members = {name: LEARNERS[name](seed) for name in MEMBERS}
    predictions = _get(_PREDICTIONS, "cross_val_predict")(members, train, seed=seed)
    chosen = stack_sentences(len(train))
    seen = {name: [rows[number] for number in chosen] for name, rows in predictions.items()}
    model.mkdir()
    _get(_STACKING, "StackedPool")(seed=seed).fit(seen, train.select(chosen)).save(model / _STACK)
    for name, member in members.items():
        member.fit(train, dev=dev).save(_member(model, name))


def stack_sentences(count: int) -> list[int]:
    """Return the training sentences that a stack learns from, from the first to the last: all, or some at equal distances.

    >>> stack_sentences(3), len(stack_sentences(14_041)), stack_sentences(2000)[:3]
    ([0, 1, 2], 1000, [0, 2, 4])
    """
    return [place * count // STACK_SENTENCES for place in range(STACK_SENTENCES)] if count > STACK_SENTENCES else [*range(count)]


def _member(model: Path, name: str) -> Path:
    return model / f"{name.replace(' ', '-')}.tagpool"


if __name__ == "__main__":
    serve(Taggers(), sys.argv[1:])
