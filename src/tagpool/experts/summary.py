"""Summary of a training."""

from __future__ import annotations

import json
from typing import Any

from tagpool.errors import ModelError
from tagpool.experts.tagger import Tagger


def summary_of(expert: Tagger) -> dict[str, Any]:
    """The summary of the last training, or of the model file; empty if it is missing."""
    if expert._summary is None:
        try:
            expert._summary = dict(json.loads(expert._fitted().text("summary") or "{}"))
        except (TypeError, ValueError):
            raise ModelError("damaged model: the summary is not a JSON object") from None
    return expert._summary
