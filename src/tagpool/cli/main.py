"""The ``tagpool`` command: puts the sub-commands together and turns errors into messages and exit codes.

Exit codes: 0 success, 1 failed, 2 wrong usage or bad input, 130 interrupted.
"""

from __future__ import annotations

import os
import sys

import typer

import tagpool
from tagpool.cli.console import errors
from tagpool.cli.convert import convert
from tagpool.cli.demo import demo
from tagpool.cli.features import features
from tagpool.cli.presets import presets
from tagpool.cli.score import score
from tagpool.errors import InputError, TagpoolError

app = typer.Typer(
    name="tagpool",
    help="Train robust sequence taggers on a CPU in seconds, and pool any taggers into a better one.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.command()(score)
app.command()(features)
app.command()(presets)
app.command()(convert)
app.command()(demo)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"tagpool {tagpool.__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: bool = typer.Option(False, "--version", callback=_show_version, is_eager=True, help="Show the version and exit."),
) -> None:
    """Train robust sequence taggers on a CPU in seconds, and pool any taggers into a better one."""


def run() -> None:
    """The entry point."""
    try:
        app()
    except InputError as error:
        _complain(str(error))
        sys.exit(2)
    except TagpoolError as error:
        _complain(str(error))
        sys.exit(1)
    except BrokenPipeError:
        # Whoever read our output has seen enough; Python would complain once more when it closes the stream.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except KeyboardInterrupt:
        errors.print("interrupted; nothing was written", highlight=False)
        sys.exit(130)
    except Exception as error:
        if os.environ.get("TAGPOOL_DEBUG"):
            raise
        _complain(
            f"this should not happen ({type(error).__name__}: {error}); run again with TAGPOOL_DEBUG=1 and report what it says"
        )
        sys.exit(1)


def _complain(message: str) -> None:
    errors.print(f"error: {message}", style="red", highlight=False, markup=False)


if __name__ == "__main__":
    run()
