"""Pools as the options of ``tagpool train`` ask for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tagpool.cli.training.experts import common_parameters, expert_of, refuse_inducing, template_parameters
from tagpool.cli.training.inducing import tagger_of
from tagpool.cli.training.options import BAGGING, ELITIST, OPINION, TWO_STAGE, Options, numbers
from tagpool.errors import InputError
from tagpool.features.presets import load_templates
from tagpool.features.transitions import transition_templates
from tagpool.pools.bagging.partitions import BagScheme, LabelWise, Positions, RandomParts, SequentialParts
from tagpool.pools.bagging.pool import BaggingPool
from tagpool.pools.combination import SEQUENCE_PRODUCT
from tagpool.pools.elitist.pool import ElitistPool
from tagpool.pools.opinion.pool import OpinionPool
from tagpool.pools.two_stage.pool import TwoStageTagger
from tagpool.tagging.models import load_model

_AUTO = "auto"
_FOLDS = 5
_WAYS = f"NAME=BAG,BAG (several times), {_AUTO}, random:N, sequential:N, positions or labels"


def pool_of(options: Options) -> BaggingPool | ElitistPool | OpinionPool | TwoStageTagger:
    """The pool to be trained."""
    if options.pool != TWO_STAGE:  # whose stages may be of any kind
        refuse_inducing(options)
    found: BaggingPool | ElitistPool | OpinionPool | TwoStageTagger = _MAKERS[str(options.pool)](options)
    return found


def _bagging(options: Options) -> BaggingPool:
    expert = expert_of(options)
    pool = BaggingPool(
        expert,
        bags=_bags(options.bags or [], expert.seed),
        combine=options.combine or SEQUENCE_PRODUCT,
        weights=_alpha(options),
        seed=expert.seed,
        threads=options.threads,
    )
    pool._check()
    if options.collapse:
        _demand_collapsible(pool)
    return pool


def _demand_collapsible(pool: BaggingPool) -> None:
    """Raises an error now, not after the training, if the pool will be no single expert."""
    if pool.combine != SEQUENCE_PRODUCT:
        raise InputError(f"--collapse: only a {SEQUENCE_PRODUCT} is one model, not a {pool.combine}")
    if pool.expert.hash_size:
        raise InputError("--collapse: models with hashed features cannot be made one")
    if any(template.is_history for template in transition_templates(load_templates(pool.expert.templates))):
        raise InputError("--collapse: chains with features of transitions (label[-1] & ...) cannot be made one model")


def _bags(given: Sequence[str], seed: int) -> Mapping[str, Sequence[str]] | BagScheme | str | None:
    if not given:
        return None
    if len(given) == 1 and "=" not in given[0]:
        return _scheme(given[0], seed)
    found: dict[str, list[str]] = {}
    for each in given:
        name, equals, bags = each.partition("=")
        chosen = [bag.strip() for bag in bags.split(",")]
        if not equals or not name or not all(chosen):
            raise InputError(f"--bags {each}: expected {_WAYS}")
        if name in found:
            raise InputError(f"--bags {each}: there are two members called {name!r}")
        found[name] = chosen
    return found


def _scheme(text: str, seed: int) -> BagScheme | str:
    word, colon, count = text.partition(":")
    if not colon and word == _AUTO:
        return _AUTO
    plain: dict[str, BagScheme] = {"positions": Positions(), "labels": LabelWise()}
    if not colon and word in plain:
        return plain[word]
    if word in ("random", "sequential") and count.isascii() and count.isdigit() and int(count) >= 1:
        return RandomParts(int(count), seed) if word == "random" else SequentialParts(int(count))
    raise InputError(f"--bags {text}: expected {_WAYS}")


def _elitist(options: Options) -> ElitistPool:
    own = {name: getattr(options, name) for name in ("experts", "expert", "penalty", "strength", "mu", "epochs", "patience")}
    own = {name: value for name, value in own.items() if value is not None}
    if own.get("patience") == 0:
        own["patience"] = None
    return ElitistPool(**template_parameters(options), **common_parameters(options), **own, weights=_alpha(options))


def _opinion(options: Options) -> OpinionPool:
    members: list[Any] = [load_model(path, templates=True) for path in options.member or []]
    for expert in (expert for member in members for expert in member.single_taggers()):
        expert.threads = options.threads
    return OpinionPool(members, weights=_alpha(options), threads=options.threads)


def _two_stage(options: Options) -> TwoStageTagger:
    first = tagger_of(options)
    return TwoStageTagger(first, folds=options.folds or _FOLDS, seed=first.seed, threads=options.threads)


def _alpha(options: Options) -> str | list[float]:
    given = options.alpha or "uniform"
    return numbers("alpha", given) or given


_MAKERS: dict[str, Callable[[Options], Any]] = {BAGGING: _bagging, ELITIST: _elitist, OPINION: _opinion, TWO_STAGE: _two_stage}
