"""``tagpool man``: manual pages."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tagpool.cli.console import notes, print_text
from tagpool.cli.man_pages import manual_pages, root_command
from tagpool.corpus.files import write_text
from tagpool.errors import InputError
from tagpool.wording import counted


def man(
    command: Annotated[list[str] | None, typer.Argument(help="Command, such as train or pool fit (default: tagpool).")] = None,
    to: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="DIR", help="Write the pages of all commands into this folder.")
    ] = None,
) -> None:
    """Print the manual page of a command, for man(1).

    \b
    Examples:
      tagpool man train | man -l -
      tagpool man --output /usr/local/share/man/man1
    """
    pages = dict(manual_pages(root_command()))
    if to is not None:
        if command:
            raise InputError(f"--output {to}: has the pages of all commands; drop {' '.join(command)}")
        if not to.is_dir():
            raise InputError(f"--output {to}: expected a folder that exists")
        for name, text in pages.items():
            write_text(to / f"{name}.1", text)
        notes.print_line(f"{counted(len(pages), 'page')} written to {to}")
        return
    name = "-".join(["tagpool", *(command or [])])
    if name not in pages:
        raise InputError(f"{' '.join(command or [])}: there is no such command; tagpool --help lists them")
    print_text(pages[name])
