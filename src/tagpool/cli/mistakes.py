"""``tagpool mistakes``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from tagpool.auditing.mistake_page import mistake_page
from tagpool.auditing.mistakes import MISTAKE_KINDS, Mistake, find_mistakes
from tagpool.cli.console import notes, output, print_json, print_table
from tagpool.cli.inputs import expand_files, with_expanded
from tagpool.cli.options import JsonOption, expand_options
from tagpool.cli.outputs import is_same_file, refuse_inputs, refuse_mixed_output
from tagpool.cli.progress import follow_steps
from tagpool.cli.records import write_records
from tagpool.cli.training.learners import create_learner
from tagpool.cli.training.options import FileOption
from tagpool.cli.training.run import read_labelled
from tagpool.cli.training.settings import LearnerOptions, input_files
from tagpool.config_keys import SECTIONS, DataOptions
from tagpool.corpus.concatenation import concatenate
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.files import source_name, write_text
from tagpool.corpus.formats import Format
from tagpool.corpus.schemes import Span
from tagpool.corpus.token_lines import token_lines
from tagpool.corpus.whole_file import WholeFile
from tagpool.errors import InputError
from tagpool.wording import counted

_AROUND = 5  # words before and after the spans in the table


@expand_options(options=LearnerOptions)
def mistakes(
    files: Annotated[list[str], typer.Argument(metavar="TRAIN...", help="Labelled files, folders or patterns.")],
    target: Annotated[Path | None, FileOption("--output", "-o", help="JSONL file of the mistakes; - is standard output.")] = None,
    html: Annotated[Path | None, FileOption(help="HTML page with the sentences and coloured spans.")] = None,
    top: Annotated[int, typer.Option(min=1, help="Number of mistakes to show and to write.")] = 100,
    kind: Annotated[
        list[str] | None, typer.Option(metavar="KIND", help=f"Only {', '.join(MISTAKE_KINDS)} (repeatable; default: all).")
    ] = None,
    folds: Annotated[int, typer.Option(min=2, help="Number of parts of the cross-validation.")] = 5,
    options: LearnerOptions = LearnerOptions(),  # noqa: B008 - not changed
    json: JsonOption = False,
) -> None:
    """Find likely annotation errors.

    Taggers are trained without each part of the files, and label it. A row is a span on which annotation and tagger disagree:
    missed, spurious and changed spans in turn, each with the highest score first. The score is the probability of the proposed
    labels minus that of the annotated ones.

    \b
    Examples:
      tagpool mistakes train.conll
      tagpool mistakes train.conll dev.conll --top 500 -o mistakes.jsonl --html mistakes.html
      tagpool mistakes train.conll --kind missed     (spans that annotators forgot)
    """
    refuse_mixed_output(target, json)
    refuse_mixed_output(html, json, "--html")
    if unknown := [one for one in kind or () if one not in MISTAKE_KINDS]:
        raise InputError(f"--kind {unknown[0]}: no such kind; use {', '.join(MISTAKE_KINDS)}")
    settings = options.merge_settings({"data": {"train": files}})
    settings.check_keys((), sorted(SECTIONS))
    data: DataOptions = settings.options("data", DataOptions)
    for key in ("dev", "start", "memory"):
        if getattr(data, key) is not None:
            raise settings.error(("data", key), "taggers are trained on parts of the files in memory; drop this key")
    learner = create_learner(settings, None, settings.table(("learner",)).get("threads", 1))
    _check_outputs(
        {"--output": target, "--html": html}, [*(options.config or ()), *with_expanded(files), *input_files(settings, data)]
    )
    source = _Source.read(files, data)
    seed = settings.table(("learner",)).get("seed", 1)
    with follow_steps(f"{counted(len(source.corpus), 'sentence')}: training {counted(folds, 'tagger')}") as step:
        listed = find_mistakes(source.corpus, learner, folds=folds, seed=seed, kinds=kind or (), on_fold=step)
    shown = listed[:top]
    if target is not None:
        write_records(target, source.records(shown))
    if html is not None:
        name = ", ".join(dict.fromkeys(Path(file).name for file, *_ in source.places))
        write_text(html, mistake_page(f"Likely mistakes in {name}", source.corpus, shown, [source.place(one) for one in shown]))
    if json:
        print_json({"found": len(listed), "mistakes": source.records(shown)})
    elif str(target) != "-":
        source.show(shown, kind or ())
        if shown:
            notes.print_line(f"{counted(len(shown), 'mistake')} of {counted(len(listed), 'disagreement')}")


def _check_outputs(outputs: dict[str, Path | None], inputs: Sequence[str | Path]) -> None:
    chosen = {option: path for option, path in outputs.items() if path is not None and str(path) != "-"}
    for option, path in chosen.items():
        refuse_inputs(option, path, inputs)
        WholeFile.check(path)
    paths = list(chosen.values())
    if len(paths) == 2 and is_same_file(*paths):
        raise InputError(f"--html {paths[1]}: this is the file of --output; choose another file")


@dataclass(frozen=True)
class _Source:
    """The sentences of the files.

    ``places`` has the file of each sentence, its number there from 1, and the lines of its tokens if they are known.
    """

    corpus: Corpus
    places: Sequence[tuple[str, int, Sequence[int]]]

    @classmethod
    def read(cls, files: Sequence[str], data: DataOptions) -> _Source:
        """Read labelled files."""
        corpora, places = [], []
        for file in expand_files(files):
            corpus = read_labelled(file, data)
            lines = token_lines(file, corpus, format=None if data.format is None else Format(data.format), encoding=data.encoding)
            corpora.append(corpus)
            places += [(source_name(file), number, row) for number, row in enumerate(lines or [[]] * len(corpus), 1)]
        return cls(concatenate(corpora), places)

    def place(self, one: Mistake) -> str:
        """Return the file and line of a mistake; without lines, the number of the sentence."""
        file, number, lines = self.places[one.sentence]
        return f"{file}:{lines[one.start]}" if lines else f"{file}, sentence {number}"

    def records(self, chosen: Sequence[Mistake]) -> list[dict[str, Any]]:
        """Return the mistakes for JSON; tokens and sentences are counted from 0, lines from 1."""
        records = []
        for one in chosen:
            file, _, lines = self.places[one.sentence]
            words = self.corpus[one.sentence].words
            records.append(
                {
                    "file": file,
                    "line": lines[one.start] if lines else None,
                    "sentence": one.sentence,
                    "kind": one.kind,
                    "score": round(one.score, 4),
                    "annotated": _span_record(one.annotated, words),
                    "proposed": _span_record(one.proposed, words),
                    "tokens": words,
                }
            )
        return records

    def show(self, chosen: Sequence[Mistake], kinds: Sequence[str]) -> None:
        """Print a table; ``kinds`` are the chosen ones, empty for all."""
        rows = [[self.place(one), *_cells(one, self.corpus[one.sentence].words)] for one in chosen]
        if rows:
            print_table(["place", "kind", "annotated", "proposed", "score", "sentence"], rows, left=4, last_left=True)
        else:
            kinds = f" of the kind {' or '.join(kinds)}" if kinds else ""
            output.print_line(f"no disagreements{kinds}")


def _cells(one: Mistake, words: Sequence[str]) -> list[str]:
    before, after = words[max(0, one.start - _AROUND) : one.start], words[one.end : one.end + _AROUND]
    excerpt = " ".join([*before, "[", *words[one.start : one.end], "]", *after])
    return [one.kind, _describe(one.annotated, words), _describe(one.proposed, words), f"{one.score:.2f}", excerpt]


def _describe(span: Span | None, words: Sequence[str]) -> str:
    return "–" if span is None else f"{span.type} {' '.join(words[span.start : span.end])}".strip()


def _span_record(span: Span | None, words: Sequence[str]) -> dict[str, Any] | None:
    if span is None:
        return None
    return {"start": span.start, "end": span.end, "type": span.type, "text": " ".join(words[span.start : span.end])}
