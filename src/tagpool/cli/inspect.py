"""``tagpool inspect``."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer

from tagpool import _native
from tagpool.cli.console import output, print_json, spell_bytes
from tagpool.cli.options import JsonOption, UseOption, parse_uses
from tagpool.cli.percent import in_percent
from tagpool.pools.loading import load

# Parts of a model file, by the beginning of the names of their tensors.
_PARTS = {
    "features.fingerprints": "index",
    "features.places": "index",
    "features.weights": "weights",
    "features.labels": "weights",
    "edges": "transitions",
    "arcs.": "transitions",
    "program": "templates",
    "history.": "transition features",
    "labelled.": "label features",
    "pairs.": "conjunctions",
    "joined.": "conjunctions",
    "induced.": "names",
}


def inspect(
    model: Annotated[Path, typer.Argument(help="A model file.")],
    top: Annotated[int, typer.Option(min=0, help="Number of features per label and sign, and of transitions.")] = 10,
    label: Annotated[list[str] | None, typer.Option(help="Only this label (repeatable).")] = None,
    template: Annotated[str | None, typer.Option(help="Only features of this template, such as 'word[0]'.")] = None,
    use: UseOption = None,
    json: JsonOption = False,
) -> None:
    """Show what is inside a model.

    Shows the training, the size, and the features and transitions with the largest weights.

    Pools list their members with weights, and the features of the merged model. Vote pools list the weights of the experts.

    \b
    Examples:
      tagpool inspect ner.tagpool
      tagpool inspect pool.tagpool --top 0
      tagpool inspect names.pool
      tagpool inspect ner.tagpool --label B-PER --top 30
      tagpool inspect ner.tagpool --template 'word[0]' --json
    """
    loaded = load(model, resources=parse_uses(use))
    description = loaded.describe(top=top, labels=label, template=template)
    version, total = _native.text_of_file(str(model), "tagpool"), model.stat().st_size
    facts: dict[str, Any] = {"model": str(model), "tagpool": version, "bytes": total}
    facts["sizes"] = _sizes(model, total)
    if json:
        print_json(facts | in_percent(description.facts, ("dev",)))
        return
    output.print_line(f"{model}: {loaded.kind}, written by tagpool {version}, {spell_bytes(total)}")
    output.print(", ".join(f"{name} {spell_bytes(count)}" for name, count in facts["sizes"].items()))
    output.print(str(description))


def _sizes(path: Path, total: int) -> dict[str, int]:
    """Return the bytes of each part of a model file."""
    sizes: Counter[str] = Counter()
    for name, count in _native.Container.open(str(path)).sizes().items():
        sizes[next((part for start, part in _PARTS.items() if name.startswith(start)), name)] += count
    sizes["header"] = total - sum(sizes.values())
    return dict(sizes.most_common())
