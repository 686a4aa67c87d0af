"""Find the interpreters on which a wheel is tested: one CPython for each version from 3.10."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from shutil import which

_OLDEST, _NEWEST = 10, 20
_PROBE = """
import json, sys, sysconfig, ensurepip, venv
free_threaded = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
print(json.dumps([sys.implementation.name, sys.version_info[:2], sys.version.split()[0], free_threaded]))
"""


def _candidates() -> list[Path]:
    paths = [Path(sys.executable)]
    for minor in range(_OLDEST, _NEWEST):
        if path := which(f"python3.{minor}"):
            paths.append(Path(path))
    for folder in (".pyenv/versions/*", ".local/share/uv/python/*"):
        paths += sorted(Path.home().glob(f"{folder}/bin/python3"))
    return paths


def find_pythons() -> dict[str, Path]:
    """Return the interpreters by their full version. They can create environments, and have a GIL, which the stable ABI needs."""
    versions: dict[tuple[int, int], tuple[str, Path]] = {}
    for path in _candidates():
        done = subprocess.run([str(path), "-c", _PROBE], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            continue
        name, (major, minor), version, free_threaded = json.loads(done.stdout)
        if name == "cpython" and (major, minor) >= (3, _OLDEST) and not free_threaded:
            versions.setdefault((major, minor), (version, path))
    return dict(versions[number] for number in sorted(versions))
