"""Labels of a command that reads words and writes labels.

The command gets one word per line, and a blank line after each sentence, in UTF-8. Its output has a line for each word, whose
last column is the label, and blank lines between sentences.
"""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
from collections.abc import Mapping

from tagpool.auditing.labellers import Labeller, Rows
from tagpool.corpus.corpus import Corpus
from tagpool.errors import InputError
from tagpool.wording import counted

TIMEOUT = 600.0
"""Seconds that a command may take for one corpus."""
_LINES = 5  # of the standard error that a message has


class CommandLabeller(Labeller):
    """Labels of a command, which is started without a shell; ``timeout`` is the number of seconds of one call."""

    def __init__(self, command: str, mapping: Mapping[str, str] | None = None, *, timeout: float = TIMEOUT) -> None:
        super().__init__(command, mapping)
        try:
            self.arguments = shlex.split(command)
        except ValueError as error:
            raise InputError(f"expected a command: {error}", source=command) from None
        if not self.arguments:
            raise InputError("expected a command, such as 'python tagger.py', got an empty text", source="--command")
        if not timeout > 0:
            raise InputError(f"timeout={timeout!r}: expected a number of seconds above 0")
        self.timeout = timeout

    def _label(self, corpus: Corpus) -> Rows:
        words = corpus.words
        for number, row in enumerate(words, 1):
            for word in row:
                if word.split() != [word]:
                    message = f"sentence {number}: the word {word!r} has blanks, which lines of words cannot hold"
                    raise InputError(f"{message}; join its parts with another character", source=self.name)
        text = "".join("".join(f"{word}\n" for word in row) + "\n" for row in words)
        return parse_labels(self._run(text.encode("utf-8", "surrogatepass")), self.name)

    def _run(self, text: bytes) -> str:
        try:
            process = subprocess.Popen(
                self.arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
            )
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise InputError(f"cannot start {self.arguments[0]!r}: {reason}; check the command", source=self.name) from None
        with process:
            try:
                output, messages = process.communicate(text, timeout=self.timeout)
            except BaseException as error:
                _end(process)
                if isinstance(error, subprocess.TimeoutExpired):
                    message = f"the command did not end within {self.timeout:g} s; allow more (--timeout), or check it"
                    raise InputError(message, source=self.name) from None
                raise
        if process.returncode:
            code = process.returncode
            how = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
            raise InputError(f"the command {how}{_last_lines(messages)}", source=self.name)
        try:
            return output.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise InputError("expected output in UTF-8, got other bytes", source=self.name) from None


def parse_labels(text: str, name: str) -> Rows:
    r"""Return the labels of lines whose last column is a label; blank lines end sentences.

    >>> parse_labels("Ann PER\nleft O\n\nRain O\n\n", "mine")
    [['PER', 'O'], ['O']]
    """
    rows: Rows = [[]]
    for line in text.split("\n"):
        columns = line.split()
        if columns:
            rows[-1].append(columns[-1])
        elif rows[-1]:
            rows.append([])
    return rows if rows[-1] else rows[:-1]


def _last_lines(messages: bytes) -> str:
    lines = [line.strip() for line in messages.decode("utf-8", "replace").splitlines() if line.strip()]
    if not lines:
        return " and wrote no message"
    more = f" (the last {_LINES} of {counted(len(lines), 'line')})" if len(lines) > _LINES else ""
    return f"; its messages{more}: {' / '.join(lines[-_LINES:])}"


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a command with the processes that it has started: they would keep its output open."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        process.kill()
    process.wait()
