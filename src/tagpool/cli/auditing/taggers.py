"""Options that choose the tagger of an audit: a model of tagpool, or a tagger that is not tagpool's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tagpool.auditing.command import TIMEOUT, CommandLabeller
from tagpool.auditing.crfsuite_model import CrfsuiteLabeller
from tagpool.auditing.importing import import_function
from tagpool.auditing.labellers import Labeller, labeller_of
from tagpool.auditing.spacy_pipeline import SpacyLabeller
from tagpool.cli.option_fields import option
from tagpool.errors import InputError
from tagpool.experts.tagger import Tagger
from tagpool.pools.loading import load


@dataclass
class TaggerOptions:
    """The options of taggers that are not tagpool's; at most one of them is chosen."""

    tagger: str | None = option(
        metavar="MODULE:FUNCTION", help="Tagger: a Python function of a list of lists of words that returns their labels."
    )
    spacy: str | None = option(metavar="NAME", help="Tagger: a spaCy pipeline, by name or folder.")
    crfsuite: str | None = option(metavar="FILE", help="Tagger: a model of python-crfsuite; needs --features-function.")
    features_function: str | None = option(
        metavar="MODULE:FUNCTION", help="Function of a sentence that returns the features of each word (--crfsuite)."
    )
    features_columns: str | None = option(
        metavar="NAMES", help="Columns of the tuples that --features-function gets, such as word,pos (default: words alone)."
    )
    command: str | None = option(
        metavar="COMMAND", help="Tagger: a command that reads a word per line and writes lines that end in a label."
    )
    timeout: float = option(default=TIMEOUT, help="Seconds that one call of --command may take.")
    map_: list[str] | None = option(
        "--map", metavar="OLD=NEW", help="Rename a type of the tagger's labels, such as PERSON=PER (repeatable)."
    )

    @property
    def is_set(self) -> bool:
        """Whether one of the options chooses a tagger."""
        return any((self.tagger, self.spacy, self.crfsuite, self.command))

    def split(self, files: Sequence[str]) -> tuple[str | None, list[str]]:
        """Return the model, which is the first file unless another tagger is chosen, and the other files."""
        return (None, list(files)) if self.is_set or not files else (files[0], list(files[1:]))

    def labeller(self, model: str | None, uses: Mapping[str, Any] | None = None) -> Labeller:
        """Return the labeller of the model file, or of these options; ``uses`` are files of resources for a training."""
        mapping = parse_mapping(self.map_)
        chosen = {"--tagger": self.tagger, "--spacy": self.spacy, "--crfsuite": self.crfsuite, "--command": self.command}
        options = [name for name, value in chosen.items() if value is not None]
        if len(options) + (model is not None) != 1:
            names = [*([str(model)] if model is not None else []), *options]
            got = f"got {' and '.join(names)}" if names else "got none"
            raise InputError(f"expected one tagger: a model, {', '.join(chosen)}; {got}")
        if self.crfsuite is None and (self.features_function or self.features_columns):
            raise InputError("--features-function and --features-columns are for --crfsuite; drop them, or add --crfsuite FILE")
        if self.tagger is not None:
            return labeller_of(import_function(self.tagger, "--tagger"), name=self.tagger, mapping=mapping)
        if self.spacy is not None:
            return SpacyLabeller.load(self.spacy, mapping)
        if self.crfsuite is not None:
            if self.features_function is None:
                advice = "add --features-function MODULE:FUNCTION, the function that computed the features for the training"
                raise InputError(f"a model of CRFsuite reads features, not words; {advice}", source=self.crfsuite)
            function = import_function(self.features_function, "--features-function")
            columns = self.features_columns.split(",") if self.features_columns else []
            return CrfsuiteLabeller(self.crfsuite, function, mapping, columns=columns)
        if self.command is not None:
            return CommandLabeller(self.command, mapping, timeout=self.timeout)
        assert model is not None
        return labeller_of(_load(model, uses or {}), name=model, mapping=mapping)


def _load(path: str, uses: Mapping[str, Any]) -> Any:
    """Load a model. Files of resources are for a model that was saved without them, and for training again."""
    try:
        model: Any = load(path)
    except InputError:
        if not uses:
            raise
        model = load(path, resources=uses)
    if uses and isinstance(model, Tagger):
        model.resources = dict(uses)
    return model


def parse_mapping(pairs: Sequence[str] | None) -> dict[str, str]:
    """Return the types by name of ``OLD=NEW`` options.

    >>> parse_mapping(["PERSON=PER", "GPE=LOC"])
    {'PERSON': 'PER', 'GPE': 'LOC'}
    """
    mapping: dict[str, str] = {}
    for pair in pairs or ():
        old, equals, new = pair.partition("=")
        if not equals or not old or not new:
            raise InputError(f"--map {pair}: expected OLD=NEW, such as --map PERSON=PER")
        if old in mapping and mapping[old] != new:
            raise InputError(f"--map {pair}: {old} is already renamed to {mapping[old]}; give it once")
        mapping[old] = new
    return mapping
