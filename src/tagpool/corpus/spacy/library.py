"""The library spaCy, which is imported only where it is used."""

from __future__ import annotations

from typing import Any

from tagpool.errors import InputError


def import_spacy(purpose: str) -> Any:
    """Return the module spacy with its tokens; raise an error that names the extra if it is missing."""
    try:
        import spacy
        import spacy.tokens
    except ImportError:
        raise InputError(f"{purpose}: spaCy is missing; pip install 'tagpool[spacy]'") from None
    return spacy


def load_pipeline(name: str) -> Any:
    """Return an installed pipeline, or that of a folder."""
    spacy = import_spacy(name)
    try:
        return spacy.load(name)
    except MemoryError:
        raise
    except Exception as error:
        message = f"spaCy cannot load this pipeline: {str(error).strip() or type(error).__name__}"
        raise InputError(message, source=name) from error


def check_pipeline(pipeline: Any) -> None:
    """Raise an InputError for another object than a pipeline of spaCy."""
    if not hasattr(pipeline, "vocab") or not hasattr(pipeline, "pipe"):
        raise InputError(f"expected a spaCy pipeline, got {type(pipeline).__name__}")
