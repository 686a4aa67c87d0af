"""``tagpool inspect``."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer

from tagpool.cli.console import JsonOption, output, print_json
from tagpool.cli.pool_inspection import about_pool, show_pool
from tagpool.cli.pooling.inspection import about_path_pool, show_path_pool
from tagpool.cli.sizes import spelled_bytes
from tagpool.errors import InputError
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
    "history.": "transition features",
    "labelled.": "label features",
    "pairs.": "conjunctions",
    "joined.": "conjunctions",
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

    Transition features are shown with the labels they are for; of an
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
    single = fastest(loaded)
    description = single.describe(top=top, labels=label, template=template) if isinstance(single, Tagger) else None
    if isinstance(loaded, (Pool, ElitistPool)):
        found = about_pool(loaded, model)
        if description is None and (label or template):
            raise InputError(f"--label and --template are for models that are one expert: {found['refusal']}", source=model)
        if json:
            print_json(({} if description is None else description.facts) | found)
            return
        show_pool(found)
    elif json and description is not None:
        print_json(_file_facts(single, model) | description.facts)
        return
    else:
        facts = _file_facts(single, model)
        _print(f"{model}: {single.kind}, written by tagpool {facts['tagpool']}, {spelled_bytes(facts['bytes'])}")
        _print(", ".join(f"{name} {spelled_bytes(count)}" for name, count in facts["sizes"].items()))
    if description is not None:
        _print(str(description))


def _file_facts(tagger: Any, path: Path) -> dict[str, Any]:
    model = tagger._fitted()
    sizes: Counter[str] = Counter()
    for name, count in model.sizes().items():
        of = next((part for start, part in _PARTS_OF.items() if name.startswith(start)), name)
        sizes[_PARTS.get(name, of)] += count
    total = path.stat().st_size
    sizes["header"] = total - sum(sizes.values())
    return {"model": str(path), "tagpool": model.text("tagpool"), "bytes": total, "sizes": dict(sizes.most_common())}


def _print(text: str) -> None:
    output.print(text, highlight=False, markup=False)
