"""Tagger: the base class of single learners (CRF, MaxEnt, InducingTagger).

A start-up file: loading a model and tagging imports this and little else. Training, saving and explanations are imported
inside the methods that need them.
"""

from __future__ import annotations

from tagpool import _native
from tagpool.errors import InputError, MemoryFor, NotFittedError, OutOfMemoryError
from tagpool.experts.metadata import read_summary
from tagpool.experts.sequence_tagger import SequenceTagger
from tagpool.lazy import TYPE_CHECKING
from tagpool.parameters import Parameters, declare_parameters, parameter

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path
    from typing import Any, ClassVar, TypeAlias, TypeVar

    import numpy as np
    from numpy.typing import NDArray

    from tagpool.corpus.corpus import Corpus
    from tagpool.corpus.truecasing import Truecaser
    from tagpool.experts.inducing.names import InducedFeatures
    from tagpool.experts.inside.description import Description
    from tagpool.experts.model_file import ModelFile
    from tagpool.experts.references import Reference
    from tagpool.experts.saving import SaveOptions
    from tagpool.experts.sequence_tagger import Labels, Sentences
    from tagpool.experts.training import Training
    from tagpool.features.encoder import Encoder
    from tagpool.features.given import GivenEncoder
    from tagpool.features.template import TemplateSet
    from tagpool.optim.watch import Epoch

    Self = TypeVar("Self", bound="Tagger")

    WeightTables: TypeAlias = dict[str, tuple[list[str], list[Any]]]


@declare_parameters
class TaggerParameters(Parameters):
    """The parameters that all taggers have."""

    templates: TemplateSet | str | Path = parameter(
        default="auto",
        kw_only=False,
        help="Feature templates: a preset, a file, or the text of the templates; 'auto' chooses them from the corpus.",
    )
    resources: Mapping[str, Any] | None = parameter(default=None, help="Resources that templates use, by name: objects or paths.")
    min_count: int | None = parameter(
        default=None,
        minimum=1,
        maximum=(1 << 32) - 1,
        tune=(1, 5),
        help="Features that occur less often are removed (default: 1; automatic templates: 2 from 100,000 tokens on).",
    )
    unknown_label: str | None = parameter(default=None, help="Label of tokens whose label is unknown.")
    patience: int | None = parameter(
        default=3, minimum=1, help="Epochs without a better dev score before training stops; None: all epochs."
    )
    seed: int = parameter(default=1, minimum=0, help="Seed of the random numbers: the same seed gives the same model.")
    threads: int = parameter(default=1, minimum=1, help="Number of threads; the model does not depend on it.")


class Tagger(SequenceTagger, TaggerParameters):
    """A tagger with templates (or given features), and weights for features and labels."""

    chain = True  # labels depend on the label before
    has_probabilities = False
    inner_scheme = "same"  # a parameter of CRF
    reads_labels = False  # features of previous labels, besides transitions
    native: ClassVar[Any] = _native.Model  # class of the native model

    _model: Any = None
    _encoder: Encoder | GivenEncoder | None = None
    _names: list[str] | None = None
    _summary: dict[str, Any] | None = None
    _references: dict[str, Reference] | None = None  # to lexicons that were outside the model file, by checksum
    _part: Any = None  # the Part of the features that a member of a pool has weights for
    _induced: InducedFeatures | None = None
    _truecaser: Truecaser | None = None
    log_: list[Epoch]
    warm_start: bool

    # Training -----------------------------------------------------------------------------------------------------------

    def _fit(self, sentences: Any, labels: Any, *, on_epoch: Any, **options: Any) -> None:
        self._training(sentences, labels, resume=self.warm_start, **options).run(on_epoch)

    def partial_fit(
        self: Self,
        sentences: Sentences,
        labels: Labels | None = None,
        *,
        sample_weight: Iterable[float] | NDArray[np.float64] | None = None,
    ) -> Self:
        """Trains further with one pass over more sentences, which may have new features and labels.

        Every call takes time in proportion to the size of the model, so few calls with many sentences are faster.
        """
        from tagpool.experts.inputs import training_input

        with MemoryFor("train the model"):
            sentences, labels, sample_weight = training_input(sentences, labels, sample_weight)
            self._training(sentences, labels, sample_weight=sample_weight, resume=True, epochs=1).run()
        return self

    def _training(self, sentences: Any, labels: Any, **options: Any) -> Training:
        """A training of this tagger; ``resume`` starts from the current weights, ``epochs`` replaces the number of epochs."""
        raise NotImplementedError

    def _templates(self, corpus: Corpus | None = None) -> TemplateSet:
        """The templates in the form that this tagger takes; an error for those that it does not support.

        Automatic templates are chosen from the corpus.
        """
        from tagpool.features.automatic import templates_for

        return templates_for(self.templates, corpus, history=self.reads_labels)

    # Tagging ------------------------------------------------------------------------------------------------------------

    def predict(self, sentences: Sentences) -> list[list[str]]:
        """The best label sequence of every sentence."""
        model = self._fitted()
        columns = getattr(sentences, "native", None)
        options = self.threads, *self._search()
        labels: list[list[str]]
        try:
            if columns is not None:
                labels = model.tag_columns(columns, *options)
                return labels
            if not hasattr(sentences, "__len__"):
                sentences = list(sentences)  # an iterator
            if model.given:
                labels = model.tag_given(sentences, *options)
            elif _are_plain(sentences):
                labels = model.tag_sentences(sentences, *options)
            else:
                from tagpool.experts.inputs import as_corpus

                labels = model.tag_columns(as_corpus(sentences).native, *options)
            return labels
        except _native.InputFault as fault:
            raise self._explained(fault, sentences) from None
        except TypeError as error:
            raise InputError(f"expected sentences, each a list of words or of features: {error}") from None
        except MemoryError:
            raise OutOfMemoryError("not enough memory to tag the sentences; pass fewer at a time") from None

    def tag_columns(self, columns: _native.Columns) -> list[list[str]]:
        """The best label sequences of a corpus in native form."""
        labels: list[list[str]] = self._fitted().tag_columns(columns, self.threads, *self._search())
        return labels

    def tag_lines(self, columns: _native.Columns, text: bytes, tabs: bool | None) -> tuple[bytes, bool] | None:
        """The lines of a CoNLL text with their labels, and whether the first has a tab; None if some are no tokens."""
        lines: tuple[bytes, bool] | None = self._fitted().tag_lines(columns, self.threads, *self._search(), text, tabs)
        return lines

    def _search(self) -> tuple[int, ...]:
        """Further arguments of the native tagging functions."""
        return ()

    # Results of training ------------------------------------------------------------------------------------------------

    @property
    def labels_(self) -> tuple[str, ...]:
        """The labels, in the order of their numbers."""
        return tuple(dict.fromkeys(self._fitted().labels))  # two states may have the same label

    @property
    def feature_count(self) -> int:
        """The number of features with weights."""
        return int(self._fitted().feature_count)

    @property
    def weight_count(self) -> int:
        """The number of weights of features."""
        return int(self._fitted().weight_count)

    def single_taggers(self) -> list[Tagger]:
        """This tagger."""
        return [self]

    def merge(self) -> Tagger:
        """This tagger."""
        return self

    # Looking inside -----------------------------------------------------------------------------------------------------

    def describe(self, *, top: int = 10, labels: Sequence[str] | None = None, template: str | None = None) -> Description:
        """Facts about the model: training, parameters, the number of features, its ``top`` features and transitions."""
        from tagpool.experts.inside.description import describe

        return describe(self, top=top, labels=labels, template=template)

    def _weight_tables(self, top: int, labels: Sequence[str] | None, template: str | None) -> WeightTables:
        """Tables for :meth:`describe` beside the top features: headers and rows by title; each row ends in a weight."""
        return {}

    def _without_keys(self, keys: set[str]) -> Tagger:
        from tagpool.experts.inside.removal import remove_templates

        return remove_templates(self, keys)

    @property
    def summary_(self) -> dict[str, Any]:
        """Summary of the training: sentences, tokens, columns, label column, trainer, epochs, loss, dev score."""
        if self._summary is None:
            self._summary = read_summary(self._fitted().text("summary"))
        return self._summary

    @property
    def truecaser_(self) -> Truecaser | None:
        """The truecaser that was trained with the tagger, for text without capitals; None without one."""
        from tagpool.experts.truecasing import truecaser_of

        return truecaser_of(self)

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
        tagger._model, tagger._references = file.model(cls.native)
        tagger._recall()
        return tagger

    def _recall(self) -> None:
        """Sets the parameters of a loaded model that matter for tagging and further training."""

    # Files --------------------------------------------------------------------------------------------------------------

    def to_bytes(self, options: SaveOptions) -> bytes:
        """The content of a model file."""
        from tagpool.experts.saving import to_bytes

        return to_bytes(self, options)

    def _further_texts(self) -> dict[str, str]:
        """Further texts of the file."""
        return {}

    def _name_arrays(self) -> dict[str, bytes]:
        """Further arrays of the file that are saved only with the names of features."""
        return {}

    def _pruned(self, least: float) -> Any:
        """The model without weights up to this magnitude, if weights can be removed."""
        return self._fitted()

    def __getstate__(self) -> dict[str, Any]:
        from tagpool.experts.saving import to_bytes

        state = {name: value for name, value in self.__dict__.items() if name not in ("_model", "_encoder", "_names", "_induced")}
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
