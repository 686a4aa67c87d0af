"""``fit`` with a memory budget: checks of what it supports, then the training."""

from __future__ import annotations

from typing import Any

from tagpool.corpus.corpus import Corpus
from tagpool.corpus.labelled_files import LabelledFiles
from tagpool.errors import InputError, MemoryFor
from tagpool.experts.inputs import training_input
from tagpool.experts.linear.expert import Expert
from tagpool.experts.streamed.budget import Budget
from tagpool.experts.streamed.training import StreamedTraining
from tagpool.optim.trainers import TRAINERS, trainer_of

_TRAINERS = ("sgd", "lbfgs", "owlqn")


def fit_streamed(
    tagger: Any, sentences: Any, labels: Any, memory: str | int, *, dev: Any, sample_weight: Any, on_epoch: Any, checkpoint: Any
) -> None:
    """Train with a memory budget."""
    budget = Budget(memory)
    _check(tagger, sentences, labels, sample_weight)
    with MemoryFor("train the model"):
        if dev is not None:
            dev = training_input(*dev)[:2] if isinstance(dev, tuple) else training_input(dev)[0]
        if isinstance(sentences, Corpus):
            sentences = training_input(sentences)[0].require_labels()
        StreamedTraining(tagger, sentences, budget, dev=dev, checkpoint=checkpoint).run(on_epoch)
    tagger._truecaser = None


def _check(tagger: Any, sentences: Any, labels: Any, sample_weight: Any) -> None:
    """Raise an error for everything that needs all sentences in memory."""
    if not isinstance(tagger, Expert):
        raise InputError(f"a memory budget is for the learners crf and maxent, not for {tagger.kind}; train without memory")
    if not isinstance(sentences, (Corpus, LabelledFiles)) or labels is not None:
        raise InputError("a memory budget needs LabelledFiles or a Corpus with labels; make one with LabelledFiles(path)")
    kind = trainer_of(tagger.trainer).kind
    if kind not in _TRAINERS:
        others = ", ".join(one for one in TRAINERS if one in _TRAINERS)
        raise InputError(f"the trainer {kind} needs all sentences in memory; use one of {others}, or train without memory")
    refused = {
        "sample_weight": sample_weight is not None,
        "class_weight": tagger.class_weight is not None,
        "robust": tagger.robust is not None,
        "truecase": tagger.truecase,
        "warm_start (--from)": tagger.warm_start and tagger.is_fitted,
        "a part of the features": tagger._part is not None,
    }
    for name, is_used in refused.items():
        if is_used:
            raise InputError(f"{name} needs all sentences in memory; leave it out, or train without memory")
