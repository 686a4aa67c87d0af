"""Writing of model files: one safetensors file, complete or absent."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import tagpool
from tagpool import _native
from tagpool.errors import InputError
from tagpool.experts.configuration import configuration_text
from tagpool.experts.metadata import iterate_names, read_names, read_templates
from tagpool.experts.references import REFERENCES, references_in, references_of
from tagpool.experts.tagger import Tagger
from tagpool.experts.truecasing import TRUECASE, pack_truecaser
from tagpool.features.encoder import Encoder
from tagpool.features.template import TemplateSet
from tagpool.parameters import Parameters

SIZES = ("full", "small")
_CHUNK = 1 << 14
NAMES, HISTORY_NAMES = "names", "history.names"  # keys of the arrays with the names of features and transition features


@dataclass(frozen=True)
class SaveOptions:
    """The parts of a model that its file contains."""

    half: bool = False
    prune: float = 0.0
    names: bool = True
    resources: bool = True  # the content of resources; else references to them

    @classmethod
    def of(cls, size: str, names: bool, resources: bool) -> SaveOptions:
        """The options of ``save``: a small file has weights in half precision, and none up to 0.01."""
        if size not in SIZES:
            raise InputError(f"size={size!r}: expected 'full' or 'small'")
        small = size == "small"
        return cls(small, 0.01 if small else 0.0, names, resources)


def to_bytes(
    expert: Tagger,
    options: SaveOptions = SaveOptions(),
    further_texts: Mapping[str, str] | None = None,
    further_arrays: Mapping[str, bytes] | None = None,
) -> bytes:
    """The content of a model file, with further texts and arrays if given."""
    model, encoder = expert._fitted(), expert._encoder
    texts = {"kind": expert.kind, "tagpool": tagpool.__version__}
    for key in ("parameters", "config", "templates", "summary"):  # a model from a file has those it was trained with
        if (text := model.text(key)) is not None:
            texts[key] = text
    if encoder is not None:
        texts["parameters"] = json.dumps(json_parameters(expert))
        texts["config"] = configuration_text(expert)
    if expert.configuration_ is not None:
        texts["config"] = expert.configuration_
    if isinstance(encoder, Encoder):
        texts["templates"] = str(encoder.templates_)
    if expert._summary is not None:
        texts["summary"] = json.dumps(expert._summary)
    arrays: dict[str, bytes] = {}
    if has_names(expert):
        if options.prune:
            model = expert._pruned(options.prune)
        if options.names:
            arrays = {key: packed for key in (NAMES, HISTORY_NAMES) if (packed := _packed_names(expert, key)) is not None}
            arrays |= expert._name_arrays()
    if (truecaser := expert.truecaser_) is not None:
        arrays[TRUECASE] = pack_truecaser(truecaser)
    references = {} if options.resources else references_of(model, references_in(expert))
    if references:
        texts[REFERENCES] = json.dumps(references)
    texts |= {**expert._further_texts(), **(further_texts or {})}
    written: bytes = model.write(texts, arrays | dict(further_arrays or {}), options.half)
    return _native.without_arrays(written, [f"{prefix}." for prefix in references]) if references else written


def _packed_names(expert: Tagger, key: str) -> bytes | None:
    """The names of features or transition features, sorted and compressed to a fifth; None without names."""
    encoder = expert._encoder
    if encoder is None or (key == HISTORY_NAMES and not isinstance(encoder, Encoder)):
        packed: bytes | None = expert._fitted().array(key)
        return packed
    native = encoder.fitted_history if key == HISTORY_NAMES and isinstance(encoder, Encoder) else encoder.fitted_native
    return None if native is None else zlib.compress(native.packed_names(), 1)  # higher levels save less than 1%


def has_names(expert: Tagger) -> bool:
    """True if the names of the features are known: they were not left out of the model file."""
    return expert._encoder is not None or expert._fitted().array(NAMES) is not None


def has_history_names(expert: Tagger) -> bool:
    """True if the names of all transition features are known."""
    model = expert._fitted()
    return not model.has_history or isinstance(expert._encoder, Encoder) or model.array(HISTORY_NAMES) is not None


def feature_names(expert: Tagger) -> list[str]:
    """The names of a tagger's features; an error if they were not saved.

    >>> from tagpool import CRF, Corpus
    >>> crf = CRF("word[0]").fit(Corpus.from_lists(word=[["Ann", "left"]], label=[["PER", "O"]]))
    >>> feature_names(crf)
    ['word[0]=Ann', 'word[0]=left']
    """
    if expert._encoder is not None:
        return expert._encoder.feature_names
    if expert._names is None:
        expert._names = _unpacked(expert, NAMES)
    return expert._names


def history_names(expert: Tagger) -> list[str]:
    """The names of a tagger's transition features; an error if they were not saved.

    >>> from tagpool import CRF, Corpus
    >>> corpus = Corpus.from_lists(word=[["Ann", "left"]], label=[["PER", "O"]])
    >>> history_names(CRF("word[0]\\nlabel[-1] & word[0]").fit(corpus))
    ['label[-1]&word[0]=Ann', 'label[-1]&word[0]=left']
    """
    if isinstance(expert._encoder, Encoder):
        return expert._encoder.history_names
    return _unpacked(expert, HISTORY_NAMES) if expert._fitted().has_history else []


def name_chunks(expert: Tagger) -> Iterator[list[str]]:
    """Yield the distinct names of a tagger's features in order, some thousands at a time; those of a file are not kept.

    >>> from tagpool import CRF, Corpus
    >>> crf = CRF("word[0]").fit(Corpus.from_lists(word=[["b", "a"]], label=[["PER", "O"]]))
    >>> list(name_chunks(crf))
    [['word[0]=a', 'word[0]=b']]
    """
    last = ""  # no feature has an empty name
    if expert._encoder is None and expert._names is None:
        chunks = iterate_names(_packed(expert, NAMES))
    else:
        names = sorted(feature_names(expert))
        chunks = (names[begin : begin + _CHUNK] for begin in range(0, len(names), _CHUNK))
    for chunk in chunks:
        before, last = [last, *chunk], chunk[-1]
        yield [name for name, previous in zip(chunk, before, strict=False) if name not in ("", previous)]


def _unpacked(expert: Tagger, key: str) -> list[str]:
    return read_names(_packed(expert, key), sum(expert._fitted().sizes().values()))


def _packed(expert: Tagger, key: str) -> bytes:
    packed: bytes | None = expert._fitted().array(key)
    if packed is None:
        raise InputError("the model was saved without names of features; train it again with output.names=true")
    return packed


def fitted_templates(tagger: Tagger) -> TemplateSet:
    """The templates that a tagger was trained with."""
    if isinstance(tagger._encoder, Encoder):
        return tagger._encoder.templates_
    text = tagger._fitted().text("templates")
    return tagger._templates() if text is None else read_templates(text)


def json_parameters(learner: Parameters) -> dict[str, Any]:
    """The parameters as JSON values, without templates, resources and the trainer, which the configuration has."""
    parameters: dict[str, Any] = {}
    for name, value in learner.get_params(deep=False).items():
        if name not in ("templates", "resources", "trainer", "threads", "warm_start"):
            try:
                json.dumps(value)
                parameters[name] = value
            except TypeError:
                parameters[name] = str(value)
    return parameters
