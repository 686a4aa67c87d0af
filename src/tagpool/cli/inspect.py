"""``tagpool inspect``."""

from __future__ import annotations

import json as json_module
from collections import Counter
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Annotated, Any

import typer

from tagpool.cli.console import JsonOption, errors, output, print_json, print_table, table
from tagpool.cli.pool_inspection import about_pool, show_pool
from tagpool.cli.pooling.inspection import about_path_pool, show_path_pool
from tagpool.cli.sizes import spelled_bytes
from tagpool.errors import InputError
from tagpool.experts.inducing.inspection import LabelWeight, strongest_labelled, strongest_pairs
from tagpool.experts.inducing.tagger import InducingTagger
from tagpool.experts.inside.inspection import (
    Strongest,
    Transition,
    TransitionFeature,
    Trigram,
    features_by_template,
    strongest_features,
    strongest_transition_features,
    strongest_transitions,
    strongest_trigrams,
)
from tagpool.experts.linear.expert import Expert
from tagpool.experts.saving import has_history_names, has_names
from tagpool.experts.tagger import Tagger
from tagpool.pools.elitist.pool import ElitistPool
from tagpool.pools.pool import Pool
from tagpool.pools.votes.pool import VotePool
from tagpool.tagging.models import fastest, load_any

_PARTS = {
    "features.fingerprints": "index",
    "features.places": "index",
    "features.weights": "weights",
    "features.labels": "weights",
    "edges": "transitions",
}
_PARTS_OF = {
    "program": "templates",
    "arcs.": "transitions",
    "history.": "features of transitions",
    "labelled.": "features of previous labels",
    "pairs.": "pairs",
    "joined.": "pairs",
    "induced.": "names",
}


def inspect(
    model: Annotated[Path, typer.Argument(help="A model, as tagpool train or tagpool pool fit writes it.")],
    top: Annotated[int, typer.Option(min=0, help="How many features a label and sign, and how many transitions.")] = 10,
    label: Annotated[list[str] | None, typer.Option(help="Only this label (may be given several times).")] = None,
    template: Annotated[str | None, typer.Option(help="Only features of this template, such as 'word[0]'.")] = None,
    json: JsonOption = False,
) -> None:
    """Look into a model: how it was trained, what it holds, its strongest features and transitions.

    Of a chain of order 2 also its strongest trigrams are shown, and features of transitions with the labels they are for; of an
    inducing tagger the strongest pairs that it has joined, and features with previous labels. Of a
    pool its members: their shares, the templates each has, and what the experts of an elitist pool share. The strongest
    features are those of the one expert that a pool is, where it is one. Of a path pool, as tagpool pool fit writes it, how much
    each expert's vote counts where, and the guarantees.

    \b
    Examples:
      tagpool inspect ner.tagpool
      tagpool inspect pool.tagpool --top 0
      tagpool inspect names.pool
      tagpool inspect ner.tagpool --label B-PER --top 30
      tagpool inspect ner.tagpool --template 'word[0]' --json
    """
    loaded = load_any(model)
    if isinstance(loaded, VotePool):
        if label or template:
            raise InputError("--label and --template are for models that are one expert, and this is a path pool", source=model)
        print_json(about_path_pool(loaded, model)) if json else show_path_pool(about_path_pool(loaded, model))
        return
    is_pool = isinstance(loaded, (Pool, ElitistPool))
    single = fastest(loaded)
    found = about_pool(loaded, model) if isinstance(loaded, (Pool, ElitistPool)) else _about(loaded, model)
    strongest: dict[str, Strongest] = {}
    transitions: list[Transition] = []
    trigrams: list[Trigram] = []
    of_transitions: list[TransitionFeature] = []
    joined: list[LabelWeight] = []
    labelled: list[LabelWeight] = []
    named = isinstance(single, Tagger) and has_names(single)
    if isinstance(single, Tagger) and named:
        found["templates"] = features_by_template(single)
        strongest = strongest_features(single, top=top, labels=label, template=template)
    if isinstance(single, InducingTagger) and named:
        joined = strongest_pairs(single, top=top, labels=label)
        labelled = strongest_labelled(single, top=top, labels=label)
    if isinstance(single, Expert):
        transitions = strongest_transitions(single, top=top, labels=label)
        trigrams = strongest_trigrams(single, top=top, labels=label)
        if has_history_names(single):
            of_transitions = strongest_transition_features(single, top=top, labels=label, template=template)
    elif (label or template) and not isinstance(single, Tagger):
        raise InputError(f"--label and --template are for models that are one expert: {found['refusal']}", source=model)
    if json:
        found["strongest"] = {key: {"for": one.speaking_for, "against": one.speaking_against} for key, one in strongest.items()}
        found["transitions"] = transitions
        found["trigrams"] = trigrams
        found["transition_features"] = of_transitions
        found["pairs"] = joined
        found["labelled"] = labelled
        print_json(found)
        return
    show_pool(found) if is_pool else _show(found)
    if isinstance(single, Tagger) and not named:
        why = "are hashed: they have no names" if single._fitted().hash_size else "were saved without their names"
        errors.print(f"the features {why}, and cannot be shown", highlight=False, markup=False)
    for key, one in strongest.items():
        _show_label(key, one)
    _show_weights(["from", "to"], [(one.before or "(start)", one.after or "(end)", one.weight) for one in transitions])
    _show_weights(["first", "then", "to"], [(one.first or "(start)", *one[1:]) for one in trigrams])
    _show_weights(["feature of transitions", "from", "to"], of_transitions)
    _show_weights(["with previous labels", "label"], labelled)
    _show_weights(["pair", "label"], joined)


def _about(expert: Tagger, path: Path) -> dict[str, Any]:
    model = expert._fitted()
    sizes: Counter[str] = Counter()
    for name, count in model.sizes().items():
        of = next((part for start, part in _PARTS_OF.items() if name.startswith(start)), name)
        sizes[_PARTS.get(name, of)] += count
    total = path.stat().st_size
    sizes["header"] = total - sum(sizes.values())
    return {
        "model": str(path),
        "expert": expert.kind,
        "order": expert._fitted().order if isinstance(expert, Expert) else 1,
        "tagpool": model.text("tagpool"),
        "labels": list(expert.labels_),
        "columns": list(model.columns),
        "features": model.feature_count,
        "hash_size": model.hash_size or None,
        "pair_count": expert.pair_count if isinstance(expert, InducingTagger) else 0,
        "weights": model.weight_count,
        "names": has_names(expert),
        "templates": {},
        "training": expert.summary_,
        "parameters": json_module.loads(model.text("parameters") or "{}"),
        "bytes": total,
        "sizes": dict(sizes.most_common()),
    }


def _print(text: str) -> None:
    output.print(text, highlight=False, markup=False)


def _show(found: dict[str, Any]) -> None:
    hashed = f", hashed to {found['hash_size']:,}" if found["hash_size"] else ""
    order = " of order 2" if found["order"] == 2 else ""
    _print(f"{found['model']}: {found['expert']}{order}, written by tagpool {found['tagpool']}")
    _print(f"{len(found['labels'])} labels: {', '.join(found['labels'])}")
    looks_at = f"; it looks at the columns {', '.join(found['columns'])}" if found["columns"] else ""
    pairs = f" ({found['pair_count']:,} of them pairs)" if found["pair_count"] else ""
    _print(f"{found['features']:,} features{hashed}{pairs}, {found['weights']:,} weights{looks_at}")
    training = found["training"]
    if training:
        # One that was collapsed from a pool knows of no epochs.
        how = training["trainer"] if "epochs" not in training else f"by {training['trainer']}: {training['epochs']} epochs"
        score = "" if training.get("dev") is None else f", dev F1 {100 * training['dev']:.2f}"
        # One that comes from another tool knows of no sentences.
        what = (
            f"trained on {training['sentences']:,} sentences, {training['tokens']:,} tokens, " if "sentences" in training else ""
        )
        _print(f"{what}{how}{score}")
    shown = {
        "l2",
        "l1",
        "induce",
        "strongest",
        "slots",
        "step",
        "gold",
        "beam",
        "pairs",
        "min_count",
        "class_weight",
        "unknown_label",
        "seed",
    }
    parameters = [f"{name} {value}" for name, value in found["parameters"].items() if name in shown and value is not None]
    if parameters:
        _print(", ".join(parameters))
    parts = ", ".join(f"{name} {spelled_bytes(count)}" for name, count in found["sizes"].items())
    _print(f"{spelled_bytes(found['bytes'])}: {parts}")
    if found["templates"]:
        _print("")
        print_table(table(["template", "features"], [[key, f"{count:,}"] for key, count in found["templates"].items()]))


def _show_label(label: str, one: Strongest) -> None:
    rows = []
    for for_it, against in zip_longest(one.speaking_for, one.speaking_against):
        rows.append([*_cells(for_it), *_cells(against)])
    if rows:
        _print("")
        print_table(table([f"for {label}", "weight", f"against {label}", "weight"], rows))


def _cells(pair: tuple[str, float] | None) -> list[str]:
    return ["", ""] if pair is None else [pair[0], f"{pair[1]:+.3f}"]


def _show_weights(names: list[str], found: Sequence[tuple[Any, ...]]) -> None:
    """Rows that end in a weight."""
    if found:
        _print("")
        print_table(table([*names, "weight"], [[*row[:-1], f"{row[-1]:+.3f}"] for row in found], left=len(names)))
