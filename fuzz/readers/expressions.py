"""Regular expressions of Wapiti, as ``EXPRESSION NUL TEXT``, or pattern files after the byte 1."""

from __future__ import annotations

import sys

from harness import ROOT, fuzz, instrument, text_of

with instrument():
    from tagpool.compat.wapiti.expressions import Expression
    from tagpool.compat.wapiti.patterns import attributes_of, parse_wapiti_patterns

sys.path.insert(0, str(ROOT / "tests"))
from oracles.wapiti import match_by_backtracking

ROWS = [["Ann", "x1"], ["left", "1998"], ["aaab", ""]]


def check(data: bytes) -> None:
    """Results equal those of backtracking, for inputs that backtracking finishes."""
    if data.startswith(b"\1"):
        attributes_of(parse_wapiti_patterns(text_of(data[1:])), ROWS)
        return
    source, _, text = data.partition(b"\0")
    try:
        expression = Expression.parse(text_of(source))
    except ValueError:
        return
    expression.search(text)
    if sum(bool(step.sign) for step in expression.steps) <= 4 and len(text) <= 8:
        assert expression.match_all(text) == [match_by_backtracking(expression, text, at) for at in range(len(text) + 1)]


if __name__ == "__main__":
    fuzz(check)
