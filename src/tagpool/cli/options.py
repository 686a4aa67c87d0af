"""Options that commands share, and groups of options."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from dataclasses import Field, fields
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from tagpool.cli.option_fields import is_declared
from tagpool.corpus.formats import Format
from tagpool.errors import InputError

ColumnsOption = Annotated[
    str | None,
    typer.Option(help="Column names of a CoNLL file (word,pos,label), or columns of a Parquet file (text=word,ner=label)."),
]
LabelOption = Annotated[str | None, typer.Option(help="Column of the labels (default: label).")]
FormatOption = Annotated[Format | None, typer.Option("--format", help="File format (default: from the name).")]
EncodingOption = Annotated[str, typer.Option(help="File encoding.")]
OutputOption = Annotated[Path, typer.Option("--output", "-o", help="Output file; - is standard output.")]
UseOption = Annotated[list[str] | None, typer.Option(metavar="NAME=PATH", help="A resource and its file (repeatable).")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def parse_uses(uses: Sequence[str] | None) -> dict[str, Path]:
    """Return the paths by name of ``NAME=PATH`` options."""
    paths: dict[str, Path] = {}
    for use in uses or ():
        name, equals, path = use.partition("=")
        if not equals or not name or not path:
            raise InputError(f"--use {use}: expected NAME=PATH, such as --use cities=cities.txt")
        if not Path(path).exists():
            raise InputError(f"--use {use}: there is no such file or folder", source=path)
        if name in paths:
            raise InputError(f"--use {use}: the resource {name!r} is given twice; give it once")
        paths[name] = Path(path)
    return paths


def expand_options(**groups: type) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator of commands: a parameter that is an object of a dataclass becomes one option per field.

    A field is annotated as a parameter of typer, or declared with :func:`tagpool.cli.option_fields.option`.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(command)
        def run(**options: Any) -> None:
            for name, group in groups.items():
                options[name] = group(**{field.name: options.pop(field.name) for field in fields(group)})
            command(**options)

        parameters: list[inspect.Parameter] = []
        for parameter in inspect.signature(command, eval_str=True).parameters.values():
            group = groups.get(parameter.name)
            if group is None:
                parameters.append(parameter)
                continue
            hints = get_type_hints(group, include_extras=True)
            for field in fields(group):
                hint = _annotate(field, hints[field.name])
                parameters.append(parameter.replace(name=field.name, annotation=hint, default=field.default))
        run.__dict__["__signature__"] = inspect.Signature(parameters)
        return run

    return decorate


def _annotate(field: Field[Any], hint: Any) -> Any:
    if not is_declared(field):
        return hint
    names, options = field.metadata["names"], field.metadata["options"]
    return Annotated[hint, typer.Option(*names, **options)]
