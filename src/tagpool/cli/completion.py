"""``tagpool completion``: the script that completes commands in a shell."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from tagpool.cli.completing.scripts import SCRIPTS
from tagpool.cli.console import print_text


def completion(shell: Annotated[Literal["bash", "zsh", "fish"], typer.Argument(help="The shell.")]) -> None:
    """Print the completion script of a shell.

    It completes commands, options, model files, formats, presets, kinds of changes, and keys of configurations.

    \b
    Examples:
      source <(tagpool completion bash)                    (in ~/.bashrc)
      source <(tagpool completion zsh)                     (in ~/.zshrc, after compinit)
      tagpool completion fish > ~/.config/fish/completions/tagpool.fish
    """
    print_text(SCRIPTS[shell])
