"""``tagpool presets``."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.table import Table

from tagpool.cli.console import JsonOption, output, print_json, print_table, table
from tagpool.features.functions import FUNCTIONS
from tagpool.features.presets import load_templates, preset_names, preset_text


def presets(
    name: Annotated[str | None, typer.Argument(help="A preset to print, as a start for a template file of your own.")] = None,
    functions: Annotated[bool, typer.Option("--functions", help="List the functions of the template language.")] = False,
    json: JsonOption = False,
) -> None:
    """List the feature presets, print one, or list the functions templates may use.

    \b
    Examples:
      tagpool presets
      tagpool presets ner > mine.txt
      tagpool presets --functions
    """
    if functions:
        if json:
            print_json(
                {function.name: {"example": function.example, "meaning": function.summary} for function in FUNCTIONS.values()}
            )
        else:
            rows = [[f.example, f.summary] for f in FUNCTIONS.values()]
            history = ["label[-1]", "a previous label, for learners that use them"]
            _print(table(["example", "meaning"], [*rows, history], left=2))
    elif name is not None:
        text = preset_text(name)
        if json:
            print_json({"name": name, "text": text})
        else:
            typer.echo(text, nl=False)
    else:
        sets = {each: load_templates(each) for each in preset_names()}
        if json:
            print_json({each: {"bags": list(found.bags), "resources": list(found.resources)} for each, found in sets.items()})
            return
        rows = [
            [each, preset_text(each).splitlines()[0].lstrip("# "), ", ".join(found.bags), ", ".join(found.resources)]
            for each, found in sets.items()
        ]
        _print(table(["preset", "what for", "bags", "resources"], rows, left=4))


def _print(shown: Table) -> None:
    """Prose may be folded on a terminal; elsewhere a line stays a line."""
    if output.is_terminal:
        output.print(shown)
    else:
        print_table(shown)
