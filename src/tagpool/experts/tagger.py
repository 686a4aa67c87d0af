"""Tagger: the base class of single learners (CRF, MaxEnt, InducingTagger).

A start-up file: loading a model and tagging imports this and little else. Training, saving and explanations are imported
inside the methods that need them.
"""

from __future__ import annotations

from tagpool import _native
from tagpool.errors import InputError, NotFittedError
from tagpool.lazy import TYPE_CHECKING
from tagpool.parameters import Parameters, declare_parameters, parameter

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path
    from typing import Any, ClassVar, Protocol, TypeAlias, TypeVar

    import numpy as np
    from numpy.typing import NDArray

    from tagpool.chain.lattice import Lattice
    from tagpool.corpus.corpus import Corpus
    from tagpool.experts.inducing.names import InducedFeatures
    from tagpool.experts.inside.description import Description
    from tagpool.experts.inside.explanation import Explanation
    from tagpool.experts.inside.inspection import TopFeatures
    from tagpool.experts.model_file import ModelFile
    from tagpool.experts.trained import Trained
    from tagpool.features.encoder import Encoder
    from tagpool.features.given import GivenEncoder
    from tagpool.features.resources import Origin
    from tagpool.features.template import TemplateSet
    from tagpool.optim.trainer import Trainer
    from tagpool.optim.watch import Epoch

    Self = TypeVar("Self", bound="Tagger")

    class FeaturePart(Protocol):
        """The part of the features that a tagger has weights for."""

        def marks(self, features: int) -> bytes:
            """A byte for each feature number: 1 if the tagger has weights for it."""

    Sentences: TypeAlias = Corpus | Sequence[Any]
    Labels: TypeAlias = Sequence[Sequence[str | None]]
    WeightTables: TypeAlias = dict[str, tuple[list[str], list[Any]]]


@declare_parameters
class TaggerParameters(Parameters):
    """The parameters that all taggers have."""

    templates: TemplateSet | str | Path = parameter(
        default="ner", kw_only=False, help="Feature templates: a preset, a file, or the text of the templates."
    )
    resources: Mapping[str, Any] | None = parameter(default=None, help="Resources that templates use, by name: objects or paths.")
    min_count: int = parameter(default=1, minimum=1, tune=(1, 5), help="Features that occur less often are removed.")
    unknown_label: str | None = parameter(default=None, help="Label of tokens whose label is unknown.")
    patience: int | None = parameter(
        default=5, minimum=1, help="Epochs without a better dev score before training stops; None: never stop."
    )
    seed: int = parameter(default=1, minimum=0, help="Seed of the random numbers: the same seed gives the same model.")
    threads: int = parameter(default=1, minimum=1, help="Number of threads; the model does not depend on it.")


class Tagger(TaggerParameters):
    """A tagger with templates (or given features), and weights for features and labels."""

    kind = ""
    chain = True  # labels depend on the label before
    has_probabilities = False
    native: ClassVar[Any] = _native.Model  # class of the native model

    _model: Any = None
    _encoder: Encoder | GivenEncoder | None = None
    _names: list[str] | None = None
    _summary: dict[str, Any] | None = None
    _origins: dict[str, Origin] | None = None  # files of the model's lexicons, by checksum
    _part: FeaturePart | None = None  # of the features, for members of a pool
    _induced: InducedFeatures | None = None
    _dev_scheme: str | None = None  # scheme of the labels that decode a dev set of tokens labelled alone
    log_: list[Epoch]
    configuration_: str | None = None  # TOML that the model file stores instead of the parameters alone

    l2: float
    l1: float
    trainer: Trainer | str
    warm_start: bool

    # Training -----------------------------------------------------------------------------------------------------------

    def fit(
        self: Self,
        sentences: Sentences,
        labels: Labels | None = None,
        *,
        dev: Corpus | tuple[Sentences, Labels] | None = None,
        sample_weight: Sequence[float] | NDArray[np.float64] | None = None,
        on_epoch: Callable[[Epoch], object] | None = None,
    ) -> Self:
        """Trains on a corpus, or on sentences with their labels.

        Sentences are a :class:`Corpus`, lists of words, or lists of features as for python-crfsuite. Unknown labels are None.
        With a ``dev`` corpus, training stops when its F1 has not improved for ``patience`` epochs, and the best weights are
        used. ``sample_weight`` has one weight per sentence. ``on_epoch`` is called with every :class:`Epoch` and may return
        False to stop.

        After Ctrl-C the tagger has the weights of the epochs that were finished, and KeyboardInterrupt is raised again.
        """
        self._train(sentences, labels, dev=dev, sample_weight=sample_weight, on_epoch=on_epoch, resume=self.warm_start)
        return self

    def partial_fit(
        self: Self,
        sentences: Sentences,
        labels: Labels | None = None,
        *,
        sample_weight: Sequence[float] | NDArray[np.float64] | None = None,
    ) -> Self:
        """Trains further with one pass over more sentences, which may have new features and labels.

        Every call takes time in proportion to the size of the model, so few calls with many sentences are faster.
        """
        self._train(sentences, labels, sample_weight=sample_weight, resume=True, epochs=1)
        return self

    def _train(self, sentences: Any, labels: Any, **how: Any) -> None:
        """Trains; ``resume`` starts from the current weights, ``epochs`` replaces the number of epochs."""
        raise NotImplementedError

    def _install(self, trained: Trained) -> None:
        """Takes over the result of a training."""
        self._model, self._encoder, self._names, self._induced = trained.model, trained.encoder, None, trained.induced
        self._summary, self.log_, self.configuration_ = trained.summary, trained.log, None

    def _templates(self) -> TemplateSet:
        """The templates in the form that this tagger takes; an error for those that it does not support."""
        from tagpool.features.presets import load_templates

        return load_templates(self.templates)

    # Tagging ------------------------------------------------------------------------------------------------------------

    def predict(self, sentences: Sentences) -> list[list[str]]:
        """The best label sequence of every sentence."""
        model = self._fitted()
        columns = getattr(sentences, "native", None)
        options = self.threads, *self._search()
        labels: list[list[str]]
        try:
            if columns is None and not hasattr(sentences, "__len__"):
                sentences = list(sentences)  # an iterator
            if columns is None and model.given:
                labels = model.tag_given(sentences, *options)
            elif columns is None and _are_plain(sentences):
                labels = model.tag_sentences(sentences, *options)
            else:
                labels = model.tag_columns(columns or self._columns_of(sentences), *options)
            return labels
        except _native.InputFault as fault:
            raise self._explained(fault, sentences) from None
        except TypeError as error:
            raise InputError(f"expected sentences, each a list of words or of features: {error}") from None

    @staticmethod
    def _columns_of(sentences: Sentences) -> _native.Columns:
        from tagpool.experts.inputs import as_corpus

        return as_corpus(sentences).native

    def tag_columns(self, columns: _native.Columns) -> list[list[str]]:
        """The best label sequences of a corpus in native form."""
        labels: list[list[str]] = self._fitted().tag_columns(columns, self.threads, *self._search())
        return labels

    def _search(self) -> tuple[int, ...]:
        """Further arguments of the native tagging functions."""
        return ()

    def lattices(self, sentences: Sentences) -> list[Lattice]:
        """The scores of every sentence; an InputError for learners without probabilities."""
        raise InputError(f"{type(self).__name__} has no probabilities; use a CRF or MaxEnt")

    def predict_proba(self, sentences: Sentences) -> list[NDArray[np.float64]]:
        """The probability of every label at every token: for each sentence a [T][L] array, in the order of ``labels_``."""
        return [lattice.marginals() for lattice in self.lattices(sentences)]

    def score(self, sentences: Sentences, labels: Labels | None = None) -> float:
        """The F1 of the predicted labels as conlleval counts it (the accuracy for plain labels), from 0 to 1."""
        from tagpool.evaluation.scores import score
        from tagpool.experts.inputs import labels_of

        return float(score(labels_of(sentences, labels), self.predict(sentences)).f1)

    # Results of training ------------------------------------------------------------------------------------------------

    @property
    def labels_(self) -> tuple[str, ...]:
        """The labels, in the order of their numbers."""
        return tuple(self._fitted().labels)

    classes_ = labels_

    @property
    def feature_count(self) -> int:
        """The number of features with weights."""
        return int(self._fitted().feature_count)

    @property
    def weight_count(self) -> int:
        """The number of weights of features."""
        return int(self._fitted().weight_count)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the corpus columns that the templates read."""
        return tuple(self._fitted().columns)

    @property
    def reads_documents(self) -> bool:
        """True if the labels of a sentence depend on the rest of its document."""
        return bool(self._fitted().looks_at_documents)

    @property
    def takes_features(self) -> bool:
        """True if it was trained on given features instead of templates."""
        return bool(self._fitted().given)

    @property
    def members_(self) -> Sequence[Any]:
        """The fitted members of a pool; empty for a single tagger."""
        return ()

    @property
    def weights_(self) -> Sequence[float]:
        """The weights of the members; empty for a single tagger."""
        return ()

    def single_taggers(self) -> list[Tagger]:
        """The single taggers in a pool; of a single tagger, itself."""
        return [self]

    def merge(self) -> Tagger:
        """One model with the same labels, for pools; a single tagger returns itself."""
        return self

    # Looking inside -----------------------------------------------------------------------------------------------------

    def describe(self, *, top: int = 10, labels: Sequence[str] | None = None, template: str | None = None) -> Description:
        """Facts about the model: training, parameters, the number of features, its ``top`` features and transitions.

        With ``labels`` or ``template`` only their features and transitions are listed.
        """
        from tagpool.experts.inside.tagger_description import describe

        return describe(self, top=top, labels=labels, template=template)

    def top_features(self, label: str, n: int = 10, *, template: str | None = None) -> TopFeatures:
        """The ``n`` features with the largest positive and negative weights for a label, of all templates or of one."""
        from tagpool.experts.inside.inspection import top_features

        return top_features(self, top=n, labels=[label], template=template)[label]

    def _weight_tables(self, top: int, labels: Sequence[str] | None, template: str | None) -> WeightTables:
        """Tables for :meth:`describe` beside the top features: headers and rows by title; each row ends in a weight."""
        return {}

    def explain(self, sentence: Any, number: int = 0) -> Explanation:
        """The features behind each label of a sentence.

        ``sentence`` is a list of words, a mapping of columns, or a corpus; of a corpus, sentence ``number`` is explained with
        its document.
        """
        from tagpool.experts.inputs import one_sentence

        return self._explain(*one_sentence(sentence, number))

    def _explain(self, corpus: Corpus, number: int) -> Explanation:
        raise NotImplementedError

    def without(self, *groups: str, templates: str = "") -> Tagger:
        """A copy that ignores the features of these groups (bags of the templates), and of further ``templates``."""
        from tagpool.experts.inside.removal import group_keys, remove_templates

        return remove_templates(self, group_keys([self], groups, templates))

    @property
    def summary_(self) -> dict[str, Any]:
        """Summary of the training: sentences, tokens, columns, label column, trainer, epochs, loss, dev score."""
        from tagpool.experts.summary import summary_of

        return summary_of(self)

    @property
    def is_fitted(self) -> bool:
        """True after training or loading."""
        return self._model is not None

    def _fitted(self) -> Any:
        if self._model is None:
            raise NotFittedError(f"the {type(self).__name__} is not fitted; call fit(corpus) first, or load a model")
        return self._model

    def _explained(self, fault: Exception, sentences: object) -> InputError:
        message = str(fault.args[0])
        if message.startswith("the corpus has no column"):
            has = ", ".join(getattr(sentences, "columns", ()))
            needs = ", ".join(self._fitted().columns)
            message = f"{message}; the model needs {needs}, and the columns are {has}"
        return InputError(message, source=getattr(sentences, "source", None))

    @classmethod
    def from_file(cls: type[Self], file: ModelFile) -> Self:
        """The tagger of an open model file; :func:`tagpool.load` calls it for the kind of the file."""
        tagger = cls()
        tagger._model, tagger._origins = file.model(cls.native)
        tagger._recall()
        return tagger

    def _recall(self) -> None:
        """Sets the parameters of a loaded model that matter for tagging and further training."""

    # Files --------------------------------------------------------------------------------------------------------------

    def save(self, path: str | Path, *, size: str = "full", names: bool = True, resources: bool = True) -> None:
        """Writes the model to one file, which is complete or absent.

        With ``size="small"`` weights have half precision, and a linear model loses weights up to 0.01. Without ``names`` of
        features the model tags and explains, but inspection and further training need the names. Without ``resources`` the file
        refers to resource files by path and checksum; it can be loaded only while they exist unchanged.
        """
        from tagpool.corpus.files import write_bytes
        from tagpool.experts.saving import SaveOptions, to_bytes

        write_bytes(path, to_bytes(self, SaveOptions.of(path, size, names, resources)))

    def _further_parts(self, half: bool) -> tuple[dict[str, str], dict[str, bytes]]:
        """Further texts and arrays of the file."""
        return {}, {}

    def _name_arrays(self) -> dict[str, bytes]:
        """Further arrays of the file that are saved only with the names of features."""
        return {}

    def _pruned(self, least: float) -> Any:
        """The model without weights up to this magnitude, if weights can be removed."""
        return self._fitted()

    def __getstate__(self) -> dict[str, Any]:
        state = {name: value for name, value in self.__dict__.items() if name not in ("_model", "_encoder", "_names", "_induced")}
        from tagpool.experts.saving import to_bytes

        return state | {"_block": to_bytes(self) if self._model is not None else None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        block = state.pop("_block")
        self.__dict__.update(state)
        if block is not None:
            self._model = self.native.read(block)


def _are_plain(sentences: Any) -> bool:
    """True for lists of words or dicts of columns, and for an empty list."""
    first = next(iter(sentences), None)
    return first is None or isinstance(first, (list, tuple, dict, str))
