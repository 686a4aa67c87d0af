"""What an expert remembers of its training."""

from __future__ import annotations

import json
from typing import Any

from tagpool.errors import ModelError
from tagpool.experts.tagger import Tagger


def summary_of(expert: Tagger) -> dict[str, Any]:
    """The summary: of the last training, or as the model file has it; empty where there is none."""
    if expert._summary is None:
        try:
            expert._summary = dict(json.loads(expert._fitted().text("summary") or "{}"))
        except (TypeError, ValueError):
            raise ModelError("the model's summary of its training is damaged") from None
    return expert._summary
