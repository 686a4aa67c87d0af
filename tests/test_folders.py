"""Folders of tests mirror folders of the sources."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGE, NATIVE, TESTS = ROOT / "src" / "tagpool", ROOT / "native", ROOT / "tests"
OTHER_FOLDERS = {"benchmarks", "browser", "native", "oracles", "tools"}


def folders_with(root: Path, pattern: str) -> set[Path]:
    """Folders below a root that contain matching files, relative to it; ``__init__.py`` alone does not count."""
    return {path.parent.relative_to(root) for path in root.rglob(pattern) if path.name != "__init__.py"} - {Path()}


def test_every_source_folder_has_its_tests() -> None:
    tested = folders_with(TESTS, "test_*.py")
    packages = folders_with(PACKAGE, "*.py")
    native = {Path("native") / folder for folder in folders_with(NATIVE, "*.cpp")}
    assert len(packages) >= 20
    assert len(native) >= 13
    parents = {parent for folder in tested for parent in folder.parents}
    assert sorted((packages | native) - tested - parents) == []
    assert sorted(tested - packages - native - set(map(Path, OTHER_FOLDERS))) == []
