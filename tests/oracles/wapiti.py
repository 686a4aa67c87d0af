"""Regular expressions of Wapiti by backtracking, in exponential time."""

from __future__ import annotations

from tagpool.compat.wapiti.expressions import Expression


def match_by_backtracking(expression: Expression, text: bytes, at: int, step: int = 0, length: int = 0) -> tuple[bool, int]:
    """Whether the text matches from a position and step on, and the match length as Wapiti counts it."""
    if step == len(expression.steps):
        return not expression.to_end or at == len(text), length
    now, fits = expression.steps[step], expression.steps[step].fits
    if now.sign == "*":
        while True:
            matched, counted = match_by_backtracking(expression, text, at, step + 1, length)
            if matched:
                return True, counted
            length += 1
            if at >= len(text) or text[at] not in fits:
                return False, length
            at += 1
    here = at < len(text) and text[at] in fits
    if now.sign == "?":
        if here:
            matched, counted = match_by_backtracking(expression, text, at + 1, step + 1, length + 1)
            if matched:
                return True, counted
            length = counted - 1
        return match_by_backtracking(expression, text, at, step + 1, length)
    return match_by_backtracking(expression, text, at + 1, step + 1, length + 1) if here else (False, length + 1)
