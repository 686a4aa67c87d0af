"""The answer to a shell: which part of a command the cursor is at, and the candidates there."""

from __future__ import annotations

import os
import re
import shlex
import sys
from typing import Any

from typer.main import get_command

from tagpool.cli.completing.candidates import Answer, Mode, Typed, words
from tagpool.cli.completing.scripts import VARIABLE
from tagpool.cli.completing.values import completer_of
from tagpool.visible import one_line

_BREAKS = ("=", ":")  # bash divides words here
_FILE_WORDS = ("FILE", "DIR", "PATH", "MODEL", "TEST", "OTHER", "EXPERT", "TEMPLATES")  # in metavars of files


def answer_shell(arguments: list[str]) -> None:
    """Print the answer to the script of a shell: ``arguments`` are the words before the cursor, and the word at it."""
    is_bash = os.environ[VARIABLE] == "bash"
    joined, cut = join_broken_words(arguments) if is_bash else (arguments, 0)
    *before, start = joined or [""]
    try:
        answer = complete(before, start, with_help=not is_bash)
    except Exception:  # a message would be printed into the command line
        answer = Answer(Mode.FILES)
    lines = [answer.mode.value]
    for value, text in answer.values.items():
        if value.isprintable():
            lines.append(value[cut:] if is_bash or not text else f"{value}\t{one_line(text)}")
    sys.stdout.write("".join(f"{line}\n" for line in lines))


def join_broken_words(arguments: list[str]) -> tuple[list[str], int]:
    """Return the words that bash divided at = and :, without quotes, and the length of the last one that bash does not replace.

    >>> join_broken_words(["train", "--set", "learner.trainer.kind", "=", "lb"])
    (['train', '--set', 'learner.trainer.kind=lb'], 21)
    """
    joined: list[str] = []
    is_open = False  # whether the next word continues the last one
    cut = 0
    for argument in arguments:
        is_break = argument in _BREAKS
        if joined and (is_break or is_open):
            cut = len(joined[-1]) + (1 if is_break else 0)
            joined[-1] += argument
        else:
            joined.append(argument)
            cut = 0
        is_open = is_break
    return [_unquote(word) for word in joined], cut


def _unquote(word: str) -> str:
    try:
        return "".join(shlex.split(word))
    except ValueError:  # the quotation has not ended
        return word.lstrip("'\"")


def complete(before: list[str], start: str, *, with_help: bool = True) -> Answer:
    """Return the candidates for the word that begins with ``start``, after the words ``before``."""
    from tagpool.cli.main import app  # noqa: PLC0415 - imports the names of all commands

    command: Any = get_command(app)
    path: list[str] = []
    rest = list(before)
    while hasattr(command, "list_commands"):
        if rest and rest[0].startswith("-"):
            rest.pop(0)  # options of groups have no values
            continue
        if not rest:
            return _complete_command(command, start, with_help=with_help)
        name = rest.pop(0)
        path.append(name)
        command = command.get_command(None, name)
    return Answer(Mode.FILES) if command is None else _Place(command, " ".join(path), rest).complete(start)


def _complete_command(group: Any, start: str, *, with_help: bool) -> Answer:
    if start.startswith("-"):
        return words(_options(group), start)
    names = [name for name in group.list_commands(None) if name.startswith(start)]
    if not with_help:  # which needs the module of each command
        return Answer(Mode.WORDS, dict.fromkeys(names, ""))
    return Answer(Mode.WORDS, {name: group.get_command(None, name).get_short_help_str(200) for name in names})


def _options(command: Any) -> dict[str, str]:
    """Return the long options of a command with their help."""
    parameters = (one for one in command.params if one.param_type_name == "option" and not one.hidden)
    options = {name: one.help or "" for one in parameters for name in (*one.opts, *one.secondary_opts) if name.startswith("--")}
    return options | {"--help": "Show this message and exit."}


class _Place:
    """The place of the cursor among the arguments of a command."""

    def __init__(self, command: Any, path: str, rest: list[str]) -> None:
        self.command, self.path = command, path
        self.typed = Typed()
        self.waiting: Any = None  # the option whose value is next
        self.only_arguments = False
        options = {name: one for one in command.params for name in (*one.opts, *one.secondary_opts)}
        self.arguments = [one for one in command.params if one.param_type_name == "argument"]
        for word in rest:
            name, equals, value = word.partition("=")
            if self.waiting is not None:
                self._add(self.waiting, word)
                self.waiting = None
            elif word == "--" and not self.only_arguments:
                self.only_arguments = True
            elif name in options and not self.only_arguments:
                self.waiting = None if equals or options[name].is_flag else options[name]
                self._add(options[name], value)
            elif self.arguments:
                self._add(self.arguments[0], word)
                if self.arguments[0].nargs == 1:
                    self.arguments.pop(0)
        self.options = options

    def _add(self, parameter: Any, value: str) -> None:
        self.typed.values.setdefault(parameter.name, []).append(value)

    def complete(self, start: str) -> Answer:
        """Return the candidates for the word at the cursor."""
        if self.waiting is not None:
            return self._complete_value(self.waiting, start)
        name, equals, value = start.partition("=")
        if equals and name in self.options and not self.only_arguments:
            answer = self._complete_value(self.options[name], value)
            return Answer(answer.mode, {f"{name}={one}": text for one, text in answer.values.items()})
        if not self.arguments or (start.startswith("-") and not self.only_arguments):
            return self._complete_option(start)
        return self._complete_value(self.arguments[0], start)

    def _complete_option(self, start: str) -> Answer:
        """Return the options that are not given yet, or may be repeated."""
        typed = [one for one in self.command.params if one.name in self.typed.values and not getattr(one, "multiple", False)]
        used = {name for one in typed for name in one.opts}
        names = {name: text for name, text in _options(self.command).items() if name not in used and name.startswith(start)}
        return Answer(Mode.WORDS, names)

    def _complete_value(self, parameter: Any, start: str) -> Answer:
        completer = completer_of(self.path, parameter.name)
        if completer is not None:
            return completer(start, self.typed)
        metavar = parameter.metavar or ""
        choices = getattr(parameter.type, "choices", None)
        if re.fullmatch(r"[a-z]+(\|[a-z]+)+", metavar):
            choices = metavar.split("|")
        if choices:
            return words([getattr(choice, "value", choice) for choice in choices], start)
        is_path = "Path" in type(parameter.type).__name__ or any(word in metavar for word in _FILE_WORDS)
        return Answer(Mode.FILES if is_path or parameter.param_type_name == "argument" else Mode.WORDS)
