"""Build the source distribution and the wheel as users do, and check them on every Python that is found: `make wheel`.

The wheel is built from the source distribution, in an environment that has only the declared requirements. On Linux it gets its
manylinux tag from auditwheel. Then abi3audit looks for functions outside the stable ABI, and the wheel is installed into an empty
environment of every Python, where the examples of the README run and trained models must have the same bytes.
"""

from __future__ import annotations

import argparse
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from pathlib import Path

from pythons import find_pythons
from steps import StepError, run, run_steps, step

ROOT = Path(__file__).parents[2]
SCRIPTS = Path(__file__).parent
MAXIMUM_BYTES = 5_000_000
NEEDED = ("pyproject.toml", "CMakeLists.txt", "README.md", "LICENSE", "src/tagpool/__init__.py", "tools/packaging/stable_abi.py")


def has_stable_abi() -> bool:
    """Tell whether nanobind-backend, which the stable ABI needs, is available for this system: it is not for musl."""
    return platform.system() != "Linux" or platform.libc_ver()[0] == "glibc"


def build(folder: Path) -> tuple[Path, Path]:
    """Build the source distribution and, from it, the wheel."""
    variables = {"TAGPOOL_STABLE_ABI": "1"} if has_stable_abi() else {}
    with step("source distribution, and wheel from it with build isolation") as result:
        run([sys.executable, "-m", "build", "--outdir", str(folder), str(ROOT)], variables)
        (source,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
        result(f"{source.name}, {wheel.name}")
    return source, wheel


def check_source(source: Path) -> None:
    """Check the files of the source distribution."""
    with step("files of the source distribution") as result, tarfile.open(source) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
        tracked = subprocess.run(
            ["git", "ls-files", "native", "src"], cwd=ROOT, capture_output=True, text=True, check=False
        ).stdout.splitlines()
        if missing := sorted({*NEEDED, *tracked} - names):
            raise StepError(f"missing in {source.name}: {', '.join(missing[:5])}")
        if source.stat().st_size > MAXIMUM_BYTES:
            raise StepError(f"{source.name} has {source.stat().st_size:,} bytes, more than {MAXIMUM_BYTES:,}")
        result(f"{len(names)} names, {source.stat().st_size / 1e6:.1f} MB")


def repair(wheel: Path, folder: Path) -> Path:
    """Return the wheel with the tag of the oldest glibc or musl that has its symbols."""
    with step("auditwheel") as result:
        run([sys.executable, "-m", "auditwheel", "repair", "--wheel-dir", str(folder), str(wheel)])
        (repaired,) = folder.glob("*.whl")
        if "linux_x86_64" in repaired.name.split("-")[-1].split(".") or ".libs" in run(
            [sys.executable, "-m", "zipfile", "-l", str(repaired)]
        ):
            raise StepError(f"{repaired.name} needs libraries that other systems may not have")
        result(repaired.name)
    return repaired


def check_wheel(wheel: Path) -> None:
    """Check the size of the wheel, and that it uses the stable ABI only."""
    with step("size of the wheel") as result:
        size = wheel.stat().st_size
        if size > MAXIMUM_BYTES:
            raise StepError(f"{wheel.name} has {size:,} bytes, more than {MAXIMUM_BYTES:,}")
        result(f"{size / 1e6:.1f} MB")
    if "-abi3-" in wheel.name:
        with step("abi3audit"):
            run([str(Path(sys.executable).with_name("abi3audit")), "--strict", str(wheel)])


def check_installation(wheel: Path, pythons: dict[str, Path]) -> None:
    """Install the wheel into an empty environment of every Python, and use it there."""
    digests: dict[str, str] = {}
    for version, python in pythons.items():
        with step(f"Python {version}: installation, README, models") as result, tempfile.TemporaryDirectory() as folder:
            run([str(python), "-m", "venv", folder])
            installed = str(Path(folder) / ("Scripts" if platform.system() == "Windows" else "bin") / "python")
            clean = {"PYTHONPATH": "", "PYTHONHOME": ""}
            run([installed, "-m", "pip", "install", "--quiet", "--only-binary", ":all:", str(wheel)], clean)
            run([installed, "-m", "pip", "check"], clean)
            run([installed, str(SCRIPTS / "examples.py"), str(ROOT / "README.md")], clean)
            digests[version] = run([installed, str(SCRIPTS / "train_models.py")], clean).split()[-1]
            result(f"ok, models {digests[version][:12]}")
    if len(set(digests.values())) > 1:
        raise StepError(f"the bytes of models differ between versions of Python: {digests}")


def make_wheel(output: Path, only: Sequence[str] = ()) -> None:
    """Build and check; the files in `output` are replaced when all checks have passed."""
    every = find_pythons()
    if not has_stable_abi():
        only = [platform.python_version()]  # the wheel is for this version only
    pythons = {version: path for version, path in every.items() if not only or version.startswith(tuple(only))}
    if not pythons:
        raise StepError(f"no Python {', '.join(only)}; found: {', '.join(every)}")
    with tempfile.TemporaryDirectory() as name:
        built, repaired = Path(name) / "built", Path(name) / "repaired"
        built.mkdir()
        repaired.mkdir()
        source, wheel = build(built)
        check_source(source)
        if platform.system() == "Linux":
            wheel = repair(wheel, repaired)
        check_wheel(wheel)
        check_installation(wheel, pythons)
        shutil.rmtree(output, ignore_errors=True)
        output.mkdir(parents=True)
        for path in (source, wheel):
            shutil.copy(path, output)
    print(f"{output}: {source.name}, {wheel.name}; tested with Python {', '.join(pythons)}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, default=ROOT / "dist", help="folder of the results (default: dist)")
    parser.add_argument("--pythons", nargs="*", default=[], metavar="VERSION", help="test these versions only, such as 3.10")
    arguments = parser.parse_args()
    sys.exit(run_steps(lambda: make_wheel(arguments.output, arguments.pythons)))
