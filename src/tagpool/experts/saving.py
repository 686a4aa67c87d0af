"""Model files, the writing side: one safetensors file, whole or not at all."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tagpool
from tagpool import _native
from tagpool.corpus.files import write_bytes
from tagpool.errors import InputError, ModelError
from tagpool.experts.references import REFERENCES, origins_of, references_of
from tagpool.experts.tagger import Tagger
from tagpool.features.encoder import Encoder

_SEPARATOR = "\0"


@dataclass(frozen=True)
class Kept:
    """What of a model its file holds."""

    half: bool = False
    prune: float = 0.0
    names: bool = True
    apart: Path | None = None  # the folder of a file that refers to the model's resources, and does not hold them


def save(
    expert: Tagger,
    path: str | Path,
    *,
    half: bool = False,
    prune: float = 0.0,
    names: bool = True,
    resources: bool = True,
) -> None:
    """Writes an expert's model."""
    expert._fitted()
    if not prune >= 0:
        raise InputError(f"prune={prune!r}: expected a number from 0 on")
    write_bytes(path, to_bytes(expert, Kept(half, prune, names, None if resources else Path(path).parent)))


def to_bytes(
    expert: Tagger,
    kept: Kept = Kept(),
    further_texts: Mapping[str, str] | None = None,
    further_arrays: Mapping[str, bytes] | None = None,
) -> bytes:
    """The content of a model file, with further texts and arrays if given."""
    model = expert._fitted()
    if kept.prune:
        model = expert._pruned(kept.prune)
    texts = {"kind": expert.kind, "tagpool": tagpool.__version__}
    for key in ("parameters", "templates", "summary"):  # a model from a file has those it was trained with
        if (text := expert._fitted().text(key)) is not None:
            texts[key] = text
    if expert._encoder is not None:
        texts["parameters"] = json.dumps(_plain(expert))
    if isinstance(expert._encoder, Encoder):
        texts["templates"] = str(expert._encoder.templates_)
    if expert._summary is not None:
        texts["summary"] = json.dumps(expert._summary)
    arrays: dict[str, bytes] = {}
    if kept.names and has_names(expert):
        arrays["names"] = _packed_names(expert)
    if kept.names and (packed := _packed_history_names(expert)) is not None:
        arrays["history.names"] = packed
    if kept.names and has_names(expert):
        arrays |= expert._kept_with_names()
    references = {} if kept.apart is None else references_of(model, origins_of(expert), kept.apart)
    if references:
        texts[REFERENCES] = json.dumps(references)
    more_texts, more_arrays = expert._kept_besides(kept.half)
    texts |= {**more_texts, **(further_texts or {})}
    arrays |= {**more_arrays, **(further_arrays or {})}
    written: bytes = model.write(texts, arrays, kept.half)
    return _native.without_arrays(written, [f"{each}." for each in references]) if references else written


def _packed_names(expert: Tagger) -> bytes:
    """The names, sorted and compressed: they take a fifth of the room, and a feature's place follows from its name."""
    if expert._encoder is None:
        return bytes(expert._fitted().array("names") or b"")
    return zlib.compress(expert._encoder.fitted_native.packed_names(), 3)


def _packed_history_names(expert: Tagger) -> bytes | None:
    """The same for features of transitions; None if there are none, or they are not known."""
    if not isinstance(expert._encoder, Encoder):
        packed: bytes | None = expert._fitted().array("history.names")
        return packed
    encoder = expert._encoder.fitted_history
    return None if encoder is None else zlib.compress(encoder.packed_names(), 3)


def has_names(expert: Tagger) -> bool:
    """Whether the names of an expert's features are known: not if they are hashed, or left out of the file it comes from."""
    if expert._fitted().hash_size:
        return False
    return expert._encoder is not None or expert._fitted().array("names") is not None


def has_history_names(expert: Tagger) -> bool:
    """The same of its features of transitions, which are never hashed; also if there are none."""
    return not expert._fitted().has_history or _packed_history_names(expert) is not None


def feature_names(expert: Tagger) -> list[str]:
    """The names of an expert's features; an error if they were not saved.

    >>> from tagpool import CRF, Corpus
    >>> crf = CRF("word[0]").fit(Corpus.from_lists(word=[["Ann", "left"]], label=[["PER", "O"]]))
    >>> feature_names(crf)
    ['word[0]=Ann', 'word[0]=left']
    """
    if expert._fitted().hash_size:
        raise InputError("the model's features are hashed: they have no names, and it cannot be trained further")
    if expert._encoder is not None:
        return expert._encoder.feature_names
    if expert._names is None:
        expert._names = _unpacked(expert._fitted().array("names"))
    return expert._names


def history_names(expert: Tagger) -> list[str]:
    """The names of an expert's features of transitions; an error if they were not saved.

    >>> from tagpool import CRF, Corpus
    >>> corpus = Corpus.from_lists(word=[["Ann", "left"]], label=[["PER", "O"]])
    >>> history_names(CRF("word[0]\\nlabel[-1] & word[0]").fit(corpus))
    ['label[-1]&word[0]=Ann', 'label[-1]&word[0]=left']
    """
    if isinstance(expert._encoder, Encoder):
        return expert._encoder.history_names
    return _unpacked(expert._fitted().array("history.names")) if expert._fitted().has_history else []


def _unpacked(packed: bytes | None) -> list[str]:
    if packed is None:
        raise InputError("the model was saved without names of features; it can only tag")
    try:
        text = zlib.decompress(packed).decode()
    except (zlib.error, UnicodeDecodeError):
        raise ModelError("the model's names of features are damaged") from None
    return text.split(_SEPARATOR) if text else []


def _plain(expert: Tagger) -> dict[str, Any]:
    """The parameters that JSON can hold; of the others, what they are called."""
    found: dict[str, Any] = {}
    for name, value in expert.get_params(deep=False).items():
        if name in ("resources", "threads"):  # the file is the same whatever the number of threads
            continue
        try:
            json.dumps(value)
            found[name] = value
        except TypeError:
            found[name] = str(value)
    return found
