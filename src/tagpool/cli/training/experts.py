"""Single experts as the options of ``tagpool train`` ask for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tagpool.cli.console import parse_uses
from tagpool.cli.training.options import Options, flag
from tagpool.errors import InputError
from tagpool.experts.linear.crf import CRF
from tagpool.experts.linear.expert import Expert
from tagpool.experts.linear.maxent import MaxEnt
from tagpool.features.presets import load_templates
from tagpool.features.template import TemplateSet
from tagpool.optim.sgd import SGD
from tagpool.optim.trainer import Trainer
from tagpool.optim.trainers import TRAINERS, trainer_of
from tagpool.tagging.models import as_one, load_model

_PERCEPTRON = "perceptron"  # a trainer; as an expert it is a chain trained by it
EXPERTS: dict[str, type[Expert]] = {"crf": CRF, "maxent": MaxEnt, _PERCEPTRON: CRF}
_PATIENCE = 5
INDUCING = "inducing"  # a tagger without lattices, which no pool can have
TAGGERS = (*EXPERTS, INDUCING)
OF_INDUCING = ("no_induce", "strongest", "slots", "beam")


def expert_of(options: Options) -> Expert:
    """The expert to be trained: a new one, or one that goes on."""
    refuse_inducing(options)
    parameters = common_parameters(options) | {
        "l2": 1.0 if options.l2 is None else options.l2,
        "l1": options.l1 or 0.0,
        "patience": (_PATIENCE if options.patience is None else options.patience) or None,
        "trainer": _trainer(options),
    }
    if options.from_ is not None:
        refuse_templates(options)
        return _continued(options.from_, options.expert, parameters)
    kind = kind_of(options.expert or "crf")
    return kind(**template_parameters(options), **parameters)


def refuse_inducing(options: Options) -> None:
    """Raises an error for options that only the inducing tagger has."""
    for name in OF_INDUCING:
        if name in options.given():
            raise InputError(f"{flag(name)} is for --expert {INDUCING}")


def refuse_templates(options: Options) -> None:
    """Raises an error for templates beside --from."""
    for name in ("features", "use", "without", "hash_size"):
        if name in options.given():
            why = "the model goes on with its own templates"
            raise InputError(f"{flag(name)} cannot be given with --from: {why}", source=options.from_)


def kind_of(name: str) -> type[Expert]:
    """The class of an expert."""
    if name == INDUCING:
        raise InputError(f"--expert {name}: it has no lattices, and cannot be a member of a pool or go on from another model")
    if name not in EXPERTS:
        raise InputError(f"--expert {name}: expected one of {', '.join(TAGGERS)}")
    return EXPERTS[name]


def common_parameters(options: Options) -> dict[str, Any]:
    """What experts and elitist pools have in common but their features."""
    return {
        "pairs": options.pairs or "all",
        "min_count": options.min_count or 1,
        "class_weight": _class_weight(options.class_weight or []),
        "unknown_label": options.unknown_label,
        "seed": 1 if options.seed is None else options.seed,
        "threads": options.threads,
    }


def template_parameters(options: Options, preset: str = "ner") -> dict[str, Any]:
    """Templates (by name, where nothing is left out), their resources, and whether features are hashed."""
    features: TemplateSet | str = options.features or preset
    given = parse_uses(options.use or [])
    everything = load_templates(features)
    if options.without:
        features = everything.without(*options.without)
        left_out = everything.resources.keys() - features.resources.keys()
        given = {name: path for name, path in given.items() if name not in left_out}
    return {"templates": features, "resources": given, "hash_size": options.hash_size}


def _trainer(options: Options) -> Trainer:
    name, expert = options.trainer, options.expert
    if expert == _PERCEPTRON and name not in (None, _PERCEPTRON):
        raise InputError(f"--trainer {name}: the expert perceptron is trained by the trainer perceptron")
    chosen = name or (_PERCEPTRON if expert == _PERCEPTRON else "sgd")
    if chosen not in TRAINERS:
        raise InputError(f"--trainer {chosen}: expected one of {', '.join(TRAINERS)}")
    found = trainer_of(chosen)
    if options.epochs is not None:
        limit = next((limit for limit in ("epochs", "iterations") if limit in found.get_params()), None)
        if limit is None:
            raise InputError(f"--epochs {options.epochs}: the trainer {chosen} has no such limit")
        found.set_params(**{limit: options.epochs})
    if options.dropout is not None:
        if not isinstance(found, SGD):
            raise InputError(f"--dropout {options.dropout:g}: only the trainer sgd leaves features out, not {chosen}")
        if not 0 <= options.dropout < 1:
            raise InputError(f"--dropout {options.dropout:g}: expected a number from 0 to less than 1")
        if options.drop not in (None, *SGD.parameters()["drop"].accepted_words()):
            raise InputError(f"--drop {options.drop}: expected one of {', '.join(SGD.parameters()['drop'].accepted_words())}")
        found.set_params(dropout=options.dropout, drop=options.drop or "features")
    return found


def _class_weight(given: list[str]) -> dict[str, float] | str | None:
    if not given:
        return None
    if given == ["balanced"]:
        return "balanced"
    found: dict[str, float] = {}
    for each in given:
        label, equals, weight = each.rpartition("=")
        try:
            found[label] = float(weight)
        except ValueError:
            equals = ""
        if not equals or not label:
            raise InputError(f"--class-weight {each}: expected LABEL=WEIGHT, such as --class-weight O=0.5, or balanced")
    return found


def _continued(path: Path, expert: str | None, parameters: dict[str, Any]) -> Expert:
    found = as_one(load_model(path))
    if not isinstance(found, Expert if expert is None else kind_of(expert)):
        raise InputError(f"--expert {expert}: the model is a {found.kind}, and goes on as one", source=path)
    assert isinstance(found, Expert)
    return found.set_params(**parameters, templates=found._fitted().text("templates"), warm_start=True)
