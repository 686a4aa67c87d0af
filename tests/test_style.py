"""Counts of phrases that make the text hard to read; CONTRIBUTING.md has the rules. The maxima may only go down."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOLDERS = ("src", "native", "docs", "tests", "benchmarks", "tools")
SUFFIXES = {".py", ".pyi", ".hpp", ".cpp", ".inl", ".md"}
FILES = sorted(
    path
    for folder in FOLDERS
    for path in (ROOT / folder).rglob("*")
    if path.suffix in SUFFIXES and path != Path(__file__) and path.name != "_native.pyi"
) + sorted(ROOT.glob("*.md"))

# A comment or docstring begins with the noun it defines or with a verb.
OPENING = r'^\s*(?:\w+ = )?(?:"""|///?<?|#+) ?(?:What|How|Those|Both|Of|Whose|So that)\b'

# A name says what it contains. "each" and "given" are checked where they are assigned or looped over.
NAME = r"\b(?:found|made|kept|told|each|own|given|said)(?:(?:\s*:[^=\n]*)?\s=\s|\sin\s|\s:\s)"

MAXIMA = {
    r"(?i)\b(?:somebody|nobody|whoever|those who)\b": 4,
    r"\b(?:is|are|be) none\b": 7,
    r"(?i)\bcannot be\b": 8,
    r"(?i)\bso many\b": 5,
    r"(?i)\basked for\b": 7,
    r"(?i)\bgoes on as\b": 0,
    r"(?i)\bbe had\b": 0,
    r"(?i)\bnow and then\b": 0,
    r"(?i)\b(?:laid|lays|lay)[ _]out\b|\b(?:lets?|letting)[ _]go\b": 12,
    NAME: 107,
    OPENING: 22,
}


@pytest.mark.parametrize("pattern", MAXIMA)
def test_the_count_only_goes_down(pattern: str) -> None:
    expression = re.compile(pattern, re.MULTILINE)
    counts = {path.relative_to(ROOT): len(expression.findall(path.read_text())) for path in FILES}
    worst = sorted(counts.items(), key=lambda item: -item[1])[:8]
    listing = ", ".join(f"{path} {count}" for path, count in worst)
    assert sum(counts.values()) <= MAXIMA[pattern], f"more uses of {pattern} than before; most in {listing}"
