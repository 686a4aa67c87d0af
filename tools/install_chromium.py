"""Install Chromium for the browser tests with apt, if it is missing and the user is root. Without it the tests are skipped."""

from __future__ import annotations

import os
import shutil
import subprocess

NAMES = ("chromium", "chromium-browser")


def find() -> str | None:
    """Return the path of Chromium."""
    return os.environ.get("TAGPOOL_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


def main() -> None:
    if find() is None and os.geteuid() == 0 and shutil.which("apt-get"):
        # Another process may use apt: wait for it.
        apt = ["apt-get", "-o", "DPkg::Lock::Timeout=300", "-qq"]
        subprocess.run([*apt, "update"], check=False)
        subprocess.run([*apt, "install", "-y", "chromium"], check=False, stdout=subprocess.DEVNULL)
    if find() is None:
        print("chromium is missing, so the browser tests are skipped; install it, or name it in TAGPOOL_CHROMIUM")


if __name__ == "__main__":
    main()
