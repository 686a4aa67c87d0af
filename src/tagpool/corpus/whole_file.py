"""WholeFile: atomic writing. The file appears only when it is complete."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from tagpool.errors import OutputError, check_type


class WholeFile:
    """Write to a temporary file in the same folder, which replaces the target at the end.

    Symbolic links are followed, and the permissions of a replaced file are kept. Devices and pipes (``/dev/null``) are
    opened directly: renaming would replace them. A ``durable`` file survives a power failure: it is on the disk before it
    replaces the target.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> with WholeFile(folder / "a.txt") as file:
    ...     file.write(b"one")
    ...     sorted(path.name for path in folder.iterdir()) == ["a.txt"]
    False
    >>> (folder / "a.txt").read_bytes()
    b'one'
    """

    def __init__(self, path: str | Path, *, durable: bool = False) -> None:
        check_type(path, (str, os.PathLike), "the path of a file to write")
        self.path = path
        self.durable = durable
        self._target = Path(path)
        self._temporary: Path | None = None
        self._mode: int | None = None
        self._file: BinaryIO

    @classmethod
    def check(cls, path: str | Path) -> None:
        """Raise an error if the file is not writable, before long work rather than after it."""
        with _name_errors(path):
            if _is_device(Path(path)):
                return
        file = cls(path).__enter__()
        file.__exit__(Exception)  # removes the temporary file

    def __enter__(self) -> WholeFile:
        with _name_errors(self.path):
            if _is_device(self._target):  # before links are followed: /dev/stdout may link to a pipe without a name
                self._file = self._target.open("wb")
                return self
            if self._target.is_symlink():
                self._target = Path(os.path.realpath(self._target))
            if not self._target.parent.is_dir():
                raise FileNotFoundError(errno.ENOENT, f"there is no folder {self._target.parent}")
            if self._target.is_dir():
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
            self._mode = self._target.stat().st_mode & 0o7777 if self._target.exists() else None
            if self._mode is not None and not os.access(self._target, os.W_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
            self._create_temporary(self._target.parent / f".{self._target.name}.{os.urandom(8).hex()}")
        return self

    def _create_temporary(self, path: Path) -> None:
        """Create the temporary file. A signal at any moment leaves none behind: ``__exit__`` is not called before it returns."""
        try:
            # The system applies the umask to new files; only the permissions of a replaced file are set.
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666 if self._mode is None else 0o600)
            self._file = os.fdopen(handle, "wb")
            self._temporary = path
        except BaseException as error:
            if not isinstance(error, FileExistsError):
                path.unlink(missing_ok=True)
            raise

    def write(self, data: bytes | memoryview) -> None:
        """Append to the file."""
        with _name_errors(self.path):
            self._file.write(data)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is not None:
                with contextlib.suppress(OSError):
                    self._file.close()
                return
            with _name_errors(self.path):
                if self.durable and self._temporary is not None:
                    self._file.flush()
                    os.fsync(self._file.fileno())
                self._file.close()
                if self._temporary is not None:
                    if self._mode is not None:
                        self._temporary.chmod(self._mode)
                    self._temporary.replace(self._target)
                    self._temporary = None
                    if self.durable:
                        sync(self._target.parent)
        finally:
            if self._temporary is not None:
                self._temporary.unlink(missing_ok=True)


def sync(path: Path) -> None:
    """Write a file, or the names of the files in a folder, from memory to the disk, where the system supports it."""
    with contextlib.suppress(OSError):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _is_device(path: Path) -> bool:
    return path.exists() and not path.is_file() and not path.is_dir()


@contextlib.contextmanager
def _name_errors(path: str | Path) -> Iterator[None]:
    """Raise system errors as OutputError with the path."""
    try:
        yield
    except (OSError, ValueError) as error:  # ValueError: a NUL or a lone surrogate in the name
        raise OutputError(f"{path}: writing failed: {getattr(error, 'strerror', None) or error}") from None
