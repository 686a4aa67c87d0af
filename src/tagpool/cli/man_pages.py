"""Manual pages in the format of man(7), from the help of the commands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from typer.main import get_command

import tagpool
from tagpool.cli.guard import EXIT_CODES

_SIGNALS = "After a signal: 128 and its number, such as 130 after Ctrl-C."
_ENVIRONMENT = {
    "NO_COLOR": "Colours are not used if this is set and not empty.",
    "FORCE_COLOR": "Colours and progress bars are used also if the output is no terminal.",
    "TAGPOOL_DEBUG": "Internal errors end with a traceback if this is set.",
}


def manual_pages(root: Any) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of the page of ``tagpool`` and of each command, such as ``tagpool-pool-fit``."""
    yield from _pages(root, ("tagpool",))


def _pages(command: Any, path: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    children = {name: command.get_command(None, name) for name in getattr(command, "list_commands", lambda _: ())(None)}
    yield "-".join(path), _page(command, path, children)
    for name, child in children.items():
        yield from _pages(child, (*path, name))


def _page(command: Any, path: tuple[str, ...], children: dict[str, Any]) -> str:
    name, summary = "-".join(path), command.get_short_help_str(200).rstrip(".")
    context = command.make_context(" ".join(path), [], resilient_parsing=True)
    lines = [
        f'.TH "{_escape(name.upper())}" 1 "" "tagpool {tagpool.__version__}" "tagpool manual"',
        ".SH NAME",
        f"{_escape(name)} \\- {_escape(summary)}",
        ".SH SYNOPSIS",
        f".B {_escape(' '.join(path))}",
        _escape(" ".join(command.collect_usage_pieces(context))),
        ".SH DESCRIPTION",
        *_description(command.help or ""),
    ]
    if children:
        lines.append(".SH COMMANDS")
        for child, one in children.items():
            lines += [".TP", f".BR {_escape(f'{name}-{child}')} (1)", _line(one.get_short_help_str(200))]
    lines.append(".SH OPTIONS")
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None:
            lines += [".TP", f".B {_escape(record[0])}", _line(record[1] or "")]
    if command.epilog:
        lines += [".SH EXIT STATUS", _line(EXIT_CODES.partition(": ")[2]), _line(_SIGNALS)]
    lines.append(".SH ENVIRONMENT")
    for variable, meaning in _ENVIRONMENT.items():
        lines += [".TP", f".B {variable}", _line(meaning)]
    if len(path) > 1:
        lines += [".SH SEE ALSO", f".BR {_escape('-'.join(path[:-1]))} (1)"]
    return "".join(f"{line}\n" for line in lines)


def _description(text: str) -> Iterator[str]:
    r"""Yield the lines of a help text; a paragraph after ``\b`` keeps its line breaks."""
    divided = text.strip().replace("\n\b\n", "\n\n\b\n")
    for number, paragraph in enumerate(re.split(r"\n\s*\n", divided)):
        if number:
            yield ".PP"
        marked, is_verbatim = paragraph.removeprefix("\b\n"), paragraph.startswith("\b")
        if is_verbatim:
            yield from (".nf", *map(_line, marked.splitlines()), ".fi")
        else:
            yield _line(" ".join(marked.split()))


def _line(text: str) -> str:
    """Return a text as a line that is no request."""
    escaped = _escape(text)
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped


def _escape(text: str) -> str:
    return text.replace("\\", "\\e").replace("-", "\\-")


def root_command() -> Any:
    """Return the command ``tagpool`` with all others."""
    from tagpool.cli.main import app  # noqa: PLC0415 - imports this module for the command man

    return get_command(app)
