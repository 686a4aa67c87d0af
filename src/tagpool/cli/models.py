"""Models that commands are given."""

from __future__ import annotations

from pathlib import Path

from tagpool.errors import InputError, ModelError
from tagpool.experts.expert import Expert
from tagpool.pools.files import load


def load_model(path: Path, *, templates: bool = False) -> Expert:
    """A model; files that are none may well be the other file of the command. ``templates``: it must make its features itself.

    A pool comes as the one expert it is; commands know nothing of members.
    """
    try:
        found = load(path)
    except ModelError as error:
        if "not a safetensors file" not in error.message:
            raise
        raise ModelError("expected a model, as tagpool train writes it, got some other file", source=path) from None
    if not isinstance(found, Expert):
        try:
            found = found.collapse()
        except InputError as error:
            raise ModelError(f"commands take pools that are one model, and this is none: {error}", source=path) from None
    if templates and found._fitted().given:
        raise ModelError("the model was trained on features given from Python, and can be used from there only", source=path)
    return found
