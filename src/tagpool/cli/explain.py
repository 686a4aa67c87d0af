"""``tagpool explain``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from tagpool import _native
from tagpool.cli.console import notes, output, print_json
from tagpool.cli.inputs import read_files
from tagpool.cli.option_fields import option
from tagpool.cli.options import ColumnsOption, EncodingOption, FormatOption, JsonOption, UseOption, expand_options, parse_uses
from tagpool.cli.outputs import refuse_inputs
from tagpool.corpus.corpus import WORD, Corpus
from tagpool.corpus.files import read_bytes, source_name, write_text
from tagpool.corpus.formats import Format, format_of, read_corpus
from tagpool.corpus.text import tokenize
from tagpool.errors import InputError
from tagpool.experts.inside.explanation import Explanation
from tagpool.experts.sequence_tagger import SequenceTagger
from tagpool.tagging.conll import guess_columns
from tagpool.tagging.models import load_model
from tagpool.views.html import element, page
from tagpool.wording import counted


@dataclass
class ShownOptions:
    """Parts of the explanation to show."""

    token: int | None = option(min=1, help="Only the token with this number.")
    instead: str | None = option(metavar="LABEL", help="Explain why not this label, in place of the runner-up.")
    top: int = option(default=8, min=0, help="Number of templates per token; of features with --all.")
    every: bool = option("--all", default=False, help="List features one by one, not by template.")
    html: Path | None = option(metavar="FILE", help="HTML file of the whole sentence, in place of text.")


@expand_options(shown=ShownOptions)
def explain(
    model: Annotated[Path, typer.Argument(help="Model file.")],
    text: Annotated[str | None, typer.Argument(metavar="SENTENCE", help="The sentence to explain.")] = None,
    file: Annotated[
        str | None, typer.Option(metavar="FILE", help="Read the sentence from this file, folder or pattern; - is standard input.")
    ] = None,
    sentence: Annotated[int, typer.Option(min=1, help="Number of the sentence in --file.")] = 1,
    shown: ShownOptions = ShownOptions(),  # noqa: B008 - not changed
    columns: ColumnsOption = None,
    separator: Annotated[str, typer.Option(help="Column separator in SENTENCE.")] = "/",
    format: FormatOption = None,  # noqa: A002 - the option's name
    encoding: EncodingOption = "utf-8",
    use: UseOption = None,
    json: JsonOption = False,
) -> None:
    """Show the features behind each label of a sentence.

    The number before a template is the contribution of its features to the lead of the label over the runner-up. The last line
    names the fewest features without which the label would change. A pool shows the vote and the weight of every member. A
    model that reads more than words takes tokens with their columns: word/pos, named by --columns.

    \b
    Examples:
      tagpool explain ner.tagpool "Ann Smith moved to Oslo."
      tagpool explain ner.tagpool "Ann Smith moved to Oslo." --token 5 --instead B-ORG --all
      tagpool explain pool.tagpool "Ann Smith moved to Oslo." --top 0
      tagpool explain chunker.tagpool "the/DT cat/NN" --columns word,pos
      tagpool explain ner.tagpool --file test.conll --sentence 3 --token 2
      tagpool explain ner.tagpool --file test.conll --sentence 3 --html why.html
    """
    if shown.html is not None:
        refuse_inputs("--html", shown.html, [model, file])
    if (text is None) == (file is None):
        raise InputError("expected either a sentence or --file FILE")
    tagger = load_model(model, templates=True, resources=parse_uses(use))
    if file is None:
        corpus, sentence = _sentence(tagger.columns, text or "", columns, separator), 1
    else:
        corpus = read_files(file, lambda path: _read(tagger, path, columns, format, encoding))
        if sentence > len(corpus):
            raise InputError(f"--sentence {sentence}: expected 1 to {len(corpus):,}, the number of sentences", source=file)
    explanation = tagger.explain(corpus, sentence - 1, instead=_check_label(tagger, shown.instead))
    if shown.token is not None and shown.token > len(explanation):
        raise InputError(f"--token {shown.token}: the sentence has {counted(len(explanation), 'token')}")
    places = [place for place in range(len(explanation)) if shown.token in (None, place + 1)]
    if shown.html is not None:
        write_text(shown.html, page(f"Explanation by {model.name}", element("main", explanation.html(shown.top))))
        notes.print_line(f"written to {shown.html}")
    if json:
        print_json({"tokens": [{"number": place + 1} | explanation[place].to_dict() for place in places]})
    elif shown.html is None:
        _print(explanation, places, shown.top, by_template=not shown.every)


def _print(explanation: Explanation, places: Sequence[int], top: int, *, by_template: bool) -> None:
    for place in places:
        heading, *lines = explanation.text(place, top, by_template=by_template).split("\n")
        output.print(heading, style="bold")
        for line in lines:
            output.print(line)


def _check_label(tagger: SequenceTagger, label: str | None) -> str | None:
    if label is not None and label not in tagger.labels_:
        raise InputError(f"--instead {label}: the labels of the model are {', '.join(sorted(set(tagger.labels_)))}")
    return label


def _sentence(needs: tuple[str, ...], text: str, columns: str | None, separator: str) -> Corpus:
    names = [WORD] if columns is None else [name.strip() for name in columns.split(",")]
    if columns is None and not set(needs) <= {WORD}:
        raise InputError(
            f"the model reads the columns {', '.join(needs)}; give tokens with their columns, such as "
            f"'the/DT cat/NN' --columns word,pos, or a sentence of a file with --file"
        )
    tokens = [token.text for token in tokenize(text)] if columns is None else text.split()
    if not tokens:
        raise InputError("expected a sentence, got only blanks")
    rows = [token.rsplit(separator, len(names) - 1) if separator and columns else [token] for token in tokens]
    for number, row in enumerate(rows, 1):
        if len(row) != len(names) or not all(row):
            raise InputError(f"token {number}: expected {separator.join(names)}, got {tokens[number - 1]!r}")
    return Corpus.from_columns({name: [list(column)] for name, column in zip(names, zip(*rows, strict=True), strict=True)})


def _read(tagger: SequenceTagger, file: str, columns: str | None, kind: Format | None, encoding: str) -> Corpus:
    is_guessed = columns is None and (kind or format_of(file)) is Format.CONLL
    if is_guessed and (count := _native.count_columns(read_bytes(file, encoding=encoding), False)):
        trained = tagger.single_taggers()[0].summary_
        columns = ",".join(guess_columns(count, tagger.columns, trained, source_name(file)))
    return read_corpus(file, columns=columns, format=kind, encoding=encoding)
