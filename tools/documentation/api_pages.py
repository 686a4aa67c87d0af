"""Pages of the Python interface: every public name, described by its docstring, and the parts that have none."""

from __future__ import annotations

import enum
import importlib
import inspect
from typing import Any

import tagpool

# Titles of the pages, and the packages whose public names they have.
PAGES: dict[str, tuple[str, tuple[str, ...]]] = {
    "corpora": ("Corpora and tag schemes", ("corpus",)),
    "features": ("Templates, features and resources", ("features",)),
    "taggers": ("Taggers", ("experts",)),
    "trainers": ("Trainers", ("optim",)),
    "pools": ("Pools", ("pools",)),
    "lattices": ("Lattices", ("chain",)),
    "scores": ("Scores", ("evaluation",)),
    "audits": ("Changes of text, audits, drift, likely errors", ("perturbations", "auditing")),
    "reports": ("Reports and views", ("report", "views")),
    "tuning": ("Tuning", ("tuning",)),
    "hub": ("Models on the hub of Hugging Face", ("bridges",)),
    "errors": ("Errors", ("errors",)),
}
# Modules whose names are public in their own module: the drop-ins, bridges, and functions that the other pages use.
MODULES: dict[str, tuple[str, ...]] = {
    "tagpool.compat": ("install",),
    "tagpool.compat.pycrfsuite": ("Trainer", "Tagger", "ItemSequence", "CRFSuiteError"),
    "tagpool.compat.sklearn_crfsuite": ("CRF", "load"),
    "tagpool.compat.wapiti.patterns": ("parse_wapiti_patterns", "attributes_of"),
    "tagpool.compat.wapiti.text_models": ("parse_wapiti_model", "read_text_model"),
    "tagpool.bridges.huggingface": ("from_dataset", "to_dataset", "from_pipeline", "from_gliner"),
    "tagpool.bridges.ray": ("Ray", "Tag"),
    "tagpool.bridges.spark": ("tag",),
    "tagpool.compat.pattern_tagger": ("PatternTagger",),
    "tagpool.corpus.schemes": ("detect", "spans", "to_labels", "violations", "convert_many"),
    "tagpool.corpus.spacy.files": ("make_documents",),
    "tagpool.evaluation.breakdown": ("edit_distance",),
    "tagpool.evaluation.significance": ("paired_bootstrap", "randomisation_test"),
    "tagpool.perturbations.registry": ("register",),
}
_EXCLUDED = "object, BaseException, Exception, ValueError, tuple, dict, Enum, str, int, float"


def grouped() -> dict[str, list[str]]:
    """Return the public names of each page; a name of a package without a page is an error."""
    groups: dict[str, list[str]] = {page: [] for page in PAGES}
    for name, module in tagpool._PUBLIC.items():
        package = module.split(".")[1]
        page = next((page for page, (_, packages) in PAGES.items() if package in packages), None)
        if page is None:
            raise LookupError(f"tagpool.{name} belongs to no page; add {package!r} to PAGES in {__file__}")
        groups[page].append(name)
    return groups


def api_pages() -> dict[str, str]:
    """Return the text of the pages by name."""
    pages = {}
    for page, names in grouped().items():
        title = PAGES[page][0]
        parts = [title, "=" * len(title), "", ".. currentmodule:: tagpool", ""]
        for name in names:
            parts += _directive(getattr(tagpool, name), f"tagpool.{name}")
        pages[page] = "\n".join(parts)
    title = "Drop-ins, bridges and further functions"
    parts = [title, "=" * len(title), "", "Names that are imported from their own module.", ""]
    for module, names in MODULES.items():
        parts += [module, "-" * len(module), ""]
        for name in names:
            parts += _directive(getattr(importlib.import_module(module), name), f"{module}.{name}")
    pages["modules"] = "\n".join(parts)
    return pages


def _directive(value: Any, name: str) -> list[str]:
    if not inspect.isclass(value):
        return [f".. autofunction:: {name}", ""]
    kind = "autoexception" if issubclass(value, Exception) else "autoclass"
    return [f".. {kind}:: {name}", "    :members:", f"    :inherited-members: {_EXCLUDED}", ""]


def undocumented() -> list[str]:
    """Return the public names, methods and attributes that have no documentation."""
    missing = []
    everything = {f"tagpool.{name}": getattr(tagpool, name) for name in tagpool._PUBLIC}
    for module, names in MODULES.items():
        everything |= {f"{module}.{name}": getattr(importlib.import_module(module), name) for name in names}
    for name, value in everything.items():
        if not inspect.getdoc(value):
            missing.append(name)
        if inspect.isclass(value) and not issubclass(value, enum.Enum):
            missing += [f"{name}.{member}" for member, content in _members(value).items() if not inspect.getdoc(content)]
    return missing


def _members(value: type) -> dict[str, Any]:
    """Return the public methods and properties that the package defines."""
    return {
        name: content
        for base in reversed(value.__mro__)
        if base.__module__.startswith("tagpool")
        for name, content in vars(base).items()
        if not name.startswith("_") and isinstance(content, FUNCTIONS)
    }


FUNCTIONS = (type(undocumented), property, classmethod, staticmethod)
