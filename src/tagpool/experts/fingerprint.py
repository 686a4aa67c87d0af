"""Facts that identify a training: its checkpoint continues only the same training."""

from __future__ import annotations

from typing import Any

import tagpool
from tagpool import _native
from tagpool.experts.saving import to_bytes
from tagpool.features.encoder import Encoder
from tagpool.lazy import TYPE_CHECKING, LazyModule

if TYPE_CHECKING:
    import numpy as np

    from tagpool.experts.training import Training
else:
    np = LazyModule("numpy")

_OTHERS = ("templates", "resources", "threads")  # the features depend on them, or the result does not


def training_facts(training: Training) -> dict[str, Any]:
    """Return the facts for the error about another training; content is a checksum."""
    tagger, data = training.tagger, training.data
    parameters = {name: repr(value) for name, value in tagger.get_params(deep=False).items() if name not in _OTHERS}
    encoder = data.encoder
    templates = str(encoder.templates_) if isinstance(encoder, Encoder) else ""
    texts = [*([] if data.corpus is None else data.corpus.columns), *data.scored_labels, templates]
    weights = [] if training.sample_weight is None else [np.asarray(training.sample_weight, np.float64)]
    features = [np.asarray(encoder.fitted_native.keys(), np.uint64)]
    return {
        "tagpool": tagpool.__version__,
        "learner": tagger.kind,
        "parameters": parameters,
        "sentences": data.sentence_count,
        "tokens": data.token_count,
        "features": data.feature_count,
        "labels": list(data.labels),
        "content of the templates": _checksum([text.encode("utf-8", "surrogatepass") for text in texts]),
        "content of the features": _checksum(features),
        "content of the training sentences": _checksum(data.content()),
        "content of the sentence weights": _checksum(weights),
        "content of the dev sentences": None if training.held_out is None else _checksum(training.held_out.arrays()),
        "content of the first model": None if training.previous is None else _checksum([to_bytes(tagger)]),
    }


def _checksum(parts: list[Any]) -> str:
    checksum = 0
    for part in parts:
        block = part if isinstance(part, bytes) else np.ascontiguousarray(part).tobytes()
        checksum = _native.combine(checksum, _native.xxh64(block))
    return f"{checksum:016x}"
