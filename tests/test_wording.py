"""A number in a message has the right form of its noun: 1 sentence, 2 sentences."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import tagpool
from tagpool.wording import counted

SOURCE = Path(tagpool.__file__).parent
PLURAL = re.compile(r" (?:more |gold |finite |predicted |different |positional )?([a-z]+[^s\W]s)\b(?! =)")
VERBS = re.compile(r"(is|was|has|does|needs|depends|differs|takes|applies|exceeds|reduces|contains|overlaps|cuts|occurs)\b")
EXPERIMENTS = SOURCE / "experiments"  # their tables have large numbers


def numbers_before_plurals(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield the line and the noun of values in f-strings that a noun in the plural follows."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.JoinedStr):
            continue
        for value, after in zip(node.values, node.values[1:], strict=False):
            text = after.value if isinstance(after, ast.Constant) else None
            match = PLURAL.match(text) if isinstance(text, str) and isinstance(value, ast.FormattedValue) else None
            if match and not VERBS.match(match[1]) and is_number(value):
                yield node.lineno, match[1]


def is_number(value: ast.FormattedValue) -> bool:
    """Whether a value may be 1: not text in quotes, no fixed limit in capitals, no decimals, no joined words."""
    code = ast.unparse(value.value)
    spec = "" if value.format_spec is None else ast.unparse(value.format_spec)
    return value.conversion == -1 and not re.match(r"_?[A-Z_]+\b", code) and "." not in spec and "join(" not in code


@pytest.mark.parametrize("path", [*SOURCE.rglob("*.py")], ids=lambda path: str(path.relative_to(SOURCE)))
def test_numbers_have_the_form_of_their_noun(path: Path) -> None:
    if EXPERIMENTS in path.parents:
        return
    wrong = [*numbers_before_plurals(ast.parse(path.read_text()))]
    assert not wrong, f"{path}: use tagpool.wording.counted: {wrong}"


def test_the_helper() -> None:
    assert [counted(count, "label") for count in (0, 1, 2, 1000)] == ["0 labels", "1 label", "2 labels", "1,000 labels"]
    assert counted(1, "entry", "entries") == "1 entry"
    assert counted(3, "entry", "entries") == "3 entries"
