"""What happens when a command does not succeed: one clear message, and the exit code.

0 success, 1 failed, 2 wrong usage or bad input, 130 interrupted.
"""

from __future__ import annotations

import functools
import os
import signal
import sys
from collections.abc import Callable
from typing import Any

import typer

from tagpool.cli.console import errors
from tagpool.cli.entry import INTERRUPTED
from tagpool.errors import InputError, TagpoolError

interruption_said: bool = False  # whether somebody who pressed Ctrl-C has had an answer


def guarded(command: Callable[..., None]) -> Callable[..., None]:
    """The command with its errors turned into messages and exit codes.

    A command that is interrupted and kept something raises ``KeyboardInterrupt("what it kept")``.
    """

    @functools.wraps(command)
    def run(*arguments: Any, **options: Any) -> None:
        try:
            command(*arguments, **options)
            if sys.stdout is not None:
                sys.stdout.flush()
        except InputError as error:
            _stop(f"error: {error}", 2)
        except TagpoolError as error:
            _stop(f"error: {error}", 1)
        except BrokenPipeError:
            # Whoever read our output has seen enough; Python would complain once more when it closes the stream.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        except KeyboardInterrupt as interruption:
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # once is enough
            _stop(f"interrupted; {str(interruption) or 'nothing was written'}", INTERRUPTED)
        except OSError as error:  # files are handled where they are written: this is the output of the command itself
            _stop(f"error: standard output: writing failed: {error.strerror or error}", 1)
        except Exception as error:
            if os.environ.get("TAGPOOL_DEBUG") or isinstance(error, typer.Exit):
                raise
            if _was_interrupted(error):
                _stop("interrupted; nothing was written", INTERRUPTED)
            what = f"{type(error).__name__}: {error}"
            _stop(f"error: this should not happen ({what}); run again with TAGPOOL_DEBUG=1 and report what it says", 1)

    return run


def _was_interrupted(error: BaseException) -> bool:
    """Whether Ctrl-C is behind an error: while a library is being imported, it may come out as something else."""
    behind = error.__cause__ or error.__context__
    return isinstance(error, KeyboardInterrupt) or (behind is not None and _was_interrupted(behind))


def _stop(message: str, code: int) -> None:
    global interruption_said
    interruption_said = interruption_said or code == INTERRUPTED
    errors.print(message, style="red", highlight=False, markup=False)
    raise typer.Exit(code)
