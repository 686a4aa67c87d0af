"""Checkpoints of ``tagpool train``: the folder stores the command, so that ``--resume`` repeats it."""

from __future__ import annotations

import contextlib
import json
import re
import shlex
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tagpool
from tagpool import _native
from tagpool.cli.option_fields import option
from tagpool.config import Settings, toml_value
from tagpool.corpus.files import name_read_errors
from tagpool.corpus.whole_file import sync
from tagpool.errors import InputError, OutputError
from tagpool.optim.checkpoint import SUFFIX, Checkpoint

_COMMAND = "command"  # name of the file with the configuration
_UNITS = {"": 1, "s": 1, "min": 60, "m": 60, "h": 3600}
# Keys that do not change the model: an option may change them.
_FREE = (("data", "memory"), ("output", "model"), ("output", "log"), ("learner", "threads"))


@dataclass
class CheckpointOptions:
    """The options of ``tagpool train`` about checkpoints."""

    checkpoint: str | None = option(
        metavar="DIR", help="Store the state of the training there (--every 60s); after a crash, continue with --resume DIR."
    )
    every: str | None = option(metavar="TIME", hidden=True)
    resume: str | None = option(metavar="DIR", hidden=True)

    def seconds(self, default: float = 60.0) -> float:
        """Return the time between two checkpoints."""
        if self.every is None:
            return default
        match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?) ?(s|min|m|h|)", self.every)
        if match is None or len(match[1]) > 12:
            raise InputError(f"--every {self.every}: expected a time such as 30s, 5min or 1h")
        return float(match[1]) * _UNITS[match[2]]


class TrainingFolder:
    """The folder of a command that trains with checkpoints."""

    def __init__(self, checkpoint: Checkpoint) -> None:
        self.checkpoint = checkpoint

    @property
    def advice(self) -> str:
        """Advice after an interruption."""
        return f"to continue the training: tagpool train --resume {shlex.quote(str(self.checkpoint.folder))}"

    @classmethod
    def create(cls, options: CheckpointOptions, settings: Settings, inputs: Iterable[str | Path]) -> TrainingFolder | None:
        """Store a new command; None without ``--checkpoint``."""
        if options.checkpoint is None:
            if options.every is not None and options.resume is None:
                raise InputError("--every: add --checkpoint DIR, the folder for the state of the training")
            return None
        folder = cls(Checkpoint(options.checkpoint, every=options.seconds()))
        if folder._file.path.exists():
            raise InputError(f"the folder has an unfinished training; {folder.advice}; or remove it", source=options.checkpoint)
        if next(folder.checkpoint.folder.glob(f"*{SUFFIX}"), None) is not None:
            raise InputError(
                "the folder has checkpoints of another training; remove them, or choose another", source=options.checkpoint
            )
        texts = {
            "tagpool": tagpool.__version__,
            "settings": json.dumps(settings.table(())),
            "inputs": json.dumps(_checksums(inputs)),
            "folder": str(Path.cwd()),
            "every": json.dumps(folder.checkpoint.every),
        }
        folder._file.write(texts, {})
        return folder

    @classmethod
    def open(cls, options: CheckpointOptions, settings: Settings) -> TrainingFolder:
        """Add the stored settings to the options of the command, which must not differ from them."""
        assert options.resume is not None
        if options.checkpoint is not None:
            raise InputError("--resume has the folder of the checkpoint; drop --checkpoint")
        path = Path(options.resume)
        if not (path / f"training.{_COMMAND}{SUFFIX}").is_file():
            raise InputError("there is no unfinished training in this folder; --checkpoint starts one", source=path)
        folder = cls(Checkpoint(path, every=options.seconds()))
        stored = folder._file.read()
        assert stored is not None
        try:
            table, checksums, every = (json.loads(stored.text(key) or "") for key in ("settings", "inputs", "every"))
            if options.every is None:
                folder.checkpoint.every = float(every)
            if not isinstance(table, dict) or not all(isinstance(text, str) for text in checksums.values()):
                raise ValueError("expected JSON objects")
        except (AttributeError, TypeError, ValueError) as error:
            raise folder._file.damaged(error) from None
        if (version := stored.text("tagpool")) != tagpool.__version__:
            message = (
                f"tagpool {version} began this training, this is {tagpool.__version__}; use the same version, or start again"
            )
            raise InputError(message, source=path)
        _check_options(settings, table, path)
        settings.add_first(str(path), table)
        _check_inputs(checksums, stored.text("folder") or "")
        return folder

    def finish(self, model: Path) -> None:
        """Remove the checkpoint after the model is on the disk; if that fails, a warning says so, since the model is complete."""
        sync(model)
        sync(model.absolute().parent)
        try:
            with contextlib.suppress(OSError):  # remove() reports it
                self._file.path.unlink(missing_ok=True)  # first: a training without this file is finished
            self.checkpoint.remove()
        except OutputError as error:
            warnings.warn(str(error), stacklevel=2)

    @property
    def _file(self) -> Checkpoint:
        return self.checkpoint.part(_COMMAND)


def _check_options(settings: Settings, stored: Mapping[str, Any], folder: Path) -> None:
    """Raise an error for an option that differs from the stored training."""
    values = dict(_leaves(stored))
    for key, value in _leaves(settings.table(())):
        if key not in _FREE and values.get(key) != value:
            was = "the default" if key not in values else toml_value(values[key])
            name = ".".join(key)
            message = f"{name} = {toml_value(value)}: the training of this folder has {was}; drop the option, or start another"
            raise InputError(message, source=folder)


def _leaves(table: Mapping[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _leaves(value, (*path, key))
        else:
            yield (*path, key), value


def _checksums(inputs: Iterable[str | Path]) -> dict[str, str]:
    """Return the checksums of input files by name; those of folders depend on all their files. Other texts are ignored."""
    checksums = {}
    for name in map(str, inputs):
        try:
            exists = Path(name).exists()
        except (OSError, ValueError):  # templates as text
            continue
        if name == "-" or (exists and not Path(name).is_file() and not Path(name).is_dir()):
            raise InputError(f"{name}: a checkpoint needs files that can be read again; write the input to a file")
        if exists:
            checksums[name] = _checksum(Path(name))
    return checksums


def _checksum(path: Path) -> str:
    files = sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]
    checksum = 0
    for file in files:
        with name_read_errors(str(file)):
            checksum = _native.combine(checksum, _native.xxh64(str(file.relative_to(path)).encode("utf-8", "surrogateescape")))
            checksum = _native.combine(checksum, _native.xxh64(file.read_bytes()))
    return f"{checksum:016x}"


def _check_inputs(checksums: Mapping[str, str], folder: str) -> None:
    for name, checksum in checksums.items():
        if not Path(name).exists():
            advice = f"run the command in the folder where the training began, {folder}"
            raise InputError(f"there is no such file; {advice}", source=name)
        if _checksum(Path(name)) != checksum:
            raise InputError("the file has changed since the training began; restore it, or start again", source=name)
