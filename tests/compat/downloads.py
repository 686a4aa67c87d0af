"""Published files of other projects, which tests download and never copy into the project."""

from __future__ import annotations

import hashlib
import os
import urllib.error
import urllib.request
from pathlib import Path

import pytest

FILES = "https://files.pythonhosted.org/packages"


def download(url: str, checksum: str, folder: Path) -> Path:
    """Return a file with this SHA-256 in a folder, downloaded once; skip the test without network."""
    path = folder / url.rpartition("/")[2]
    if not path.exists():
        try:
            with urllib.request.urlopen(url, timeout=60) as response:
                content = response.read()
        except (urllib.error.URLError, TimeoutError) as error:
            pytest.skip(f"{url} is not available ({error}), and it is not part of this project")
        partial = folder / f"{path.name}.{os.getpid()}"
        partial.write_bytes(content)
        partial.replace(path)
    assert hashlib.sha256(path.read_bytes()).hexdigest() == checksum, f"{path}: not the published file; delete it"
    return path
