"""Functions of the user's modules, by name: ``pkg.module:function``."""

from __future__ import annotations

import difflib
import importlib
import os
import sys
from typing import Any

from tagpool.errors import InputError


def import_object(name: str, option: str) -> Any:
    """Return the object of a name such as ``pkg.module:function``; modules are also looked for in the current folder.

    ``option`` is the name of the option in messages.

    >>> import_object("os.path:basename", "--tagger")("a/b")
    'b'
    >>> import_object("os.path:basenam", "--tagger")
    Traceback (most recent call last):
    ...
    tagpool.errors.InputError: --tagger os.path:basenam: the module os.path has no 'basenam'; did you mean 'basename'?
    """
    module_name, colon, attributes = name.partition(":")
    source = f"{option} {name}"
    parts = attributes.split(".")
    if not colon or not all(part.isidentifier() for part in (*module_name.split("."), *parts)):
        raise InputError("expected MODULE:FUNCTION, such as package.module:function", source=source)
    value: Any = _import_module(module_name, source)
    for part in parts:
        if not hasattr(value, part):
            near = difflib.get_close_matches(part, dir(value), 1)
            advice = f"; did you mean {near[0]!r}?" if near else ""
            raise InputError(f"the module {module_name} has no {attributes!r}{advice}", source=source)
        value = getattr(value, part)
    return value


def _import_module(name: str, source: str) -> Any:
    folder = os.getcwd()  # noqa: PTH109 - sys.path has texts
    if folder not in sys.path:
        sys.path.insert(0, folder)  # for good: a tagger may import more modules when it is called
    try:
        importlib.invalidate_caches()
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(f"{error.name}.")):
            message = f"there is no module {error.name!r} in the current folder or among the installed ones; check the name"
        else:
            message = f"the module {error.name!r}, which {name} needs, is missing; install it"
        raise InputError(message, source=source) from None
    except MemoryError:
        raise
    except (Exception, SystemExit) as error:
        message = f"importing the module {name} raised {type(error).__name__}: {error}; correct the module"
        raise InputError(message, source=source) from error


def import_function(name: str, option: str) -> Any:
    """Return a function by its name, or the method ``predict`` of an object; raise an error for anything else."""
    value = import_object(name, option)
    predict = None if isinstance(value, type) else getattr(value, "predict", None)
    function = predict if callable(predict) else value
    if not callable(function) or isinstance(function, type):
        raise InputError(f"expected a function, got {type(value).__name__}", source=f"{option} {name}")
    return function
