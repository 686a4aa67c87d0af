"""Models that commands are given."""

from __future__ import annotations

from tagpool.errors import InputError, ModelError
from tagpool.experts.tagger import Tagger
from tagpool.lazy import TYPE_CHECKING
from tagpool.pools.loading import load

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any, TypeGuard

    from tagpool.pools.pool import Pool
    from tagpool.pools.votes.pool import VotePool


def load_any(path: Path) -> Tagger | Pool | VotePool:
    """Whatever a file holds; files that are no model may well be the other file of the command."""
    try:
        return load(path)
    except ModelError as error:
        if "not a safetensors file" not in error.message:
            raise
        raise ModelError("expected a model, as tagpool train writes it, got some other file", source=path) from None


def load_model(path: Path, *, templates: bool = False) -> Tagger | Pool:
    """A model that labels sentences by itself. ``templates``: it must make its features itself, too."""
    found = load_any(path)
    if not _tags(found):
        raise ModelError(
            "it holds a vote pool, which needs the labels of other taggers: use tagpool pool apply",
            source=path,
        )
    if templates and any(expert._fitted().given for expert in experts_in(found)):
        raise ModelError("the model was trained on features given from Python, and can be used from there only", source=path)
    return found


def _tags(model: Tagger | Pool | VotePool) -> TypeGuard[Tagger | Pool]:
    """Whether a model labels sentences by itself."""
    return isinstance(model, Tagger) or hasattr(model, "lattices")


def experts_in(model: Tagger | Pool) -> list[Tagger]:
    """Return the single taggers in a model."""
    return model.single_taggers()


def columns_of(model: Any) -> tuple[str, ...]:
    """Return the columns that a model reads."""
    columns: tuple[str, ...] = model.columns
    return columns


def looks_at_documents(model: Any) -> bool:
    """Return whether the labels of a sentence depend on the rest of its document."""
    return bool(model.reads_documents)


def as_one(model: Tagger | Pool) -> Tagger:
    """The single expert that a model is; an InputError says why where it is none."""
    return model.merge()


def fastest(model: Tagger | Pool) -> Tagger | Pool:
    """A model as it tags fastest: a pool that is one expert as that."""
    if isinstance(model, Tagger):
        return model
    try:
        return model.merge()
    except InputError:
        return model
