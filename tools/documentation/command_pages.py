"""Pages of the commands, from the declarations of their options: one page per command, in reStructuredText."""

from __future__ import annotations

import re
from typing import Any

from typer.main import get_command

from tagpool.cli.main import COMMANDS, app

_OPTION = re.compile(r"(?<![\w`-])(--?[a-z][\w-]*)")


def command_pages() -> dict[str, str]:
    """Return the text of the pages by name."""
    group: Any = get_command(app)
    pages = {}
    for name in COMMANDS:
        command = group.get_command(None, name)
        inner = getattr(command, "commands", None)
        title = f"tagpool {name}"
        parts = [title, "=" * len(title), ""]
        if inner is None:
            parts += _described(command, title)
        else:
            parts += [_escape(command.help or ""), ""]
            for inner_name, inner_command in inner.items():
                whole = f"{title} {inner_name}"
                parts += [whole, "-" * len(whole), "", *_described(inner_command, whole)]
        pages[name] = "\n".join(parts)
    return pages


def _described(command: Any, name: str) -> list[str]:
    parts = [f".. program:: {name}", "", *_help(command.help or ""), "", "::", "", f"    {_usage(command, name)}", ""]
    for parameter in command.params:
        if parameter.param_type_name == "argument":
            parts += [f".. option:: {_metavar(parameter)}", "", f"    {_about(parameter)}", ""]
    for parameter in command.params:
        if parameter.param_type_name == "option" and not parameter.hidden:
            value = "" if parameter.is_flag else f" {_metavar(parameter)}"
            names = ", ".join(f"{option}{value}" for option in [*parameter.opts, *parameter.secondary_opts])
            parts += [f".. option:: {names}", "", f"    {_about(parameter)}", ""]
    return parts


def _usage(command: Any, name: str) -> str:
    arguments = [parameter for parameter in command.params if parameter.param_type_name == "argument"]
    texts = [_metavar(one) + ("..." if one.nargs == -1 else "") for one in arguments]
    return " ".join(
        [name, "[OPTIONS]", *(text if one.required else f"[{text}]" for one, text in zip(arguments, texts, strict=True))]
    )


def _metavar(parameter: Any) -> str:
    if parameter.metavar:
        return str(parameter.metavar)
    choices = getattr(parameter.type, "choices", None)
    if choices:
        return "|".join(str(getattr(choice, "value", choice)) for choice in choices)
    kinds = {
        "integer": "NUMBER",
        "integer range": "NUMBER",
        "float": "NUMBER",
        "float range": "NUMBER",
        "text": "TEXT",
        "str": "TEXT",
    }
    return kinds.get(parameter.type.name, parameter.type.name.upper())


def _about(parameter: Any) -> str:
    text = parameter.help or ""
    if not text:
        raise LookupError(f"{parameter.opts} has no help")
    default = getattr(parameter.default, "value", parameter.default)
    if default not in (None, False, "", (), []) and "default" not in text and not callable(default) and not parameter.required:
        text = f"{text.rstrip('.')} (default: {default})."
    if parameter.required:
        text = f"{text.rstrip('.')} (required)."
    return _escape(text)


def _help(text: str) -> list[str]:
    """Return the help: paragraphs, and blocks below a backspace line by line, which may begin with a title."""
    parts: list[str] = []
    for paragraph in re.split(r"\n\n+", text.replace("\b\n", "\n\n\b\n").strip("\n")):
        if not paragraph.startswith("\b\n"):
            parts += [_escape(" ".join(paragraph.split())), ""]
            continue
        lines = paragraph.splitlines()[1:]
        title = [] if lines[0].startswith(" ") else [lines.pop(0)]
        if not lines:
            parts += [_escape(title[0]), ""]
        elif lines[0].startswith(" "):
            parts += [*map(_escape, title), "", ".. code-block:: text", "", *(f"    {line.strip()}" for line in lines), ""]
        else:
            parts += [f"| {_escape(line)}" for line in title + lines] + [""]
    return parts


def _escape(text: str) -> str:
    escaped = re.sub(r"([\\*_`|<>])", r"\\\1", text)
    return _OPTION.sub(r"``\1``", escaped)
