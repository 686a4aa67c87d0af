"""Encoder: from templates and a corpus to feature ids.

``fit`` numbers the features of a corpus in order of occurrence, drops those that occur fewer than ``min_count`` times and
freezes the index; ``transform`` drops unknown features.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tagpool import _native
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.faults import NameFaults
from tagpool.errors import InputError, MemoryFor, ResourceError
from tagpool.features.compiler import Compiler, Program, SparseTemplate, restored_program
from tagpool.features.encoded import DenseBlock, EncodedCorpus, FeatureEncoder
from tagpool.features.presets import load_templates
from tagpool.features.resource_files import read_resource, shipped_resource
from tagpool.features.template import TemplateSet
from tagpool.wording import counted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_BASE_GROUP = 2**16 - 1


class Encoder(FeatureEncoder[_native.Encoder]):
    """Encode corpora as feature ids.

    ``templates`` is the name of a preset, a template file, template text or a :class:`TemplateSet`. ``resources`` maps the names
    of lexicons to files or loaded resources. Templates with ``label[-k]`` need ``history``, which learners that use previous
    labels set. Embeddings are dense blocks; with ``dimensions`` each dimension is a feature with a value.

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
        history: bool = False,
        dimensions: bool = False,
    ) -> None:
        super().__init__(min_count)
        self.templates = templates
        self.resources = resources
        self.history = history
        self.dimensions = dimensions
        self._model: _native.Model | None = None  # source of the lexicons, if it was loaded from a file
        self._is_restored = False  # from a pickle, without the resources

    # Fitting ------------------------------------------------------------------------------------------------------------

    def fit(self, corpus: Corpus) -> Encoder:
        """Number the features and labels of a corpus."""
        self.fit_transform(corpus)
        return self

    @classmethod
    def continued(cls, before: Encoder | None, model: _native.Model, *, min_count: int) -> Encoder:
        """Return an encoder for further training of a model, with its templates and lexicons.

        ``before`` is the encoder of its training, None for a model from a file.
        """
        if before is not None and before._model is None:
            return cls(
                before.templates_,
                resources=before.resources_,
                min_count=min_count,
                history=before.history,
                dimensions=before.dimensions,
            )
        # The lexicons are in the model, even if it was trained again after loading.
        templates = before.templates_ if before is not None else model.text("templates") or ""
        encoder = cls(templates, min_count=min_count, history=model.chain)
        encoder._model = model
        return encoder

    @MemoryFor("encode the corpus")
    def fit_transform(self, corpus: Corpus, *, known: Sequence[str] = (), known_history: Sequence[str] = ()) -> EncodedCorpus:
        """Fit to a corpus and encode it.

        Features ``known`` by name come first and need no minimum count; ``known_history`` are combined with previous labels.
        """
        self._check_min_count()
        _check_corpus(corpus)
        if not len(corpus):
            raise InputError("expected sentences, got an empty corpus", source=corpus.source)
        fitted = copy(self)  # a failed fit leaves the encoder unchanged
        encoded = fitted._fit(corpus, known, known_history)
        self.__dict__ = fitted.__dict__
        return encoded

    def _fit(self, corpus: Corpus, known: Sequence[str], known_history: Sequence[str]) -> EncodedCorpus:
        native, native_history = self._prepare(corpus)
        self.labels_ = distinct_labels(corpus)
        with NameFaults(corpus.source, purpose="encode the corpus"):
            encoding = native.fit(corpus.native, list(known))
            history = None if native_history is None else native_history.fit(corpus.native, list(known_history))
        self._native, self._native_history = native, native_history
        return self._encoded(corpus, encoding, history)

    def _prepare(self, corpus: Corpus) -> tuple[_native.Encoder, _native.Encoder | None]:
        """Compile the templates for the columns of a corpus; return the native encoders."""
        self._native = None
        self._is_restored = False
        self.templates_ = load_templates(self.templates)
        self._check_history()
        self.resources_ = {} if self._model is not None else load_resources(self.templates_, self.resources or {})
        self._program = self._compile(corpus, history=False)
        self._history_program = self._compile(corpus, history=True) if self.history else None
        native = self._make_native(self._program, history=False)
        native_history = None
        if self._history_program is not None and self._history_program.sparse:
            native_history = self._make_native(self._history_program, history=True)
        return native, native_history

    # A corpus in blocks -------------------------------------------------------------------------------------------------

    def begin(self, corpus: Corpus) -> None:
        """Begin fitting to a corpus in blocks; ``corpus`` has its columns, and all of its labels in order of occurrence.

        >>> corpus = Corpus.from_lists(word=[["Ann", "left"], ["Ann", "slept"]], label=[["PER", "O"], ["PER", "O"]])
        >>> encoder = Encoder("word[0]", min_count=2)
        >>> encoder.begin(corpus)
        >>> blocks = [encoder.fit_next(corpus[:1])[0], encoder.fit_next(corpus[1:])[0]]
        >>> ids, _ = encoder.finish()
        >>> [block.renumbered(ids).ids().tolist() for block in blocks], encoder.feature_names
        ([[0], [0]], ['word[0]=Ann'])
        """
        self._check_min_count()
        self._native, self._native_history = self._prepare(corpus)
        self.labels_ = distinct_labels(corpus)
        for native in (self._native, self._native_history):
            if native is not None:
                native.begin()

    def fit_next(self, corpus: Corpus) -> tuple[_native.Encoding, _native.Encoding | None]:
        """Number the features of the next block; return its encodings, which have provisional numbers."""
        native, native_history = self.fitted_native, self.fitted_history
        with NameFaults(corpus.source, purpose="encode the corpus"):
            encoding = native.fit_next(corpus.native)
            return encoding, None if native_history is None else native_history.fit_next(corpus.native)

    def finish(self) -> tuple[NDArray[np.uint32], NDArray[np.uint32] | None]:
        """Remove rare features after the last block; return the final number of each provisional one."""
        native_history = self.fitted_history
        return self.fitted_native.finish(), None if native_history is None else native_history.finish()

    @MemoryFor("encode the corpus")
    def extend(self, corpus: Corpus) -> EncodedCorpus:
        """Number the new features of another corpus after the others, and encode it; ``min_count`` applies to this corpus.

        Labels are those of the fitted corpus. The names of the features must not be read before.

        >>> encoder = Encoder("word[0]").fit(Corpus.from_lists(word=[["Ann", "left"]]))
        >>> encoder.extend(Corpus.from_lists(word=[["Bob", "left"]])).ids.tolist(), encoder.feature_names[2]
        ([2, 1], 'word[0]=Bob')
        """
        native, native_history = self.fitted_native, self.fitted_history
        _check_corpus(corpus)
        self._check_columns(corpus)
        with NameFaults(corpus.source, purpose="encode the corpus"):
            encoding = native.extend(corpus.native)
            history = None if native_history is None else native_history.extend(corpus.native)
        return self._encoded(corpus, encoding, history)

    def keep(self, encoded: EncodedCorpus, marks: bytes) -> EncodedCorpus:
        """Keep only the marked features, with new numbers, as if the others were not in the fitted corpus.

        >>> corpus = Corpus.from_lists(word=[["Ann", "left", "Ann"]])
        >>> encoder = Encoder("word[0]")
        >>> encoder.keep(encoder.fit_transform(corpus), bytes([0, 1])).ids.tolist(), encoder.feature_names
        ([0], ['word[0]=left'])
        """
        with NameFaults():
            self.fitted_native.keep(marks, encoded.native)
        return replace(encoded, feature_count=self.feature_count)

    @MemoryFor("encode the corpus")
    def transform(self, corpus: Corpus) -> EncodedCorpus:
        """Encode another corpus; features that are not in the index are dropped."""
        native, native_history = self.fitted_native, self.fitted_history
        _check_corpus(corpus)
        self._check_columns(corpus)
        with NameFaults(corpus.source, purpose="encode the corpus"):
            encoding = native.encode(corpus.native)
            history = None if native_history is None else native_history.encode(corpus.native)
        return self._encoded(corpus, encoding, history)

    def describe(self, corpus: Corpus, sentence: int) -> list[list[tuple[str, float]]]:
        """Return the features of each token of a sentence, as (text, value), including those not in the index."""
        native = self.fitted_native
        self._check_columns(corpus)
        with NameFaults(corpus.source, purpose="encode the corpus"):
            return native.describe(corpus.native, sentence)

    # Pickles ------------------------------------------------------------------------------------------------------------

    def __getstate__(self) -> dict[str, Any]:
        """Everything but the objects in native memory, whose content is stored as bytes."""
        state = self.__dict__ | {"_native": None, "_native_history": None, "_program": None, "_history_program": None}
        if self._native is None:
            return state
        if self._model is not None or self._program.dense:
            raise InputError(
                "only an encoder of sparse features that was fitted to a corpus can be pickled; pickle the model instead"
            )
        history = None if self._native_history is None else self._native_history.state()
        resources = {name: one for name, one in (self.resources or {}).items() if isinstance(one, (str, Path))}
        return state | {"resources": resources, "resources_": {}, "_states": (self._native.state(), history)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore the objects in native memory."""
        main, history = state.pop("_states", (None, None))
        self.__dict__.update(state)
        if main is None:
            return
        self._native = _native.Encoder.from_state(main, self.min_count)
        self._program = restored_program(self.templates_, self._native.template_keys)
        if history is not None:
            self._native_history = _native.Encoder.from_state(history, self.min_count)
            self._history_program = restored_program(self.templates_, self._native_history.template_keys)
        self._is_restored = True

    def __repr__(self) -> str:
        if self._native is None:
            return f"<Encoder: {self.templates!r}, not fitted>"
        numbers = {"template": len(self.templates_), "feature": self.feature_count, "label": len(self.labels_)}
        return f"<Encoder: {', '.join(counted(count, noun) for noun, count in numbers.items())}>"

    # Fitted attributes ----------------------------------------------------------------------------------------------------

    @property
    def feature_counts(self) -> NDArray[np.uint32]:
        """Number of occurrences of each feature in the fitted corpus."""
        return self.fitted_native.counts()

    @property
    def feature_templates(self) -> list[SparseTemplate]:
        """Template of each feature."""
        return [self._program.sparse[number] for number in self.fitted_native.template_numbers().tolist()]

    @property
    def sparse_templates(self) -> tuple[SparseTemplate, ...]:
        """Templates of the features, by number."""
        _ = self.fitted_native
        return self._program.sparse

    @property
    def history_templates(self) -> tuple[SparseTemplate, ...]:
        """Templates of the features that are combined with previous labels, by number."""
        _ = self.fitted_native
        return () if self._history_program is None else self._history_program.sparse

    @property
    def history_names(self) -> list[str]:
        """Names of the features that are combined with previous labels."""
        history = self.fitted_history
        return [] if history is None else history.names()

    @property
    def history_backs(self) -> list[tuple[int, ...]]:
        """For each template with previous labels: their distances in tokens.

        >>> corpus = Corpus.from_lists(word=[["Ann"]], label=[["PER"]])
        >>> Encoder("word[0]\\nlabel[-1] & label[-2] & word[0]", history=True).fit(corpus).history_backs
        [(1, 2)]
        """
        return [template.backs for template in self.history_templates]

    # Internal ------------------------------------------------------------------------------------------------------------

    @property
    def fitted_history(self) -> _native.Encoder | None:
        """Native encoder of the features that are combined with previous labels."""
        _ = self.fitted_native
        return self._native_history

    def _check_history(self) -> None:
        for template in self.templates_:
            for term in template.terms:
                if term.is_history and not self.history:
                    message = f"{term} depends on previous labels, which this learner does not use; remove the line"
                    raise template.error(message, source=self.templates_.source, term=term)

    def _compile(self, corpus: Corpus, *, history: bool) -> Program:
        if self._is_restored and (program := self._history_program if history else self._program) is not None:
            return program
        if self._model is not None:
            keys = self._model.history_template_keys if history else self._model.template_keys
            return restored_program(self.templates_, keys)
        compiler = Compiler(self.templates_, corpus.columns, self.resources_, corpus.label_column)
        return compiler.program(history, self.dimensions)

    def _make_native(self, program: Program, *, history: bool) -> _native.Encoder:
        if self._model is None:
            return program.native(self.min_count)
        return self._model.history_encoder(self.min_count) if history else self._model.encoder(self.min_count)

    def _check_columns(self, corpus: Corpus) -> None:
        """Raise an error if a corpus lacks a column: compiling again names the template that needs it."""
        self._compile(corpus, history=False)
        if self.history:
            self._compile(corpus, history=True)

    def _encoded(self, corpus: Corpus, encoding: _native.Encoding, history: _native.Encoding | None) -> EncodedCorpus:
        return EncodedCorpus(
            native=encoding,
            feature_count=self.feature_count,
            label_numbers=label_ids(corpus, self.labels_),
            history=history,
            history_feature_count=self._native_history.feature_count if self._native_history is not None else 0,
            dense=self._dense_blocks(corpus),
            restriction=self._restriction,
        )

    def _dense_blocks(self, corpus: Corpus) -> tuple[DenseBlock, ...]:
        rows: dict[tuple[int, str, int], NDArray[np.int32]] = {}
        blocks = []
        for template in self._program.dense:
            key = (id(template.function), template.column, id(template.embeddings))
            if key not in rows:
                rows[key] = _native.dense_rows(corpus.native, template.column, template.function, template.embeddings.rows)
            blocks.append(DenseBlock(template.key, template.offset, rows[key], template.embeddings.vectors))
        return tuple(blocks)

    def template_groups(self, by: str) -> list[int]:
        """Return a group number for each feature template: one per template ("templates"), or per set of bags ("bags").

        The base has 65,535. ``fitted_native.template_numbers()`` has the template of each feature.

        >>> encoder = Encoder("word[0]\\n[tags]\\npos[-1..0]").fit(Corpus.from_lists(word=[["Ann"]], pos=[["NNP"]]))
        >>> encoder.template_groups("bags"), encoder.template_groups("templates")
        ([65535, 0, 0], [0, 1, 2])
        """
        sparse = self._program.sparse
        if by == "templates":
            return list(range(len(sparse)))
        numbers: dict[tuple[str, ...], int] = {}
        return [numbers.setdefault(one.bags, len(numbers)) if one.bags else _BASE_GROUP for one in sparse]

    def _restriction(self, bags: tuple[str, ...]) -> tuple[bytes, bytes | None, set[str]]:
        """Return marks of the features in these bags: sparse, history, and the keys of dense templates."""
        self.templates_.check_bags(bags)
        keep = _marks(self.fitted_native, self._program, bags)
        keep_history = None
        if self._native_history is not None and self._history_program is not None:
            keep_history = _marks(self._native_history, self._history_program, bags)
        return keep, keep_history, {one.key for one in self._program.dense if _in_bags(one.bags, bags)}


def load_resources(templates: TemplateSet, resources: Mapping[str, Any]) -> dict[str, Any]:
    """Return the resources of a template set: given ones (loaded, or paths), those of ``use`` lines, and built-in ones."""
    for name in resources:
        if name not in templates.resources:
            known = (
                f"the resources are {', '.join(templates.resources)}" if templates.resources else "the templates use no resources"
            )
            raise ResourceError(f"no template uses a resource {name!r}; {known}", source=templates.source)
    loaded: dict[str, Any] = {}
    uses = dict(templates.uses)
    for name, kind in templates.resources.items():
        resource = resources.get(name, uses.get(name))
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


def distinct_labels(corpus: Corpus) -> tuple[str, ...]:
    """Return the labels of a corpus in order of occurrence."""
    if corpus.label_column is None:
        return ()
    strings = corpus.strings(corpus.label_column)
    return tuple(strings[number] for number in corpus.native.distinct(corpus.label_column))


def label_ids(corpus: Corpus, labels: Sequence[str]) -> memoryview | None:
    """Return the number of each token's label in ``labels``; -1 for other labels, None for a corpus without labels."""
    if corpus.label_column is None:
        return None
    numbers = {label: number for number, label in enumerate(labels)}
    return corpus.native.mapped(corpus.label_column, [numbers.get(text, -1) for text in corpus.strings(corpus.label_column)])


def _marks(encoder: _native.Encoder, program: Program, bags: tuple[str, ...]) -> bytes:
    chosen = [_in_bags(template.bags, bags) for template in program.sparse]
    return bytes(chosen[number] for number in encoder.template_numbers().tolist())


def _in_bags(template_bags: tuple[str, ...], bags: tuple[str, ...]) -> bool:
    return not template_bags or bool(set(template_bags) & set(bags))
