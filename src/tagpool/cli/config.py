"""``tagpool config``: all keys of a learner, or the configuration that a model stores."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tagpool import _native
from tagpool.cli.console import print_json, print_text
from tagpool.cli.options import JsonOption
from tagpool.cli.training.learners import LEARNERS
from tagpool.config import commented, parse_config
from tagpool.config_keys import FEATURES, DataOptions, FeatureOptions, OutputOptions, nested_sections, template_owner
from tagpool.corpus.faults import NameFaults
from tagpool.errors import InputError
from tagpool.pools.votes.pool import VotePool


def config(
    what: Annotated[str, typer.Argument(metavar="LEARNER|MODEL", help=f"{', '.join(LEARNERS)}, or a model file.")],
    json: JsonOption = False,
) -> None:
    """Print the configuration of a learner or a model.

    Print a complete configuration file of a learner, or the configuration that a model was trained with.

    \b
    Examples:
      tagpool config crf > run.toml
      tagpool train --config run.toml --train train.conll --model ner.tagpool
      tagpool config ner.tagpool
      tagpool config crf --json                (keys without a default are left out)
    """
    text = template(what) if what in LEARNERS else stored(Path(what))
    print_json(parse_config(text, what)) if json else print_text(text)


def template(kind: str) -> str:
    """Return a configuration file with every key of a learner, its help and its default."""
    sections = [commented("data", DataOptions.parameters())]
    if (owner := template_owner(LEARNERS[kind])) is not None:
        features = {name: owner.parameters()[name] for name in ("templates", "min_count")}
        sections.append(commented("features", features | dict(FeatureOptions.parameters())))
    for path, name, declared in nested_sections(("learner",), kind, LEARNERS[kind]):
        keys = {key: parameter for key, parameter in declared.parameters().items() if key not in FEATURES}
        sections.append(commented(".".join(path), keys, name))
    sections.append(commented("output", OutputOptions.parameters()))
    return "\n".join(sections)


def stored(path: Path) -> str:
    """Return the configuration in a model file."""
    if not path.exists():
        raise InputError(f"{path}: there is no such model file and no such learner; the learners are {', '.join(LEARNERS)}")
    with NameFaults(str(path)):
        container = _native.Container.open(str(path))
    if container.text("kind") == VotePool.kind:
        raise InputError("a vote pool stores no configuration; tagpool inspect shows its method and weights", source=path)
    text = container.text("config")
    if text is None:
        raise InputError("the model stores no configuration; train it again with this version", source=path)
    return text
