"""Shells that complete a line, as a user does with the tabulator key."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

PROMPT = "ready$ "
_LIMIT = 60.0  # seconds after which an answer is missing
# Ctrl-G prints the line that is edited, and removes it.
_BASH = """show() { echo "LINE<$READLINE_LINE>"; READLINE_LINE=; READLINE_POINT=0; }
bind -x '"\\C-g": show'
bind 'set bell-style none'
"""
_ZSH = """autoload -U compinit
compinit -u -D
show() { print -r "LINE<$BUFFER>"; BUFFER= }
zle -N show
bindkey "^G" show
unsetopt beep
"""
_SETUP = {"bash": _BASH, "zsh": _ZSH}
_COMMANDS = {"bash": ["bash", "--norc", "--noprofile", "-i"], "zsh": ["zsh", "-f", "-i"]}


class Shell:
    """A shell on a terminal, in a folder, with the completion script of ``tagpool``."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name, self.folder = name, folder
        commands = folder / "bin"
        commands.mkdir()
        (commands / "tagpool").write_text(f'#!/bin/sh\nexec {sys.executable} -m tagpool "$@"\n')
        (commands / "tagpool").chmod(0o755)
        self.environment = {
            **os.environ,
            "PATH": f"{commands}:{os.environ['PATH']}",
            "HOME": str(folder),
            "TERM": "dumb",
            "PS1": PROMPT,
            "PROMPT": PROMPT,
        }

    def complete(self, script: str, lines: Iterable[str]) -> Iterator[str]:
        """Yield each line after the tabulator key, with the completion of a script."""
        (self.folder / "script").write_text(_SETUP[self.name] + script)
        terminal, child = pty.openpty()
        options = {"stdin": child, "stdout": child, "stderr": child, "cwd": self.folder, "start_new_session": True}
        process = subprocess.Popen(_COMMANDS[self.name], env=self.environment, **options)  # type: ignore[call-overload]
        os.close(child)
        try:
            os.write(terminal, f"source {self.folder}/script; echo be''gin\n".encode())
            read_until(terminal, r"begin\r\n")
            for line in lines:
                os.write(terminal, f"{line}\t\x07".encode())  # Ctrl-G is read after the completion
                yield read_until(terminal, r"LINE<(.*?)>\r")
        finally:
            process.kill()
            process.wait()
            os.close(terminal)


def read_until(terminal: int, pattern: str) -> str:
    """Read the output of a terminal up to a pattern; return the group of the match, or the match."""
    output = ""
    end = time.monotonic() + _LIMIT
    while (match := re.search(pattern, output)) is None:
        ready, _, _ = select.select([terminal], [], [], max(0.0, end - time.monotonic()))
        assert ready, f"no answer: {output!r}"
        output += os.read(terminal, 1 << 16).decode(errors="replace")
    return match[match.lastindex or 0]
