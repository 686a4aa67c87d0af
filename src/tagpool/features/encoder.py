"""Encoder: templates over a corpus -> feature ids (native, once per corpus).

``fit`` numbers the features it meets (always the same way for the same corpus), drops those met fewer than ``min_count``
times and freezes the index; ``transform`` then drops what it does not know. With ``hash_size`` a feature's id is its hash
modulo that number, and nothing is dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from tagpool import _native
from tagpool.corpus.corpus import Corpus
from tagpool.errors import InputError, NotFittedError, ResourceError
from tagpool.features.compiler import Program, SparseTemplate, compile_templates, restored_program
from tagpool.features.encoded import DenseBlock, EncodedCorpus
from tagpool.features.presets import load_templates
from tagpool.features.resource_files import read_resource
from tagpool.features.shipped import shipped_resource
from tagpool.features.template import TemplateSet

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_Result = TypeVar("_Result")
_LARGEST_HASH_SIZE = 2**31
_BASE_GROUP = 2**16 - 1


class Encoder:
    """Turns corpora into feature ids.

    ``templates`` is a preset's name, a template file, the text itself or a :class:`TemplateSet`; ``resources`` maps the names of
    lexicons to files or loaded resources. Templates with ``label[-k]`` are refused unless ``history`` is set, as learners
    that use previous labels do. Embeddings are dense blocks beside the features; with ``dimensions`` each dimension is a feature
    with a value, as learners have them that know nothing else.

    >>> corpus = Corpus.from_lists(word=[["Ann", "left"]], label=[["B-PER", "O"]])
    >>> encoder = Encoder("word[-1..0]").fit(corpus)
    >>> encoder.feature_names
    ['word[-1]=_B-1', 'word[-1]=Ann', 'word[0]=Ann', 'word[0]=left']
    >>> encoder.transform(Corpus.from_lists(word=[["Ann", "slept"]])).ids.tolist()
    [0, 2, 1]
    """

    def __init__(
        self,
        templates: TemplateSet | str | Path,
        *,
        resources: Mapping[str, Any] | None = None,
        min_count: int = 1,
        hash_size: int | None = None,
        history: bool = False,
        dimensions: bool = False,
    ) -> None:
        self.templates = templates
        self.resources = resources
        self.min_count = min_count
        self.hash_size = hash_size
        self.history = history
        self.dimensions = dimensions
        self._native: _native.Encoder | None = None
        self._model: _native.Model | None = None  # the model whose lexicons are used, if it came from a file

    # Fitting ------------------------------------------------------------------------------------------------------------

    def fit(self, corpus: Corpus) -> Encoder:
        """Numbers the features and labels of a corpus."""
        self.fit_transform(corpus)
        return self

    @classmethod
    def continued(cls, before: Encoder | None, model: _native.Model, *, min_count: int) -> Encoder:
        """An encoder for more text of a model: with its templates and the lexicons it was trained with.

        ``before`` is the encoder it was trained with, None for a model from a file.
        """
        if before is not None and before._model is None:
            return cls(
                before.templates_,
                resources=before.resources_,
                min_count=min_count,
                hash_size=before.hash_size,
                history=before.history,
                dimensions=before.dimensions,
            )
        # The lexicons are those in the model, also if it came from a file some trainings ago.
        templates = before.templates_ if before is not None else model.text("templates") or ""
        encoder = cls(templates, min_count=min_count, hash_size=model.hash_size or None, history=model.chain)
        encoder._model = model
        return encoder

    def fit_transform(self, corpus: Corpus, *, known: Sequence[str] = (), known_history: Sequence[str] = ()) -> EncodedCorpus:
        """Fits, and encodes the same corpus on the way.

        Features ``known`` by name from elsewhere come first, and stay however seldom they are met; so do those to be combined
        with previous labels.
        """
        self._check_parameters()
        _check_corpus(corpus)
        if not len(corpus):
            raise InputError("expected sentences, got an empty corpus", source=corpus.source)
        self._native = None  # a fit that fails leaves nothing half fitted
        self.templates_ = load_templates(self.templates)
        self._check_history()
        self.resources_ = {} if self._model is not None else load_resources(self.templates_, self.resources or {})
        self._program = self._compile(corpus, history=False)
        self._history_program = self._compile(corpus, history=True) if self.history else None
        self.labels_ = _distinct_labels(corpus)
        if self._model is not None:
            native = self._model.encoder(self.min_count)
        else:
            native = self._program.native(self.min_count, self.hash_size or 0)
        encoding = _translated(corpus, lambda: native.fit(corpus.native, list(known)))
        self._native_history = None
        history = None
        if self._history_program is not None and self._history_program.sparse:
            if self._model is not None:
                native_history = self._model.history_encoder(self.min_count)
            else:
                native_history = self._history_program.native(self.min_count, 0)
            history = _translated(corpus, lambda: native_history.fit(corpus.native, list(known_history)))
            self._native_history = native_history
        self._native = native
        return self._encoded(corpus, encoding, history)

    def keep(self, encoded: EncodedCorpus, marks: bytes) -> EncodedCorpus:
        """Only the marked features, with new numbers, as if the others had never been met in the corpus just fitted.

        >>> corpus = Corpus.from_lists(word=[["Ann", "left", "Ann"]])
        >>> encoder = Encoder("word[0]")
        >>> encoder.keep(encoder.fit_transform(corpus), bytes([0, 1])).ids.tolist(), encoder.feature_names
        ([0], ['word[0]=left'])
        """
        native = self._fitted()
        try:
            native.keep(marks, encoded.native)
        except _native.InputFault as fault:
            raise InputError(str(fault.args[0])) from None
        return replace(encoded, feature_count=native.feature_count)

    def transform(self, corpus: Corpus) -> EncodedCorpus:
        """Encodes another corpus with the frozen index; features that were not met in fitting are dropped."""
        native = self._fitted()
        _check_corpus(corpus)
        self._check_columns(corpus)
        encoding = _translated(corpus, lambda: native.encode(corpus.native))
        native_history = self._native_history
        history = None
        if native_history is not None:
            history = _translated(corpus, lambda: native_history.encode(corpus.native))
        return self._encoded(corpus, encoding, history)

    def describe(self, corpus: Corpus, sentence: int) -> list[list[tuple[str, float]]]:
        """The features of each token of one sentence, as text with values, whether they are in the index or not."""
        native = self._fitted()
        self._check_columns(corpus)
        return _translated(corpus, lambda: native.describe(corpus.native, sentence))

    def __repr__(self) -> str:
        if self._native is None:
            return f"<Encoder: {self.templates!r}, not fitted>"
        return f"<Encoder: {len(self.templates_)} templates, {self.feature_count:,} features, {len(self.labels_)} labels>"

    # What was fitted ----------------------------------------------------------------------------------------------------

    @property
    def feature_count(self) -> int:
        """How many features there are."""
        return self._fitted().feature_count

    @property
    def feature_names(self) -> list[str]:
        """The features by id, as ``template=value``. With ``hash_size``: the first one met in each slot, empty where none was."""
        return self._fitted().names()

    @property
    def feature_counts(self) -> NDArray[np.uint32]:
        """How often each feature was met in fitting."""
        return self._fitted().counts()

    @property
    def feature_templates(self) -> list[SparseTemplate]:
        """The template each feature comes from."""
        return [self._program.sparse[number] for number in self._fitted().template_numbers().tolist()]

    @property
    def history_names(self) -> list[str]:
        """The names of the features to be combined with previous labels."""
        self._fitted()
        return self._native_history.names() if self._native_history is not None else []

    @property
    def history_backs(self) -> list[tuple[int, ...]]:
        """By template that looks at previous labels: how many tokens back each of them is.

        >>> corpus = Corpus.from_lists(word=[["Ann"]], label=[["PER"]])
        >>> Encoder("word[0]\\nlabel[-1] & label[-2] & word[0]", history=True).fit(corpus).history_backs
        [(1, 2)]
        """
        self._fitted()
        return [] if self._history_program is None else [each.backs for each in self._history_program.sparse]

    # Inner workings -----------------------------------------------------------------------------------------------------

    @property
    def fitted_native(self) -> _native.Encoder:
        """The native encoder, for those who make models of it."""
        return self._fitted()

    @property
    def fitted_history(self) -> _native.Encoder | None:
        """The same for the features to be combined with previous labels."""
        self._fitted()
        return self._native_history

    def _fitted(self) -> _native.Encoder:
        if self._native is None:
            raise NotFittedError("the encoder was not fitted: call fit(corpus) first")
        return self._native

    def _check_parameters(self) -> None:
        if type(self.min_count) is not int or self.min_count < 1:
            raise InputError(f"min_count={self.min_count!r}: expected a whole number from 1 on")
        if self.hash_size is None:
            return
        if type(self.hash_size) is not int or not 1 <= self.hash_size <= _LARGEST_HASH_SIZE:
            raise InputError(f"hash_size={self.hash_size!r}: expected a whole number from 1 to {_LARGEST_HASH_SIZE}")
        if self.min_count > 1:
            raise InputError("min_count cannot be combined with hash_size: hashed features are not told apart")

    def _check_history(self) -> None:
        if self.history:
            return
        for template in self.templates_:
            for term in template.terms:
                if term.is_history:
                    message = f"{term} looks at previous labels, which this learner does not use; leave the line out"
                    raise template.error(message, source=self.templates_.source, term=term)

    def _compile(self, corpus: Corpus, *, history: bool) -> Program:
        if self._model is not None:
            keys = self._model.history_template_keys if history else self._model.template_keys
            return restored_program(self.templates_, keys)
        return compile_templates(
            self.templates_,
            corpus.columns,
            self.resources_,
            label_column=corpus.label_column,
            history=history,
            dimensions=self.dimensions,
        )

    def _check_columns(self, corpus: Corpus) -> None:
        """Whether a corpus has the columns of the fitted one; compiling again finds the template that lacks one."""
        self._compile(corpus, history=False)
        if self.history:
            self._compile(corpus, history=True)

    def _encoded(self, corpus: Corpus, encoding: _native.Encoding, history: _native.Encoding | None) -> EncodedCorpus:
        return EncodedCorpus(
            native=encoding,
            feature_count=self.feature_count,
            labels=_label_ids(corpus, self.labels_),
            history=history,
            history_feature_count=self._native_history.feature_count if self._native_history is not None else 0,
            dense=self._dense_blocks(corpus),
            restriction=None if self.hash_size else self._restriction,
        )

    def _dense_blocks(self, corpus: Corpus) -> tuple[DenseBlock, ...]:
        rows: dict[tuple[int, str, int], NDArray[np.int32]] = {}
        blocks = []
        for each in self._program.dense:
            place = (id(each.function), each.column, id(each.embeddings))
            if place not in rows:
                rows[place] = _native.dense_rows(corpus.native, each.column, each.function, each.embeddings.rows)
            blocks.append(DenseBlock(each.key, each.offset, rows[place], each.embeddings.vectors))
        return tuple(blocks)

    def template_groups(self, by: str) -> list[int]:
        """A number for each feature template: its own ("templates"), or the same for all of the same bags ("bags").

        The shared base has 65,535 there. ``fitted_native.template_numbers()`` says which template a feature is of.

        >>> encoder = Encoder("word[0]\\n[tags]\\npos[-1..0]").fit(Corpus.from_lists(word=[["Ann"]], pos=[["NNP"]]))
        >>> encoder.template_groups("bags"), encoder.template_groups("templates")
        ([65535, 0, 0], [0, 1, 2])
        """
        if self.hash_size:
            raise InputError("hashed features cannot be told apart by templates or bags: leave hash_size out")
        sparse = self._program.sparse
        if by == "templates":
            return list(range(len(sparse)))
        numbers: dict[tuple[str, ...], int] = {}
        return [numbers.setdefault(each.bags, len(numbers)) if each.bags else _BASE_GROUP for each in sparse]

    def _restriction(self, bags: tuple[str, ...]) -> tuple[bytes, bytes | None, set[str]]:
        """Marks for the features of these bags: sparse, history, and the keys of dense templates."""
        self.templates_.check_bags(bags)
        keep = _marks(self._fitted(), self._program, bags)
        keep_history = None
        if self._native_history is not None and self._history_program is not None:
            keep_history = _marks(self._native_history, self._history_program, bags)
        return keep, keep_history, {each.key for each in self._program.dense if _in_bags(each.bags, bags)}


def load_resources(templates: TemplateSet, given: Mapping[str, Any]) -> dict[str, Any]:
    """The resources a template set needs.

    They are those given (loaded, or as paths), those its ``use`` lines name, and those shipped with the package.
    """
    for name in given:
        if name not in templates.resources:
            known = ", ".join(templates.resources) or "none"
            raise ResourceError(f"no template uses a resource {name!r}; those used are {known}", source=templates.source)
    loaded: dict[str, Any] = {}
    uses = dict(templates.uses)
    for name, kind in templates.resources.items():
        resource = given.get(name, uses.get(name))
        if isinstance(resource, (str, Path)):
            loaded[name] = read_resource(kind, resource)
        elif resource is not None:
            loaded[name] = resource
        elif (shipped := shipped_resource(name, kind)) is not None:
            loaded[name] = shipped
    return loaded


def _check_corpus(corpus: object) -> None:
    if not isinstance(corpus, Corpus):
        kind = type(corpus).__name__
        raise InputError(f"expected a Corpus, got {kind}; make one with read_corpus(path) or Corpus.from_lists(word=...)")


def _translated(corpus: Corpus, run: Callable[[], _Result]) -> _Result:
    try:
        return run()
    except _native.InputFault as fault:
        raise InputError(str(fault.args[0]), source=corpus.source) from None


def _distinct_labels(corpus: Corpus) -> tuple[str, ...]:
    """Labels in the order they are met."""
    if corpus.label_column is None:
        return ()
    strings = corpus.strings(corpus.label_column)
    return tuple(strings[number] for number in corpus.native.distinct(corpus.label_column))


def _label_ids(corpus: Corpus, labels: Sequence[str]) -> NDArray[np.int32] | None:
    if corpus.label_column is None:
        return None
    numbers = {label: number for number, label in enumerate(labels)}
    return corpus.native.mapped(corpus.label_column, [numbers.get(text, -1) for text in corpus.strings(corpus.label_column)])


def _marks(encoder: _native.Encoder, program: Program, bags: tuple[str, ...]) -> bytes:
    chosen = [_in_bags(template.bags, bags) for template in program.sparse]
    return bytes(chosen[number] for number in encoder.template_numbers().tolist())


def _in_bags(own: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    return not own or bool(set(own) & set(wanted))
