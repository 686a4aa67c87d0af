"""TwoStageTagger: a second tagger that uses the labels of a first one in the same document (after Krishnan and Manning 2006).

Some mentions of a name are easier to label than others. The first stage labels the whole document. The second stage labels it
again, with features of the labels of other mentions. It is trained on labels of first stages that were trained without the
document: on their training sentences, first stages make too few errors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from tagpool.chain.checks import FloatArray
from tagpool.corpus.corpus import Corpus
from tagpool.errors import InputError
from tagpool.experts.fit_task import FitTask, adopt, run_fit
from tagpool.experts.inducing.tagger import InducingTagger
from tagpool.experts.inputs import as_sentences
from tagpool.experts.linear.expert import Expert
from tagpool.experts.tagger import Tagger
from tagpool.experts.tasks import current_tasks
from tagpool.features.parser import parse
from tagpool.optim.checkpoint import Checkpoint
from tagpool.parameters import declare_parameters, parameter
from tagpool.pools.bagging.pool import BaggingPool
from tagpool.pools.elitist.pool import ElitistPool
from tagpool.pools.members import EXPERTS
from tagpool.pools.parallel_fits import OnEpoch, TrainingCorpora, variant
from tagpool.pools.pool import Pool
from tagpool.pools.two_stage.columns import COLUMNS, TEMPLATES, add_columns

if TYPE_CHECKING:
    from tagpool.chain.lattice import Lattice
    from tagpool.experts.inside.explanation import TokenExplanation

Stage = Tagger | BaggingPool | ElitistPool


STAGES = {**EXPERTS, "inducing": InducingTagger, "elitist": ElitistPool, "bagging": BaggingPool}
"""The classes of taggers that can be stages, by kind."""


@declare_parameters
class TwoStageTagger(Pool):
    """Two taggers; the second one has features of the labels that the first one gave to the document.

    Without ``second``, it is a copy of the first stage with ``added_templates``. The second stage has two more columns:
    ``stage``, the type of each label of the first stage, for ``elsewhere(stage, most)``; and ``mention``, the longest phrase
    around a token that is labelled elsewhere in the document. The corpus must have documents; :meth:`predict` treats sentences
    without documents one by one.

    ``fit`` trains the first stage on each fold and on all documents, and the second stage on the labels from the folds. ``dev``
    stops each training. ``on_epoch`` receives the name of the training ("fold 1", "first stage", "second stage") and the
    :class:`Epoch`; returning False stops that training.

    >>> from tagpool import CRF, Corpus, builtin_corpus
    >>> corpus = builtin_corpus(200)
    >>> columns = {"word": corpus.words, "label": corpus.labels}
    >>> documents = Corpus.from_columns(columns, documents=range(0, 200, 10))
    >>> pool = TwoStageTagger(CRF("word[-1..1]\\nshape(word, short)[-1..1]"), folds=2).fit(documents)
    >>> pool.names_, pool.score(documents) > 0.5
    (('first stage', 'second stage'), True)
    """

    kind = "two-stage"

    first: Stage = parameter(
        kw_only=False,
        kinds=lambda: STAGES,
        help="Unfitted tagger of the first stage: a CRF, MaxEnt, InducingTagger, ElitistPool or BaggingPool.",
    )
    second: Stage | None = parameter(
        default=None, kw_only=False, kinds=lambda: STAGES, help="Unfitted tagger of the second stage; None: like the first."
    )
    added_templates: str = parameter(default=TEMPLATES, help="Templates that a second stage like the first has in addition.")
    folds: int = parameter(default=5, minimum=2, help="Cross-validation folds over documents.")
    seed: int = parameter(default=1, minimum=0, help="Seed of the folds.")
    threads: int = parameter(default=1, minimum=1, help="Number of threads; the result does not depend on it.")

    weights = "second stage only"
    combination = "second stage"
    names_ = ("first stage", "second stage")
    reads_documents = True

    # Training -----------------------------------------------------------------------------------------------------------

    def _fit(
        self, sentences: Any, labels: Any, *, dev: Any, sample_weight: Any, on_epoch: OnEpoch | None, checkpoint: Any
    ) -> None:
        for name, stage in (("first", self.first), ("second", self.second)):
            if not isinstance(stage, Stage) and not (name == "second" and stage is None):
                raise InputError(f"{name}={stage!r}: expected an unfitted tagger, such as CRF('ner')")
        advice = "documents: use a Corpus with documents, and templates"
        corpora = TrainingCorpora.of(sentences, labels, dev, sample_weight, advice)
        second = self._second_stage(corpora.train)
        self._weights = self.configuration_ = None  # not fitted after an error
        fit_stages = partial(_fit_stages, on_epoch=on_epoch, checkpoint=checkpoint)
        first, rows = self._fit_first(corpora, fit_stages)
        train = add_columns(corpora.train, rows)
        held_out = None if corpora.dev is None else add_columns(corpora.dev, first.predict(corpora.dev))
        fit_stages({self.names_[1]: (second, replace(corpora, train=train, dev=held_out))})
        self._members, self._weights = (first, second), np.array([0.0, 1.0])

    def check_engine(self) -> None:
        """Allow an engine: members are trained independently."""

    def _copy(self, stage: Stage) -> Any:
        return variant(stage, threads=self.threads)

    def _second_stage(self, train: Corpus) -> Any:
        if self.second is not None:
            return self._copy(self.second)
        stage = learner = self._copy(self.first)
        if isinstance(stage, BaggingPool):
            learner = stage.expert = self._copy(stage.expert)
        templates, added = learner._templates(train), parse(self.added_templates)
        learner.templates = replace(
            templates, templates=(*templates.templates, *added.templates), uses=(*templates.uses, *added.uses)
        )
        return stage

    def _fit_first(self, corpora: TrainingCorpora, fit_stages: Callable[..., Any]) -> tuple[Any, list[list[str]]]:
        """Return the first stage, and the labels of first stages that were trained without the document."""
        train = corpora.train
        labels: list[list[str]] = [[]] * len(train)
        folds = list(train.fold_numbers(self.folds, seed=self.seed, by_document=True))
        stages = {f"fold {number}": (self._copy(self.first), corpora.select(rest)) for number, (rest, _) in enumerate(folds, 1)}
        *taggers, first = fit_stages({**stages, self.names_[0]: (self._copy(self.first), corpora)})
        for tagger, (_, held_out) in zip(taggers, folds, strict=True):
            for sentence, row in zip(held_out, tagger.predict(train.select(held_out)), strict=True):
                labels[sentence] = row
        return first, labels

    # Tagging ------------------------------------------------------------------------------------------------------------

    def second_input(self, sentences: Corpus | Iterable[Any]) -> Corpus:
        """Return the corpus that the second stage tags, with the columns of first-stage labels."""
        rows = as_sentences(sentences, features=self.takes_features)
        if not isinstance(rows, Corpus):
            raise InputError("a TwoStageTagger was trained on words: expected words, got features")
        return add_columns(rows, self.first_.predict(rows))

    def member_inputs(self, corpus: Corpus) -> list[Corpus]:
        """Return the corpus that each stage tags."""
        return [corpus, self.second_input(corpus)]

    def _deciding_tagger(self, sentences: Any) -> tuple[Any, Corpus]:
        return self.second_, self.second_input(sentences)

    def _iterate_lattices(self, rows: Any) -> Iterator[Lattice]:
        if not self.second_.has_probabilities:
            raise InputError(f"the second stage is a {type(self.second_).__name__}, which has no probabilities")
        return super()._iterate_lattices(rows)

    def merge(self) -> Expert:
        """Raise an InputError: the second stage needs the labels of the first."""
        raise InputError("two stages do not merge into one model: the second needs the labels of the first")

    def _feature_explanations(
        self, corpus: Corpus, number: int, instead: Sequence[str | None]
    ) -> Sequence[TokenExplanation] | None:
        tokens: Sequence[TokenExplanation] = self.second_.explain(self.second_input(corpus), number, instead=instead).tokens
        return tokens

    # Properties ---------------------------------------------------------------------------------------------------------

    @property
    def first_(self) -> Any:
        """The fitted first stage."""
        return self.members_[0]

    @property
    def second_(self) -> Any:
        """The fitted second stage; it tags :meth:`second_input`."""
        return self.members_[1]

    @property
    def labels_(self) -> tuple[str, ...]:
        """Labels, in the order of their numbers."""
        labels: tuple[str, ...] = self.second_.labels_
        return labels

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the corpus columns that the templates read."""
        return tuple(column for column in super().columns if column not in COLUMNS)

    def record(self) -> dict[str, Any]:
        """Return the JSON values that a file contains beside the stages."""
        return {"folds": int(self.folds), "seed": int(self.seed), "templates": self.added_templates, "member_weights": [0.0, 1.0]}

    @classmethod
    def restore(cls, members: Sequence[Any], weights: FloatArray, record: Mapping[str, Any]) -> TwoStageTagger:
        """Return the pool of a file."""
        first, second = members
        pool = cls(first, second, added_templates=str(record["templates"]), folds=int(record["folds"]), seed=int(record["seed"]))
        pool._members, pool._weights = (first, second), weights
        return pool


def _fit_stages(
    stages: Mapping[str, tuple[Any, TrainingCorpora]], *, on_epoch: OnEpoch | None, checkpoint: Checkpoint | None
) -> list[Any]:
    """Train stages, in the processes of the engine if there is one.

    ``on_epoch`` receives the name of the training, with that of a member of a pool.
    """
    tasks = current_tasks()
    taggers, fits, parts = [], [], []
    for name, (stage, corpora) in stages.items():
        arguments = {"sentences": corpora.train, "dev": corpora.dev, "sample_weight": corpora.sample_weight}
        part = None if checkpoint is None else checkpoint.part(name.replace(" ", "-"))
        if tasks is None:
            stage.fit(**arguments, on_epoch=partial(_report, on_epoch, name), checkpoint=part)
        else:
            fits.append(FitTask.of(stage, part, **arguments))
        taggers.append(stage)
        parts.append(part)
    names = list(stages)
    for number, result in () if tasks is None else tasks.results(run_fit, fits):
        adopt(taggers[number], result.learner)
        if (part := parts[number]) is not None:
            part.write_files(result.files)
        result.report(partial(_report, on_epoch, names[number]))
    return taggers


def _report(on_epoch: OnEpoch | None, name: str, *event: Any) -> object:
    *member, epoch = event
    return None if on_epoch is None else on_epoch(", ".join([name, *member]), epoch)
