"""Models for commands. A start-up file."""

from __future__ import annotations

from tagpool.errors import InputError, ModelError
from tagpool.lazy import TYPE_CHECKING
from tagpool.pools.loading import load

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from typing import Any


def load_model(path: Path, *, templates: bool = False, resources: Mapping[str, Any] | None = None) -> Any:
    """Load a tagger or pool that labels sentences (a SequenceTagger); with ``templates``, it must compute features itself.

    ``resources`` are the files of resources that the model file does not contain, by name.
    """
    model: Any = load(path, resources=resources)
    if not hasattr(model, "single_taggers"):
        message = f"a {model.kind} can label sentences only with the labels of other taggers; use tagpool pool apply"
        raise ModelError(message, source=path)
    if templates and model.takes_features:
        raise ModelError("the model was trained on features from Python; use it in Python", source=path)
    return model


def fastest(model: Any, threads: int) -> Any:
    """Return the form of a model that tags fastest: merged into one if possible, with a number of threads."""
    try:
        model = model.merge()
    except InputError:  # a pool that does not merge
        model.threads = threads
    for tagger in model.single_taggers():
        tagger.threads = threads
    return model
