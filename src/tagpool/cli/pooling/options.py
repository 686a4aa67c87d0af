"""Options that several commands of ``tagpool pool`` have."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from tagpool.cli.options import ColumnsOption, EncodingOption, LabelOption
from tagpool.cli.pooling.expert_files import MapOption
from tagpool.corpus.corpus import LABEL, Corpus
from tagpool.corpus.formats import write_corpus
from tagpool.errors import InputError, ModelError
from tagpool.pools.choice.auto import Pool
from tagpool.pools.loading import load
from tagpool.pools.stacked.pool import StackedPool
from tagpool.pools.unsupervised.pool import UnsupervisedPool
from tagpool.pools.votes.ballots import FloatArray
from tagpool.pools.votes.keys import KEYS
from tagpool.pools.votes.pool import VotePool

ExpertsArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="EXPERT...",
        help="Files of the experts: FILE, NAME=FILE, FILE@COLUMN, or FILE@* for one expert per column or annotator.",
    ),
]
ExpertsFlag = Annotated[bool, typer.Option("--experts", help="May precede the files of the experts.")]
GoldOption = Annotated[str, typer.Option(metavar="FILE", help="File, folder or pattern with gold labels.")]
KeyOption = Annotated[str, typer.Option(help=f"Tokens that share weights, for methods of votes: {', '.join(KEYS)}.")]
UnknownOption = Annotated[Literal["error", "allow"], typer.Option(help="Labels that neither gold nor another expert has.")]
SchemeOption = Annotated[str | None, typer.Option(help="Tag scheme that labels must follow: iob1, bio2, bioes, bilou.")]
SeedOption = Annotated[int, typer.Option(min=0, help="Seed of the random numbers.")]
ConfidenceFlag = Annotated[bool, typer.Option("--confidence", help="Add a column with the confidence of each label.")]
AbstainOption = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME", help="Expert whose O means 'no opinion', such as a word list; auto detects them (repeatable)."),
]
PoolArgument = Annotated[Path, typer.Argument(help="Pool that tagpool pool fit wrote.")]


@dataclass(frozen=True)
class ReadingOptions:
    """Options for reading gold labels and experts."""

    map_: MapOption = None
    unknown: UnknownOption = "error"
    columns: ColumnsOption = None
    label: LabelOption = None
    encoding: EncodingOption = "utf-8"

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of the functions that read experts."""
        names = {"columns": self.columns, "label": self.label, "encoding": self.encoding}
        return {**names, "maps": self.map_ or [], "unknown": self.unknown}


def abstaining(names: list[str] | None) -> str | list[str]:
    """Return the parameter ``abstain`` of pools."""
    if not names:
        return "none"
    return "auto" if names == ["auto"] else names


def load_pool(path: Path) -> Pool:
    """Load a pool of experts."""
    pool = load(path)
    if not isinstance(pool, VotePool | StackedPool | UnsupervisedPool):
        raise ModelError("expected a pool that tagpool pool fit wrote, got a tagger; use tagpool tag", source=path)
    return pool


def load_probabilistic(path: Path, command: str) -> Any:
    """Load a pool with probabilities of label sequences."""
    pool = load_pool(path)
    if isinstance(pool, VotePool):
        raise InputError(
            f"{command} needs probabilities, which a pool of votes lacks; fit one with --method stacking", source=path
        )
    return pool


def write_labels(corpus: Corpus, labels: list[list[str]], to: Path, confidence: list[FloatArray] | None = None) -> None:
    """Write sentences with pooled labels, and a column with their confidence."""
    pooled = corpus.with_labels(labels) if corpus.label_column is not None else labelled(corpus, labels)
    if confidence is not None:
        pooled = pooled.with_column("confidence", [[f"{value:.4f}" for value in row.tolist()] for row in confidence])
    write_corpus(pooled, to)


def labelled(corpus: Corpus, labels: list[list[str]]) -> Corpus:
    """Return the corpus with a column of labels."""
    return Corpus(corpus.with_column(LABEL, labels).native, label_column=LABEL, source=corpus.source)
