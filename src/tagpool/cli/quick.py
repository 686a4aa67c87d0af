"""Plain ``tagpool tag`` and ``tagpool train`` without typer, whose import takes longer than much of their work. A start-up file.

Other arguments are left to typer.
"""

from __future__ import annotations

import sys
import warnings

from tagpool.lazy import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_STREAM = "-"
_TAG = {"-o": "output", "--output": "output", "--format": "kind"}
_TRAIN = {
    "--train": "train",
    "--dev": "dev",
    "--model": "model",
    "--columns": "columns",
    "--features": "features",
    "--learner": "learner",
    "--set": "set_",
    "--seed": "seed",
    "--threads": "threads",
}
_REPEATABLE = ("train", "dev", "set_")
_NUMBERS = ("seed", "threads")
_QUIET = ("--quiet", "-q")


def parse_arguments(arguments: list[str]) -> dict[str, Any] | None:
    """Return the values of the parameters; None if typer must parse the arguments.

    >>> parse_arguments(["tag", "ner.tagpool", "a.conll", "-o", "b.conll"])
    {'model': 'ner.tagpool', 'file': 'a.conll', 'output': 'b.conll'}
    >>> parse_arguments(["train", "--train", "a.conll", "--model", "ner.tagpool"])
    {'train': ['a.conll'], 'model': 'ner.tagpool'}
    >>> parse_arguments(["tag", "ner.tagpool", "--nbest", "3"])
    """
    if arguments[:1] == ["tag"]:
        parsed = _split(arguments[1:], _TAG)
        if parsed is None or not 1 <= len(parsed[0]) <= 2:
            return None
        names, options = parsed
        return {"model": names[0], "file": names[1] if len(names) == 2 else _STREAM, "output": _STREAM, **options}
    if arguments[:1] == ["train"]:
        parsed = _split(arguments[1:], _TRAIN)
        if parsed is None or parsed[0]:
            return None
        options = parsed[1]
        for name in _NUMBERS:
            if name in options:
                if not (options[name].isascii() and options[name].isdigit() and len(options[name]) < 10):
                    return None
                options[name] = int(options[name])
        return options
    return None


def _split(arguments: list[str], names: dict[str, str]) -> tuple[list[str], dict[str, Any]] | None:
    """Return the positional arguments and the options; None if typer must parse them."""
    positional: list[str] = []
    options: dict[str, Any] = {}
    rest = iter(arguments)
    for argument in rest:
        if argument in _QUIET:
            options["quiet"] = True
            continue
        name = names.get(argument)
        value = argument if name is None else next(rest, "")
        if not value or (value.startswith("-") and value != _STREAM):
            return None
        if name is None:
            positional.append(value)
        elif name in _REPEATABLE:
            options.setdefault(name, []).append(value)
        elif name in options:
            return None
        else:
            options[name] = value
    return positional, options


def run(arguments: list[str]) -> bool:
    """Run the command; return False if typer must run it. Errors have the messages and exit codes of all commands."""
    values = parse_arguments(arguments)
    if values is None:
        return False
    if values.pop("quiet", False):
        from tagpool.cli.console import notes

        notes.mute()
    command: Callable[[], None] | None = _train(values) if arguments[0] == "train" else _tag(values)
    if command is None:
        return False
    warnings.showwarning = _show_warning
    try:
        command()
        if sys.stdout is not None:
            sys.stdout.flush()
    except (Exception, KeyboardInterrupt) as error:
        _report(error)
    return True


def _tag(values: dict[str, Any]) -> Callable[[], None] | None:
    from tagpool.corpus.formats import Format

    kind = values.get("kind")
    if kind is not None and kind not in {one.value for one in Format}:
        return None

    def tag() -> None:
        from pathlib import Path

        from tagpool.cli.label_file import label_files

        model, file, output = (Path(values[name]) for name in ("model", "file", "output"))
        label_files(model, [file], output, kind=None if kind is None else Format(kind))

    return tag


def _train(values: dict[str, Any]) -> Callable[[], None]:
    def train() -> None:
        from tagpool.cli.training.checkpoints import CheckpointOptions
        from tagpool.cli.training.command import train_with
        from tagpool.cli.training.settings import LearnerOptions

        data = {"train": values.pop("train", None), "dev": values.pop("dev", None)}
        output = {"model": values.pop("model", None)}
        settings = LearnerOptions(**values).merge_settings({"data": data, "output": output})
        train_with(settings, [], CheckpointOptions(), json=False)

    return train


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
