"""Check everything that a release needs, and build it: `make release-check VERSION=1.2.0`.

Without VERSION, the script checks what can be true between releases, and lists what is still open.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from datetime import date

from make_wheel import ROOT, make_wheel
from steps import StepError, run_steps, step

_HEADING = re.compile(r"^## \[(?P<name>[^\]]+)\](?: - (?P<date>.*))?$", re.MULTILINE)


def _first(pattern: str, file: str) -> str:
    match = re.search(pattern, (ROOT / file).read_text("utf-8"), re.MULTILINE)
    if not match:
        raise StepError(f"{file}: no line matches {pattern}")
    return match[1]


def version_of_files() -> str:
    """Return the version, which all files must agree on."""
    versions = {
        "src/tagpool/__init__.py": _first(r'^__version__ = "(.+)"$', "src/tagpool/__init__.py"),
        "CITATION.cff": _first(r'^version: "?([^"\n]+)"?$', "CITATION.cff"),
    }
    if len(set(versions.values())) > 1:
        raise StepError(f"the versions differ: {versions}")
    return versions["CITATION.cff"]


def sections(changelog: str) -> dict[str, tuple[str | None, str]]:
    """Return date and text of each version in the changelog, newest first."""
    headings = list(_HEADING.finditer(changelog))
    ends = [*(heading.start() for heading in headings), len(changelog)][1:]
    return {
        heading["name"]: (heading["date"], changelog[heading.end() : end].strip())
        for heading, end in zip(headings, ends, strict=True)
    }


def check_changelog(version: str, text: str, *, release: bool) -> list[str]:
    """Check the changelog; return what a release of this version still needs. `release`: nothing may be open."""
    parts = sections(text)
    if not parts:
        raise StepError(
            "CHANGELOG.md: no version; a section begins with a line such as '## [Unreleased]' or '## [1.2.0] - 2026-05-31'"
        )
    open_points = []
    for name, (day, _) in parts.items():
        if day is not None and not _is_past_day(day):
            raise StepError(f"CHANGELOG.md: the date of version {name} is {day}, not a past one such as 2026-05-31")
    if "Unreleased" in parts and next(iter(parts)) != "Unreleased":
        raise StepError("CHANGELOG.md: [Unreleased] is not the first section")
    if version not in parts:
        open_points.append(f"CHANGELOG.md has no section [{version}]; rename [Unreleased] and add the date")
    else:
        day, changes = parts[version]
        if not changes:
            open_points.append(f"CHANGELOG.md: section [{version}] is empty")
        if day is None:
            open_points.append(f"CHANGELOG.md: section [{version}] has no date")
        if parts.get("Unreleased", (None, ""))[1]:
            open_points.append(f"CHANGELOG.md has unreleased changes after {version}; increase the version")
    if release and open_points:
        raise StepError("; ".join(open_points))
    return open_points


def _is_past_day(text: str) -> bool:
    try:
        return date.fromisoformat(text) <= date.today()
    except ValueError:
        return False


def check_repository(version: str, *, release: bool) -> list[str]:
    """Check that all changes are committed and that the version has no tag; return what is open."""
    status = _git("status", "--porcelain")
    open_points = ["changes are not committed"] if status else []
    if _git("tag", "--list", f"v{version}"):
        open_points.append(f"the tag v{version} exists")
    if release and open_points:
        raise StepError("; ".join(open_points))
    return open_points


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise StepError(f"git {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout.strip()


def check_release(wanted: str | None) -> None:
    """Check version, changelog and repository; then build the wheel and check it."""
    with step("version") as result:
        version = version_of_files()
        if wanted and version != wanted:
            raise StepError(f"the files have version {version}, not {wanted}")
        result(version)
    with step("changelog") as result:
        open_points = check_changelog(version, (ROOT / "CHANGELOG.md").read_text("utf-8"), release=bool(wanted))
        result(f"{len(open_points)} open" if open_points else "ok")
    with step("repository") as result:
        open_points += check_repository(version, release=bool(wanted))
        result("ok")
    make_wheel(ROOT / "dist")
    for point in open_points:
        print(f"open: {point}")
    print(
        f"{version} can be released"
        if wanted
        else f"checked what can be checked before a release; then run: make release-check VERSION={version}"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--version", help="version to be released: nothing may be open")
    arguments = parser.parse_args()
    sys.exit(run_steps(lambda: check_release(arguments.version)))
