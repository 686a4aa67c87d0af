"""SequenceTagger: the base class of single taggers and of pools. Commands use only its methods.

A start-up file: loading a model and tagging imports this and little else.
"""

from __future__ import annotations

from tagpool import _native
from tagpool.errors import InputError, MemoryFor
from tagpool.lazy import TYPE_CHECKING
from tagpool.parameters import Parameters

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path
    from typing import Any, TypeAlias, TypeVar

    import numpy as np
    from numpy.typing import NDArray

    from tagpool.chain.lattice import Lattice
    from tagpool.corpus.corpus import Corpus
    from tagpool.corpus.labelled_files import LabelledFiles
    from tagpool.experts.inside.description import Description
    from tagpool.experts.inside.explanation import Explanation
    from tagpool.experts.inside.inspection import TopFeatures
    from tagpool.experts.inside.weight_table import WeightTable
    from tagpool.experts.saving import SaveOptions
    from tagpool.experts.tagger import Tagger
    from tagpool.experts.tasks import Engine
    from tagpool.optim.checkpoint import Checkpoint

    Self = TypeVar("Self", bound="SequenceTagger")
    Sentences: TypeAlias = Corpus | Iterable[Any]
    Labels: TypeAlias = Iterable[Iterable[str | None]]
    Instead: TypeAlias = str | Sequence[str | None] | None


class SequenceTagger(Parameters):
    """A tagger or a pool. A single tagger has no members, and its ``merge`` returns itself."""

    kind = ""
    has_probabilities = True  # False for learners without lattices
    threads: int
    configuration_: str | None = None  # TOML that the model file stores instead of the parameters alone

    # Training -----------------------------------------------------------------------------------------------------------

    def fit(
        self: Self,
        sentences: Sentences | LabelledFiles,
        labels: Labels | None = None,
        *,
        dev: Corpus | tuple[Sentences, Labels] | None = None,
        sample_weight: Iterable[float] | NDArray[np.float64] | None = None,
        on_epoch: Callable[..., object] | None = None,
        checkpoint: Checkpoint | str | Path | None = None,
        memory: str | int | None = None,
        engine: Engine | None = None,
    ) -> Self:
        """Trains on a corpus, or on sentences with their labels.

        Sentences are a :class:`Corpus`, lists of words, or lists of features as for python-crfsuite. Unknown labels are None.
        With a ``dev`` corpus, training stops when its F1 has not improved for ``patience`` epochs, and the best weights are
        used; with SGD the latest ones whose F1 is not lower than the best by more than chance. ``sample_weight`` has one weight
        per sentence. ``on_epoch`` is called with every :class:`Epoch` and may return False to stop; pools that train members one
        by one call it with the name of the training and the epoch.

        Sentences without tokens are left out. Iterators are read once.

        With a ``checkpoint``, a folder or a :class:`Checkpoint`, the state of the training is stored every 60 seconds. A call
        with the same arguments continues from it after the process was killed, and gives the same model.

        ``memory`` is a budget for the whole process, such as "2G". Then encoded sentences are in a temporary file, and read in
        every epoch; the model has the same bytes. It is for the learners crf and maxent with the trainers sgd, lbfgs and owlqn,
        and for sentences that are :class:`LabelledFiles`, which are never in memory as a whole, or a corpus.

        With an ``engine``, such as ``tagpool.bridges.ray.Ray(workers=2)``, a pool trains its members in other processes,
        and a CRF or MaxEnt with the trainer ``lbfgs`` or ``owlqn`` divides its sentences among them. The model is the same.

        After Ctrl-C a tagger has the weights of the epochs that were finished, and KeyboardInterrupt is raised again.
        """
        from tagpool.experts.inputs import training_input

        if checkpoint is not None:
            from tagpool.optim.checkpoint import Checkpoint

            checkpoint = Checkpoint.of(checkpoint)
        if memory is not None:
            from tagpool.experts.streamed.fitting import fit_streamed

            if engine is not None:
                raise InputError("a training with a memory budget stays in one process; drop the budget or the engine")
            fit_streamed(
                self, sentences, labels, memory, dev=dev, sample_weight=sample_weight, on_epoch=on_epoch, checkpoint=checkpoint
            )
            return self
        with MemoryFor("train the model"):
            sentences, labels, sample_weight = training_input(sentences, labels, sample_weight)
            if dev is not None:
                dev = training_input(*dev)[:2] if isinstance(dev, tuple) else training_input(dev)[0]
            options = {"dev": dev, "sample_weight": sample_weight, "on_epoch": on_epoch, "checkpoint": checkpoint}
            if engine is None:
                self._fit(sentences, labels, **options)
            else:
                self.check_engine()
                self._fit_on(engine, sentences, labels, **options)
        return self

    def check_engine(self) -> None:
        """Raise an error unless ``fit`` may have an engine."""
        raise InputError(f"{type(self).__name__}: this learner is trained in one process; drop the engine (--engine ray)")

    def _fit_on(self, engine: Engine, sentences: Any, labels: Any, **options: Any) -> None:
        """Train in the processes of an engine: independent trainings are its tasks."""
        with engine.start():
            self._fit(sentences, labels, **options)

    def _fit(self, sentences: Any, labels: Any, *, dev: Any, sample_weight: Any, on_epoch: Any, checkpoint: Any) -> None:
        raise NotImplementedError

    @property
    def is_fitted(self) -> bool:
        """True after training or loading."""
        raise NotImplementedError

    @property
    def labels_(self) -> tuple[str, ...]:
        """The labels, in the order of their numbers."""
        raise NotImplementedError

    @property
    def classes_(self) -> tuple[str, ...]:
        """The labels, by the name that scikit-learn has for them."""
        return self.labels_

    # Conventions of scikit-learn, which is imported only where it calls these ------------------------------------------------

    def __sklearn_is_fitted__(self) -> bool:
        return self.is_fitted

    def set_fit_request(self: Self, **requests: bool | str | None) -> Self:
        """Say which arguments of ``fit`` a tool of scikit-learn passes on, such as ``set_fit_request(sample_weight=True)``.

        True requests an argument, False ignores it, None makes it an error, and a text is the name of the argument of the tool.
        """
        from tagpool.experts.metadata_routing import request_metadata

        request_metadata(self, requests)
        return self

    def get_metadata_routing(self) -> Any:
        """The requests of :meth:`set_fit_request`, as scikit-learn reads them."""
        from tagpool.experts.metadata_routing import routing_of

        return routing_of(self)

    # Members ------------------------------------------------------------------------------------------------------------

    @property
    def members_(self) -> Sequence[Any]:
        """The fitted members of a pool; empty for a single tagger."""
        return ()

    @property
    def weights_(self) -> Sequence[float] | NDArray[np.float64]:
        """The weights of the members; empty for a single tagger."""
        return ()

    def single_taggers(self) -> list[Tagger]:
        """The single taggers in a pool, also those of pools in it; of a single tagger, itself."""
        return [tagger for member in self.members_ for tagger in member.single_taggers()]

    def merge(self) -> Tagger:
        """One model with the same labels; an InputError gives the reason if a pool does not merge."""
        raise NotImplementedError

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the corpus columns that the templates read."""
        return tuple(dict.fromkeys(column for tagger in self.single_taggers() for column in tagger._fitted().columns))

    @property
    def reads_documents(self) -> bool:
        """True if the labels of a sentence depend on the rest of its document."""
        return any(tagger._fitted().looks_at_documents for tagger in self.single_taggers())

    @property
    def takes_features(self) -> bool:
        """True if a tagger was trained on given features instead of templates."""
        return any(tagger._fitted().given for tagger in self.single_taggers())

    # Tagging ------------------------------------------------------------------------------------------------------------

    def predict(self, sentences: Sentences) -> list[list[str]]:
        """The best label sequence of every sentence; empty for a sentence without tokens.

        Sentences are a :class:`Corpus`, lists of words, or lists of features, also from an iterator, which is read once.
        """
        raise NotImplementedError

    def tag_columns(self, columns: _native.Columns) -> list[list[str]]:
        """The best label sequences of a corpus in native form."""
        raise NotImplementedError

    def lattices(self, sentences: Sentences) -> list[Lattice]:
        """The scores of every sentence, for all that a :class:`Lattice` can do: n best, constraints, samples, pools."""
        raise InputError(f"{type(self).__name__} has no probabilities; use a CRF or MaxEnt")

    def predict_proba(self, sentences: Sentences) -> list[NDArray[np.float64]]:
        """The probability of every label at every token: for each sentence a [T][L] array, in the order of ``labels_``."""
        return [lattice.marginals() for lattice in self.lattices(sentences)]

    def predict_marginals(self, sentences: Sentences) -> list[NDArray[np.float64]]:
        """The result of :meth:`predict_proba`."""
        return self.predict_proba(sentences)

    def score(self, sentences: Sentences, labels: Labels | None = None) -> float:
        """The F1 of the predicted labels as conlleval counts it (the accuracy for plain labels), from 0 to 1."""
        from tagpool.evaluation.scores import score
        from tagpool.experts.inputs import as_sentences, labels_of

        rows = as_sentences(sentences, features=self.takes_features)
        return float(score(labels_of(rows, labels), self.predict(rows)).f1)

    # Looking inside -----------------------------------------------------------------------------------------------------

    def describe(self, *, top: int = 10, labels: Sequence[str] | None = None, template: str | None = None) -> Description:
        """Facts about the model and its members, its ``top`` features and transitions; only of some labels or one template."""
        raise NotImplementedError

    def top_features(self, label: str, n: int = 10, *, template: str | None = None) -> TopFeatures:
        """The ``n`` features with the largest positive and negative weights for a label, of all templates or of one."""
        from tagpool.experts.inside.inspection import top_features

        return top_features(self.merge(), top=n, labels=[label], template=template)[label]

    def weight_table(self, *, labels: Sequence[str] | None = None, template: str | None = None) -> WeightTable:
        """All weights that are not 0, as columns of a data frame: ``pandas.DataFrame(crf.weight_table())``.

        The columns are ``kind`` (feature, transition, or transition feature), ``template``, ``feature``, ``before`` (the label
        before, of transitions; None at the start of a sentence), ``label`` (None at its end), and ``weight``; the largest
        absolute weights come first. polars and pyarrow take the columns, too: ``pyarrow.table(crf.weight_table())``.
        ``labels`` and ``template`` choose rows. Of a pool, the weights are those of the merged model.
        """
        from tagpool.experts.inside.weight_table import weight_table

        return weight_table(self.merge(), labels=labels, template=template)

    def explain(self, sentence: Any, number: int = 0, *, instead: Instead = None) -> Explanation:
        """The features (and the votes of members) behind each label of a sentence.

        ``sentence`` is a list of words, a mapping of columns, or a corpus; of a corpus, sentence ``number`` is explained with
        its document. Labels are compared with the runner-up, or with the label ``instead``: one for all tokens, or a list with
        a label (None: the runner-up) for each.
        """
        from tagpool.experts.inputs import one_sentence

        with MemoryFor("explain the sentence"):
            return self._explain(*one_sentence(sentence, number), instead)

    def _explain(self, corpus: Corpus, number: int, instead: Instead = None) -> Explanation:
        raise NotImplementedError

    def without(self, *groups: str, templates: str = "") -> Any:
        """A copy that ignores the features of these groups (bags of the templates), and of further ``templates``."""
        from tagpool.experts.inside.removal import group_keys

        return self._without_keys(group_keys(self.single_taggers(), groups, templates))

    def _without_keys(self, keys: set[str]) -> Any:
        """A copy without the features of the templates with these keys."""
        raise NotImplementedError

    # Files --------------------------------------------------------------------------------------------------------------

    def save(self, path: str | Path, *, size: str = "full", names: bool = True, resources: bool = True) -> None:
        """Writes the model with its members to one file, which is complete or absent.

        With ``size="small"`` weights have half precision, and a linear model loses weights up to 0.01. Without ``names`` of
        features the model tags and explains, but inspection and further training need the names. Without ``resources`` the file
        has the names and checksums of resources that were read from files; ``load`` then needs these files.
        """
        from tagpool.corpus.files import write_bytes
        from tagpool.experts.saving import SaveOptions

        with MemoryFor(f"write the model {path}"):
            write_bytes(path, self.to_bytes(SaveOptions.of(size, names, resources)))

    def to_bytes(self, options: SaveOptions) -> bytes:
        """The content of a model file."""
        raise NotImplementedError
