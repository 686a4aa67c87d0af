"""Error messages and exit codes of commands: 0 success, 1 failure, 2 wrong usage or bad input.

An interrupted command exits with 128 and the number of the signal: 130 after Ctrl-C, 143 after SIGTERM, 129 after SIGHUP.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import os
import sys
import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any

import typer
from typer.core import TyperCommand

from tagpool.cli import signals
from tagpool.cli.console import errors, notes
from tagpool.errors import InputError, TagpoolError
from tagpool.visible import one_line
from tagpool.wording import counted

EXIT_CODES = "Exit codes: 0 success, 1 failure, 2 wrong usage or bad input."
interruption_reported: bool = False


class Command(TyperCommand):
    """A command that refuses to use only the last value of an option that is repeated."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments; repeated options are an error, unless they take several values or none."""
        _, _, order = self.make_parser(ctx).parse_args(list(args))
        for parameter, count in Counter(order).items():
            if count > 1 and not getattr(parameter, "multiple", True) and not getattr(parameter, "is_flag", False):
                ctx.fail(f"Option {parameter.opts[0]} is given {counted(count, 'time')}; give it once.")
        try:
            return super().parse_args(ctx, args)
        except Exception as error:
            if isinstance(message := getattr(error, "message", None), str):  # an error of usage, which quotes an argument
                error.message = one_line(message)  # type: ignore[attr-defined]
            raise


def create_app(commands: dict[str, Callable[..., None]], **options: Any) -> typer.Typer:
    """Return an app with these commands by name."""
    app = typer.Typer(
        add_completion=False, rich_markup_mode=None, context_settings={"help_option_names": ["--help", "-h"]}, **options
    )
    for name, command in commands.items():
        app.command(name, cls=Command, epilog=EXIT_CODES)(guard(with_quiet_option(command)))
    return app


def with_quiet_option(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command that has the option --quiet, too."""

    @functools.wraps(command)
    def run(*, quiet: bool, **options: Any) -> None:
        if quiet:
            notes.mute()
        command(**options)

    signature = inspect.signature(command, eval_str=True)
    option = typer.Option(False, "--quiet", "-q", help="Print no progress and no notes; warnings and errors stay.")
    last = inspect.Parameter("quiet", inspect.Parameter.KEYWORD_ONLY, annotation=bool, default=option)
    run.__dict__["__signature__"] = signature.replace(parameters=[*signature.parameters.values(), last])
    return run


def guard(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command that turns its errors into messages and exit codes.

    An interrupted command that saved something raises ``KeyboardInterrupt`` with a text that names it.
    """

    @functools.wraps(command)
    def run(*arguments: Any, **options: Any) -> None:
        warnings.showwarning = print_warning
        try:
            command(*arguments, **options)
            if sys.stdout is not None:
                sys.stdout.flush()
        except InputError as error:
            _stop(f"error: {error}", 2)
        except TagpoolError as error:
            _stop(one_line(f"error: {error}"), 1)
        except MemoryError as error:  # outside of the steps that name their purpose
            _stop(f"error: {error or 'not enough memory'}", 1)
        except BrokenPipeError:  # the reader closed the pipe
            _discard_output()
        except KeyboardInterrupt as interruption:
            _stop_interrupted(str(interruption) or "nothing was written")
        except OverflowError as error:
            _stop(f"error: a number is too large: {error}; use a smaller one", 2)
        except OSError as error:  # most are handled where they occur; one without a name is of standard output
            place = "standard output: writing failed" if error.filename is None else str(error.filename)
            _stop(f"error: {place}: {error.strerror or error}", 1)
        except Exception as error:
            if os.environ.get("TAGPOOL_DEBUG") or isinstance(error, typer.Exit):
                raise
            if was_interrupted(error):
                _stop_interrupted("nothing was written")
            _stop(f"internal error ({type(error).__name__}: {error}); run again with TAGPOOL_DEBUG=1 and report the output", 1)

    return run


def print_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    """Print a warning as one line."""
    errors.print_line(f"warning: {message}", style="yellow")


def was_interrupted(error: BaseException) -> bool:
    """True if Ctrl-C caused the error: during an import it may be raised as another exception."""
    cause = error.__cause__ or error.__context__
    return isinstance(error, KeyboardInterrupt) or (cause is not None and was_interrupted(cause))


def _stop_interrupted(result: str) -> None:
    global interruption_reported
    signals.ignore_signals()
    interruption_reported = True
    _stop(one_line(f"interrupted; {result}"), signals.exit_code())


def _stop(message: str, code: int) -> None:
    with contextlib.suppress(OSError):  # the terminal was closed
        errors.print(message, style="red")
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        _discard_output()
    raise typer.Exit(code)


def _discard_output() -> None:
    """Discard what could not be written. Else Python reports the error again when it closes the stream, and exits with 120."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())
    os.close(null)
