"""Phrases that make the text hard to read do not occur; CONTRIBUTING.md has the rules."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOLDERS = ("src", "native", "docs", "tests", "benchmarks", "tools", "faults")
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

PATTERNS = (
    r"(?i)\b(?:somebody|nobody|whoever|those who)\b",
    r"\b(?:is|are|be) none\b",
    r"(?i)\bcannot be\b",
    r"(?i)\bso many\b",
    r"(?i)\basked for\b",
    r"(?i)\bgoes on as\b",
    r"(?i)\bbe had\b",
    r"(?i)\bnow and then\b",
    r"(?i)\b(?:laid|lays|lay)[ _]out\b|\b(?:lets?|letting)[ _]go\b",
    NAME,
    OPENING,
)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_plain_english(pattern: str) -> None:
    expression = re.compile(pattern, re.MULTILINE)
    counts = {str(path.relative_to(ROOT)): len(expression.findall(path.read_text())) for path in FILES}
    assert {path: count for path, count in counts.items() if count} == {}
