"""Output files: an output never replaces an input of the same command, and a result is kept if its file is not writable."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable
from pathlib import Path

from tagpool.corpus.files import STANDARD_STREAM
from tagpool.errors import InputError, OutputError
from tagpool.lazy import TYPE_CHECKING, LazyModule

if TYPE_CHECKING:
    import tempfile
else:
    tempfile = LazyModule("tempfile")

_STANDARD_INPUT = "/dev/stdin"  # leads to the file that the shell redirects


def refuse_inputs(option: str, output: str | Path | None, inputs: Iterable[str | Path | None]) -> None:
    """Raise an error if an output is one of the inputs, a file that is read with one, or a file in an input folder.

    ``option`` names the output in the message. Names that are None are ignored, and so is standard output.
    """
    if output is None or str(output) == STANDARD_STREAM:
        return
    for name in inputs:
        path = Path(_STANDARD_INPUT if str(name) == STANDARD_STREAM else name or "")
        if name is not None and any(is_same_file(Path(output), one) for one in (path, *companions(path))):
            raise InputError(f"{option} {output}: this is an input file; choose another file")


def companions(path: Path) -> list[Path]:
    """Return the files that are read with another one: the text of brat's annotations, or a type system of INCEpTION.

    >>> companions(Path("a.ann")) == [Path("a.txt")]
    True
    """
    if path.suffix == ".ann":
        return [path.with_suffix(".txt")]
    return [path.with_name("TypeSystem.xml")] if path.suffix == ".xmi" else []


def refuse_mixed_output(output: Path | None, json: bool, option: str = "--output") -> None:
    """Raise an error if a summary as JSON and the output itself both go to standard output."""
    if json and str(output) == STANDARD_STREAM:
        raise InputError(f"--json and {option} - both write to standard output; name a file with {option}")


def is_same_file(output: Path, other: Path) -> bool:
    """True if both paths lead to one file, also through links, or if the output is a file in the other one, a folder.

    Devices and pipes are never the same file: writing to them replaces nothing.
    """
    try:
        if not output.exists():
            return output.resolve() == other.resolve()
        if not output.is_file():
            return False
        return other.exists() and (output.samefile(other) or (other.is_dir() and other.resolve() in output.resolve().parents))
    except (OSError, ValueError):  # a name that is no path; opening the file reports it
        return False


def keep_elsewhere(
    error: OutputError, path: Path, save: Callable[[Path], None], folders: Iterable[Path], advice: str = ""
) -> OutputError:
    """Save a result in another folder after ``error``; return the error with the place of the result.

    The folders are followed by the current one, that of temporary files and that of the user. No file is replaced.
    """
    for folder in (*folders, Path.cwd(), Path(tempfile.gettempdir()), Path.home()):
        target = next((one for n in range(100) if not (one := folder / f"{path.name}{f'.{n}' if n else ''}").exists()), None)
        if target is None or folder.resolve() == path.absolute().parent.resolve():
            continue
        try:
            save(target)
        except OutputError:
            continue
        return OutputError(f"{error}; the model was kept: mv {shlex.quote(str(target))} {shlex.quote(str(path))}")
    return OutputError(f"{error}; no other folder was writable{advice}")
