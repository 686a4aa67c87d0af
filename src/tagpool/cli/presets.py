"""Lists of presets and template functions, for ``tagpool features``."""

from __future__ import annotations

import typer
from rich.table import Table

from tagpool.cli.console import output, print_json, print_table, table
from tagpool.features.functions import FUNCTIONS
from tagpool.features.presets import load_templates, preset_names, preset_text


def list_functions(json: bool) -> None:
    """Prints the functions of the template language."""
    if json:
        print_json({function.name: {"example": function.example, "meaning": function.summary} for function in FUNCTIONS.values()})
        return
    rows = [[function.example, function.summary] for function in FUNCTIONS.values()]
    history = ["label[-1]", "a previous label, for learners that use them"]
    _print(table(["example", "meaning"], [*rows, history], left=2))


def print_preset(name: str, json: bool) -> None:
    """Prints the text of a preset."""
    text = preset_text(name)
    if json:
        print_json({"name": name, "text": text})
    else:
        typer.echo(text, nl=False)


def list_presets(json: bool) -> None:
    """Prints the names of the presets."""
    presets = {name: load_templates(name) for name in preset_names()}
    if json:
        print_json({name: {"bags": list(one.bags), "resources": list(one.resources)} for name, one in presets.items()})
        return
    rows = [
        [name, preset_text(name).splitlines()[0].lstrip("# "), ", ".join(one.bags), ", ".join(one.resources)]
        for name, one in presets.items()
    ]
    _print(table(["preset", "what for", "bags", "resources"], rows, left=4))


def _print(shown: Table) -> None:
    """Folds prose on a terminal; elsewhere a line stays a line."""
    if output.is_terminal:
        output.print(shown)
    else:
        print_table(shown)
