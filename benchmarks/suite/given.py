"""tagpool's CRF with its defaults on the strings that python-crfsuite gets, behind python-crfsuite's calls."""

from __future__ import annotations

from typing import Any

import tagpool

Token = list[str]


class Trainer:
    """Collects sentences, and trains with the defaults; python-crfsuite's settings have no meaning here."""

    def __init__(self, algorithm: str, settings: dict[str, Any], *, verbose: bool) -> None:
        self._sentences: list[list[Token]] = []
        self._labels: list[list[str]] = []
        self._seed = 1
        self._dev: tuple[list[list[Token]], list[list[str]]] | None = None

    def append(self, features: list[Token], labels: list[str]) -> None:
        self._sentences.append(features)
        self._labels.append(labels)

    def choose(self, *, seed: int, dev: list[tuple[list[Token], list[str]]] | None) -> None:
        """Set the seed and the dev sentences."""
        self._seed = seed
        self._dev = None if dev is None else ([features for features, _ in dev], [labels for _, labels in dev])

    def train(self, model: str) -> None:
        tagpool.CRF(seed=self._seed).fit(self._sentences, self._labels, dev=self._dev).save(model)


class Tagger:
    def open(self, model: str) -> None:
        self._tagger = tagpool.load(model)

    def tag(self, features: list[Token]) -> list[str]:
        return self._tagger.predict([features])[0]
