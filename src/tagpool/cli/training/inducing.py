"""The inducing tagger as the options of ``tagpool train`` ask for it."""

from __future__ import annotations

from typing import Any

from tagpool.cli.training.experts import INDUCING, expert_of, refuse_templates, template_parameters
from tagpool.cli.training.options import Options, flag
from tagpool.errors import InputError
from tagpool.experts.inducing.tagger import InducingTagger
from tagpool.experts.tagger import Tagger
from tagpool.tagging.models import load_model

_NOT_FOR = ("trainer", "l2", "dropout", "drop", "pairs", "class_weight", "prune")
_SAME = ("l1", "strongest", "slots", "beam", "epochs", "min_count", "unknown_label", "seed")


def tagger_of(options: Options) -> Tagger:
    """The tagger to be trained, of whatever kind: a new one, or one that goes on."""
    before = None if options.from_ is None or options.expert not in (None, INDUCING) else load_model(options.from_)
    if options.expert != INDUCING and not isinstance(before, InducingTagger):
        return expert_of(options)
    for name in _NOT_FOR:
        if name in options.given():
            raise InputError(f"{flag(name)} is not for --expert {INDUCING}, which learns in its own way")
    given: dict[str, Any] = {name: value for name in _SAME if (value := getattr(options, name)) is not None}
    given["threads"] = options.threads
    if options.no_induce:
        given["induce"] = False
    if options.patience is not None:
        given["patience"] = options.patience or None
    if options.from_ is None:
        return InducingTagger(**template_parameters(options, "pos"), **given)
    refuse_templates(options)
    if not isinstance(before, InducingTagger):
        raise InputError(
            f"--expert {INDUCING}: the model is a {before.kind if before else None}, and goes on as one", source=options.from_
        )
    return before.set_params(**given, templates=before._fitted().text("templates"), warm_start=True)
