"""Drop-in replacements for other libraries, and conversion of their model files."""

from __future__ import annotations

import sys

REDIRECTED = ("pycrfsuite", "sklearn_crfsuite")


def install() -> None:
    """Redirect ``import pycrfsuite`` and ``import sklearn_crfsuite`` to the drop-ins, in this process.

    Libraries that import them, and pickles that name their classes, then use tagpool. Call it before such a library is imported::

        import tagpool.compat
        tagpool.compat.install()
        import usaddress
    """
    from tagpool.compat.redirection import Redirection
    from tagpool.errors import InputError

    for name in REDIRECTED:
        module = sys.modules.get(name)
        if module is not None and module.__name__ != f"{__name__}.{name}":
            raise InputError(f"{name} is imported already: call tagpool.compat.install() before anything that imports it")
    if not any(isinstance(finder, Redirection) for finder in sys.meta_path):
        sys.meta_path.insert(0, Redirection(REDIRECTED))
