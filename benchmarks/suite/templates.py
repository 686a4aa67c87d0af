"""The tutorial's features in the template language, as near as it comes.

Differences: affixes exist for longer words only (the word itself is a feature in any case), and the pattern of capitals stands
for isupper, istitle and isdigit. ``suite.given`` has no difference: it trains on the tutorial's strings.
"""

from __future__ import annotations

from collections.abc import Sequence

_WORDS = """boundary off
bias[0]
lower(word)[-1..1]
suffix(word, 2..3)[0]
capitals(word, 0)[-1..1]
position[0]
"""
_TAGS = """pos[-1..1]
prefix(pos, 2)[-1..1]
"""


def tutorial_templates(columns: Sequence[str]) -> str:
    """Return templates for the columns of a task."""
    rows = [f"{name}[-1..1]\n" for name in columns if name.startswith("column")]
    return _WORDS + (_TAGS if "pos" in columns else "") + "".join(rows)
