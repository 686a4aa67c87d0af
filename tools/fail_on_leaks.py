"""Run a command and fail if nanobind reports leaked objects, in it or in its child processes.

    python tools/fail_on_leaks.py python -m pytest

nanobind writes the report to standard error when an interpreter ends, which does not change the exit code.
"""

from __future__ import annotations

import subprocess
import sys

REPORT = b"nanobind: leaked"
LEAKED = 3


def main(command: list[str]) -> int:
    """Pass standard error on; return the exit code of the command, or 3 if it succeeded and leaked."""
    leaked = False
    with subprocess.Popen(command, stderr=subprocess.PIPE, bufsize=0) as process:
        assert process.stderr is not None
        tail = b""
        while data := process.stderr.read(1 << 16):
            sys.stderr.buffer.write(data)
            sys.stderr.buffer.flush()
            leaked = leaked or REPORT in tail + data
            tail = (tail + data)[-len(REPORT) :]
    if leaked and process.returncode == 0:
        sys.stderr.write("error: native objects were alive when an interpreter ended; the report is above\n")
        return LEAKED
    return process.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
