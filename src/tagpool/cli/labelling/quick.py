"""``tagpool tag MODEL FILE -o OUTPUT`` without typer, whose import takes longer than the rest. A start-up file.

Other arguments are left to typer.
"""

from __future__ import annotations

import sys
import warnings

from tagpool.lazy import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

_OPTIONS = {"-o": "output", "--output": "output", "--format": "kind"}
_STREAM = "-"


def parse_arguments(arguments: list[str]) -> dict[str, str] | None:
    """Return the values of the parameters; None if typer must parse the arguments.

    >>> parse_arguments(["tag", "ner.tagpool", "a.conll", "-o", "b.conll"])
    {'model': 'ner.tagpool', 'file': 'a.conll', 'output': 'b.conll'}
    >>> parse_arguments(["tag", "ner.tagpool", "--nbest", "3"])
    """
    if arguments[:1] != ["tag"]:
        return None
    options: dict[str, str] = {}
    names: list[str] = []
    rest = iter(arguments[1:])
    for argument in rest:
        name = _OPTIONS.get(argument)
        value = argument if name is None else next(rest, "")
        if not value or (value.startswith("-") and value != _STREAM) or name in options:
            return None
        if name is None:
            names.append(value)
        else:
            options[name] = value
    if not 1 <= len(names) <= 2:
        return None
    return {"model": names[0], "file": names[1] if len(names) == 2 else _STREAM, "output": _STREAM, **options}


def run(arguments: list[str]) -> bool:
    """Run the command; return False if typer must run it. Errors have the messages and exit codes of all commands."""
    values = parse_arguments(arguments)
    if values is None:
        return False
    from tagpool.corpus.formats import Format

    kind = values.get("kind")
    if kind is not None and kind not in {one.value for one in Format}:
        return False
    warnings.showwarning = _show_warning
    try:
        from pathlib import Path

        from tagpool.cli.labelling.files import label_file

        paths = (Path(values[name]) for name in ("model", "file", "output"))
        label_file(*paths, kind=None if kind is None else Format(kind))
        if sys.stdout is not None:
            sys.stdout.flush()
    except (Exception, KeyboardInterrupt) as error:
        _report(error)
    return True


def _show_warning(*arguments: Any, **options: Any) -> None:
    from tagpool.cli.guard import print_warning

    print_warning(*arguments, **options)


def _report(error: BaseException) -> None:
    import typer

    from tagpool.cli.guard import guard

    def fail() -> None:
        raise error

    try:
        guard(fail)()
    except typer.Exit as ending:
        sys.exit(ending.exit_code)
