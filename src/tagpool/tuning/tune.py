"""The function ``tune``: the best parameters of a learner by its score on held-out sentences."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

from tagpool.corpus.corpus import Corpus
from tagpool.errors import check_type
from tagpool.tuning.held_out import hold_out
from tagpool.tuning.result import Trial, Tuning
from tagpool.tuning.search import Budget, Search


def tune(
    learner: Any,
    train: Corpus,
    dev: Corpus | None = None,
    *,
    trials: int | None = None,
    minutes: float | None = None,
    fixed: Collection[str] = (),
    study: str | Path | None = None,
    on_trial: Callable[[Trial], object] | None = None,
) -> Tuning:
    """Search for the parameters of a learner that give the best F1 on a dev set. This needs Optuna: ``tagpool[tune]``.

    The ranges are declared with the parameters. The first trial has the defaults, so that the result is never worse on the dev
    set. The best score of many trials is optimistic: measure it on other sentences. The seed of the search is that of the
    learner; the same seed and number of trials give the same result.

    Args:
        learner: An unfitted learner. Parameters that differ from their defaults keep their values, so
            ``CRF("ner", l2=0.5)`` is searched with that ``l2``.
        train: The training sentences.
        dev: The sentences that are scored (default: a tenth of the training sentences, which is held out; documents stay
            together).
        trials: The number of trainings (default: 40, or no limit with ``minutes``).
        minutes: The time of all trials. The first trial is always finished.
        fixed: Names of further parameters that keep their values, such as ``"learner.l2"`` or ``"features.min_count"``.
        study: File that stores the trials. The same call continues them, also after the process was killed; trials of the file
            count for ``trials`` and ``minutes``.
        on_trial: Function that is called after every trial.

    Inside ``with Ray(workers=2).start():`` (``tagpool.bridges.ray``), several trials are trained at the same time. Values are
    then chosen for batches of eight trials, so that the result does not depend on the number of workers. It may differ from that
    of another search, which chooses every trial from the scores of all before it.

    >>> from tagpool import CRF, builtin_corpus
    >>> result = tune(CRF("word[-1..1]"), builtin_corpus(100), builtin_corpus(80, part="dev"), trials=3)
    >>> len(result.trials), result.gain >= 0
    (3, True)
    >>> fitted = result.learner.fit(builtin_corpus(100), dev=builtin_corpus(80, part="dev"))
    >>> fitted.summary_["dev"] == result.best.score
    True
    """
    check_type(train, Corpus, "the training sentences as a Corpus")
    if dev is None:
        train, dev = hold_out(train)
    check_type(dev, Corpus, "the dev sentences as a Corpus")
    budget = Budget(trials, minutes)
    with Search(learner, train.require_labels(), dev.require_labels(), fixed=fixed, study=study) as search:
        search.run(budget, on_trial)
        return search.result()
