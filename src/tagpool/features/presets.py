"""Loading of templates: from text, a file, or a preset of the package."""

from __future__ import annotations

import errno
import stat
from dataclasses import replace
from pathlib import Path

from tagpool.corpus.files import read_lines
from tagpool.errors import InputError, TemplateError
from tagpool.features.crfpp import looks_like_crfpp, parse_crfpp
from tagpool.features.parser import parse
from tagpool.features.template import TemplateSet

_FOLDER = Path(__file__).parent / "presets"  # importlib.resources takes longer to import than this package
_NO_FILE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG)  # errors for a text that names no file


def preset_names() -> tuple[str, ...]:
    """Return the names of the presets."""
    return tuple(sorted(entry.name.removesuffix(".txt") for entry in _FOLDER.iterdir() if entry.name.endswith(".txt")))


def preset_text(name: str) -> str:
    """Return the text of a preset, with its comments."""
    if name not in preset_names():
        raise TemplateError(f"there is no preset {name!r}; the presets are {', '.join(preset_names())}")
    return (_FOLDER / f"{name}.txt").read_text(encoding="utf-8")


def read_templates(path: str | Path) -> TemplateSet:
    """Read a template file of tagpool or CRF++. Paths in ``use`` lines are relative to it."""
    try:
        text = "\n".join(read_lines(path))
    except InputError as error:
        raise TemplateError(error.message, source=error.source, line=error.line) from None
    if looks_like_crfpp(text):
        return parse_crfpp(text, source=str(path))
    templates = parse(text, source=str(path))
    return replace(templates, uses=tuple((name, str(Path(path).parent / file)) for name, file in templates.uses))


def _is_file(what: str) -> bool:
    """Return whether a text is the name of a file; an error of the system is not taken for "no"."""
    if "\n" in what:
        return False
    try:
        return stat.S_ISREG(Path(what).stat().st_mode)
    except ValueError:  # a NUL
        return False
    except OSError as error:
        if error.errno in _NO_FILE:
            return False
        raise TemplateError(f"reading failed: {error.strerror}", source=what) from None


def load_templates(what: TemplateSet | str | Path) -> TemplateSet:
    """Load templates from a set, the name of a preset, a file, or text.

    >>> len(load_templates("word[0]\\npos[0]"))
    2
    """
    if isinstance(what, TemplateSet):
        return what
    if isinstance(what, Path):
        return read_templates(what)
    if not isinstance(what, str) or not what.strip():
        raise TemplateError(f"expected templates, the name of a preset or of a file, got {what!r}")
    if what in preset_names():
        return parse(preset_text(what), source=f"preset {what}")
    if _is_file(what):
        return read_templates(what)
    if any(sign in what for sign in "[(&\n"):
        return parse_crfpp(what) if looks_like_crfpp(what) else parse(what)
    hint = f"; for a template write {what}[0]" if what.isidentifier() else ""
    raise TemplateError(f"{what!r} is neither a file nor a preset; the presets are {', '.join(preset_names())}{hint}")
