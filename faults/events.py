"""Kinds of events that can fail, and the control of ``preload.cpp``."""

from __future__ import annotations

import ctypes
import errno
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# Same order as the enumerations of preload.cpp.
KINDS = (
    "allocation", "open", "read", "write", "sync", "close", "rename", "map", "chmod", "unlink", "mkdir", "stat", "lock", "thread"
)  # fmt: skip
MODES = ("once", "forever", "short", "full")


@dataclass(frozen=True)
class Fault:
    """A way to fail. The operation must succeed in spite of a ``harmless`` one."""

    kind: str
    mode: str = "once"
    error: int = 0
    harmless: bool = False

    @property
    def name(self) -> str:
        """Name for tables and options, such as ``write EIO``."""
        return " ".join([self.kind, *([errno.errorcode[self.error]] if self.error else []), self.mode])


FAULTS = (
    Fault("allocation"),
    Fault("allocation", "forever"),
    Fault("open", error=errno.EMFILE),
    Fault("read", error=errno.EIO),
    Fault("read", error=errno.EINTR, harmless=True),
    Fault("read", "short", harmless=True),
    Fault("write", error=errno.EIO),
    Fault("write", error=errno.EINTR, harmless=True),
    Fault("write", "short", harmless=True),
    Fault("write", "full", errno.ENOSPC),
    Fault("sync", error=errno.EIO),
    Fault("close", error=errno.EIO),
    Fault("rename", error=errno.EIO),
    Fault("map", error=errno.ENOMEM),
    Fault("chmod", error=errno.EPERM),
    Fault("unlink", error=errno.EIO),
    Fault("mkdir", error=errno.ENOSPC),
    Fault("stat", error=errno.EIO),
    Fault("lock", error=errno.EIO),
    Fault("thread", error=errno.EAGAIN, harmless=True),
    Fault("thread", "forever", errno.EAGAIN, harmless=True),
)

_MOST_STACKS = 1 << 22


class Events:
    """The library, which must be preloaded. Files below ``folder`` are watched."""

    def __init__(self, folder: Path) -> None:
        self._library = ctypes.CDLL(None)
        for name in ("count", "fired", "live_blocks", "last_block", "next_block"):
            getattr(self._library, f"faults_{name}").restype = ctypes.c_long
        if not self._library.faults_configure(str(folder).encode()):
            raise RuntimeError("the native module is not in memory")

    def arm(self, fault: Fault, number: int) -> None:
        """Count events; let the one with this number fail (0: none)."""
        kind, mode = KINDS.index(fault.kind), MODES.index(fault.mode)
        self._library.faults_arm(kind, ctypes.c_long(number), mode, fault.error)

    def disarm(self) -> None:
        """End the counting."""
        self._library.faults_disarm()

    def count(self, kind: str) -> int:
        """Return the number of events since ``arm``, also those of forks."""
        return int(self._library.faults_count(KINDS.index(kind)))

    @property
    def fired(self) -> int:
        """Events that failed since ``arm``, also in forks."""
        return int(self._library.faults_fired())

    @property
    def live_blocks(self) -> int:
        """Blocks of memory that the native module has."""
        return int(self._library.faults_live_blocks())

    @property
    def last_block(self) -> int:
        """Number of the last block that was allocated."""
        return int(self._library.faults_last_block())

    def blocks_after(self, number: int) -> Iterator[int]:
        """Yield the sizes of live blocks that were allocated after this block."""
        size = ctypes.c_long()
        while number := self._library.faults_next_block(ctypes.c_long(number), ctypes.byref(size)):
            yield size.value

    def watch(self, file: int) -> None:
        """Watch an open file, such as standard output."""
        self._library.faults_watch(file, 1)

    def record_stacks(self) -> ctypes.Array[ctypes.c_uint64]:
        """Record the call stacks of events as hashes in the array that is returned."""
        hashes = (ctypes.c_uint64 * _MOST_STACKS)()
        self._library.faults_record(hashes)
        return hashes

    def end_record(self) -> None:
        """End the recording of call stacks."""
        self._library.faults_record(None)
