"""Settings of a folder run, which are sent to every worker."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tagpool.corpus.checksums import checksum
from tagpool.corpus.formats import Format
from tagpool.tagging.labeller import Labeller
from tagpool.tagging.models import fastest, load_model


@dataclass(frozen=True)
class Settings:
    """The model and the options of ``tagpool tag``; ``resources`` are files by name."""

    model: str
    nbest: int = 0
    probabilities: bool = False
    scheme: str | None = None
    truecase: bool = False
    columns: str | None = None
    kind: Format | None = None
    encoding: str = "utf-8"
    keep_going: bool = False
    threads: int = 1
    resources: Mapping[str, str] = field(default_factory=dict)

    def create_labeller(self) -> Labeller:
        """Load the model, and return a labeller with the options."""
        model = load_model(Path(self.model), templates=True, resources=self.resources)
        return Labeller(
            fastest(model, self.threads),
            nbest=self.nbest,
            probabilities=self.probabilities,
            scheme=self.scheme,
            truecase=self.truecase,
        )

    def facts(self) -> dict[str, Any]:
        """Return the model's checksum and the options that change the output, as a JSON value."""
        return {
            "model": checksum(self.model),
            "nbest": self.nbest,
            "probabilities": self.probabilities,
            "scheme": self.scheme,
            "truecase": self.truecase,
            "columns": self.columns,
            "format": None if self.kind is None else self.kind.value,
            "encoding": self.encoding,
            "resources": {name: checksum(path) for name, path in sorted(self.resources.items())},
        }
