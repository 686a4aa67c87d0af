"""Facts that identify a search: a study continues only the same one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import tagpool
from tagpool import _native
from tagpool.config import describe
from tagpool.corpus.corpus import Corpus
from tagpool.errors import InputError
from tagpool.experts.configuration import feature_table
from tagpool.tuning.space import Dimension

_SEPARATOR = "\x1f"  # between tokens


def search_facts(learner: Any, space: Sequence[Dimension], train: Corpus, dev: Corpus, seed: int) -> dict[str, Any]:
    """Return the facts of a search; corpora are checksums."""
    settings = {f"features.{name}": value for name, value in feature_table(learner).items()}
    settings |= dict(_leaves(describe(learner, learner.kind), ("learner",)))
    return {
        "tagpool": tagpool.__version__,
        "training sentences": _checksum(train),
        "dev sentences": _checksum(dev),
        "search space": {one.name: one.describe() for one in space},
        "configuration": settings,
        "seed": seed,
    }


def check_facts(path: Path, stored: Mapping[str, Any], facts: Mapping[str, Any]) -> None:
    """Raise an error that names the difference between the search of a study and this one."""
    for name, value in facts.items():
        before = stored.get(name)
        if before == value:
            continue
        difference = f"other {name} than this search"
        if isinstance(value, dict) and isinstance(before, dict):
            keys = [key for key in {**before, **value} if before.get(key) != value.get(key)]
            difference = f"another {name}: {_compare(keys[0], before, value)}"
        elif name in ("seed", "tagpool"):
            difference = f"{name} {before}, this search has {value}"
        raise InputError(f"the study has {difference}; repeat the command that began it, or choose another file", source=path)


def _compare(key: str, before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    values = ["not there" if key not in table else str(table[key]) for table in (before, now)]
    if any(len(value) > 60 or "\n" in value for value in values):
        return f"{key} differs"
    return f"{key} is {values[0]} in the study and {values[1]} in this search"


def _leaves(table: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _leaves(value, (*path, key))
        else:
            yield ".".join((*path, key)), value


def _checksum(corpus: Corpus) -> str:
    columns = ["\n".join([name, *(_SEPARATOR.join(row) for row in corpus.column(name))]) for name in corpus.columns]
    checksum = 0
    for part in (*columns, str(corpus.label_column), str(list(corpus.document_starts))):
        checksum = _native.combine(checksum, _native.xxh64(part.encode("utf-8", "surrogatepass")))
    return f"{checksum:016x}"
