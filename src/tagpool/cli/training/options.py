"""What was asked of ``tagpool train``: the options of a learner, and which of them go together."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path

from tagpool.errors import InputError

BAGGING, ELITIST, OPINION, TWO_STAGE = "bagging", "elitist", "opinion", "two-stage"
POOLS = (BAGGING, ELITIST, OPINION, TWO_STAGE)
_WITH_SHARES = (BAGGING, ELITIST, OPINION)
YES, NO = "yes", "no"

# Which pools each option of pools is for.
_OF_POOLS = {
    "bags": (BAGGING,),
    "combine": (BAGGING,),
    "alpha": _WITH_SHARES,
    "experts": (ELITIST,),
    "penalty": (ELITIST,),
    "strength": (ELITIST,),
    "mu": (ELITIST,),
    "member": (OPINION,),
    "collapse": _WITH_SHARES,
    "folds": (TWO_STAGE,),
}
_TRAINING = ("expert", "features", "use", "without", "epochs", "patience", "pairs", "min_count", "class_weight", "unknown_label")
# Why options of single experts are not for some pools.
_NOT_FOR = {
    BAGGING: ("the members of a pool are trained from the start", ("from_",)),
    TWO_STAGE: ("both stages are trained from the start", ("from_",)),
    ELITIST: (
        "an elitist pool has a trainer and a penalty of its own",
        ("from_", "trainer", "l2", "l1", "dropout", "drop"),
    ),
    OPINION: (
        "the members of an opinion pool are trained already",
        (*_TRAINING, "from_", "trainer", "l2", "l1", "hash_size", "dropout", "drop", "log"),
    ),
}


@dataclass(frozen=True)
class Options:
    """The options of a learner; what was not given is None, or False."""

    pool: str | None = None
    expert: str | None = None
    features: str | None = None
    use: list[str] | None = None
    without: list[str] | None = None
    from_: Path | None = None
    trainer: str | None = None
    epochs: int | None = None
    patience: int | None = None
    l2: float | None = None
    l1: float | None = None
    dropout: float | None = None
    drop: str | None = None
    pairs: str | None = None
    min_count: int | None = None
    hash_size: int | None = None
    class_weight: list[str] | None = None
    unknown_label: str | None = None
    no_induce: bool = False
    strongest: int | None = None
    slots: int | None = None
    beam: int | None = None
    seed: int | None = None
    threads: int = 1
    bags: list[str] | None = None
    combine: str | None = None
    alpha: str | None = None
    experts: int | None = None
    penalty: str | None = None
    strength: float | None = None
    mu: float | None = None
    member: list[Path] | None = None
    collapse: bool = False
    folds: int | None = None
    half: bool = False
    prune: float | None = None
    no_names: bool = False
    keep_resources: str | None = None
    log: Path | None = None

    def check(self) -> None:
        """Raises an error for options that make no sense together."""
        if self.pool is not None and self.pool not in POOLS:
            raise InputError(f"--pool {self.pool}: expected one of {', '.join(POOLS)}")
        for name in self.given():
            pools = _OF_POOLS.get(name)
            if pools is not None and self.pool not in pools:
                given = f"--pool {self.pool} has none" if self.pool else "there is no --pool"
                raise InputError(f"{flag(name)} is for --pool {' or '.join(pools)}, and {given}")
        if self.pool is not None:
            why, not_for = _NOT_FOR[self.pool]
            for name in self.given():
                if name in not_for:
                    raise InputError(f"{flag(name)} is not for --pool {self.pool}: {why}")
        if self.pool == ELITIST and not self.collapse and self.prune:
            raise InputError("--prune is for single models, and an elitist pool becomes one with --collapse")
        if self.pool == OPINION and not self.member:
            raise InputError("--pool opinion needs its members: --member MODEL, several times")
        if self.keep_resources not in (None, YES, NO):
            raise InputError(f"--keep-resources {self.keep_resources}: expected {YES} or {NO}")
        if self.drop is not None and self.dropout is None:
            raise InputError(f"--drop {self.drop} says what is left out, and --dropout how much of it: give both")

    @property
    def finds_shares(self) -> bool:
        """Whether the shares of a pool must be found, and are not equal or given."""
        return self.alpha not in (None, "uniform") and numbers("alpha", self.alpha or "") is None

    def given(self) -> list[str]:
        """The names of the options that were given."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return [name for name, value in values.items() if value is not None and value is not False and value != []]


def flag(name: str) -> str:
    """An option as it is written.

    >>> flag("min_count"), flag("from_")
    ('--min-count', '--from')
    """
    return f"--{name.rstrip('_').replace('_', '-')}"


def numbers(name: str, text: str) -> list[float] | None:
    """The numbers of an option such as ``0.4,0.6``; None if it is a word.

    >>> numbers("alpha", "0.4,0.6"), numbers("alpha", "dev")
    ([0.4, 0.6], None)
    """
    if text.replace("-", "").isalpha():
        return None
    try:
        return [float(each) for each in text.split(",")]
    except ValueError:
        raise InputError(f"{flag(name)} {text}: expected numbers with commas between them, such as 0.4,0.6, or a word") from None
