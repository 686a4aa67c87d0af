"""Answers of language models as strings: JSON, possibly inside a code fence or after some words."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

ANSWER_KEYS = ("response", "output", "completion", "content", "generation", "result")
_FENCE = "```"
_FENCED = re.compile(r"```[^\n]*\n(.*?)(?:```|\Z)", re.DOTALL)


def parse_answer(text: str) -> Any:
    """Return the JSON object or array of an answer; None if it has none.

    >>> parse_answer('Here it is:\\n```json\\n{"PER": ["Ann"]}\\n```')
    {'PER': ['Ann']}
    >>> parse_answer("There are no names.")
    """
    fenced = _FENCED.search(text)
    body = fenced[1] if fenced else text
    starts = [place for place in (body.find("{"), body.find("[")) if place >= 0]
    if not starts:
        return None
    try:
        return json.JSONDecoder().raw_decode(body, min(starts))[0]
    except (ValueError, RecursionError):
        return None


def inside_fences(lines: Sequence[str]) -> list[str]:
    """Return lines with blank ones in place of code fences and of everything around them, so that line numbers stay.

    >>> inside_fences(["Sure:", "```json", "{}", "```", "Done."])
    ['', '', '{}', '', '']
    """
    result, inside = [], False
    for line in lines:
        is_fence = line.lstrip().startswith(_FENCE)
        inside ^= is_fence
        result.append(line if inside and not is_fence else "")
    return result


def has_fence(lines: Sequence[str]) -> bool:
    """Return whether a line begins a code fence, and the text before it is not JSON."""
    first = next((line.strip() for line in lines if line.strip()), "")
    return first[:1] not in ("{", "[") and any(line.lstrip().startswith(_FENCE) for line in lines)
