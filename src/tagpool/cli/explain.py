"""``tagpool explain``."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from tagpool import _native
from tagpool.cli.console import ColumnsOption, EncodingOption, FormatOption, JsonOption, output, print_json
from tagpool.corpus.corpus import WORD, Corpus
from tagpool.corpus.files import read_bytes, source_name
from tagpool.corpus.formats import Format, format_of, read_corpus
from tagpool.corpus.text import tokenize
from tagpool.errors import InputError
from tagpool.experts.inducing.explanation import ScoredToken, explain_scores
from tagpool.experts.inducing.tagger import InducingTagger
from tagpool.experts.inside.explanation import TokenExplanation
from tagpool.experts.inside.explanation import explain as explain_sentence
from tagpool.experts.linear.expert import Expert
from tagpool.experts.tagger import Tagger
from tagpool.pools.elitist.pool import ElitistPool
from tagpool.pools.member_votes import TokenVotes, votes
from tagpool.pools.pool import Pool
from tagpool.pools.two_stage.tagger import TwoStageTagger
from tagpool.tagging.columns import guessed_columns
from tagpool.tagging.models import columns_of, experts_in, fastest, load_model

_INDENT = "      "
_MOST_NAMED = 6


def explain(
    model: Annotated[Path, typer.Argument(help="A model, as tagpool train writes it.")],
    text: Annotated[str | None, typer.Argument(metavar="SENTENCE", help="The sentence.")] = None,
    file: Annotated[Path | None, typer.Option(help="Take the sentence from this file instead; - is standard input.")] = None,
    sentence: Annotated[int, typer.Option(min=1, help="For --file: the number of the sentence.")] = 1,
    token: Annotated[int | None, typer.Option(min=1, help="Only the token of this number.")] = None,
    top: Annotated[int, typer.Option(min=0, help="How many features a token.")] = 8,
    columns: ColumnsOption = None,
    separator: Annotated[str, typer.Option(help="What stands between the columns of a token of SENTENCE.")] = "/",
    format: FormatOption = None,  # noqa: A002 - the option's name
    encoding: EncodingOption = "utf-8",
    json: JsonOption = False,
) -> None:
    """Show which features decided the labels of a sentence, and what would have to be missing for each to change.

    Beside a feature stands what it adds to the lead of the label over the runner-up. Of a pool also the votes are shown: each
    member's share, and the label it would give by itself. A model that looks at more than words takes tokens with their
    columns: word/pos, named by --columns.

    \b
    Examples:
      tagpool explain ner.tagpool "Ann Smith moved to Oslo."
      tagpool explain pool.tagpool "Ann Smith moved to Oslo." --top 0
      tagpool explain chunker.tagpool "the/DT cat/NN" --columns word,pos
      tagpool explain ner.tagpool --file test.conll --sentence 3 --token 2
    """
    if (text is None) == (file is None):
        raise InputError("expected a sentence, or a file with --file, and not both")
    tagger = load_model(model, templates=True)
    if text is not None:
        corpus = _sentence(columns_of(tagger), text, columns, separator)
    else:
        corpus = _read(tagger, file or Path(), columns, format, encoding)
        if sentence > len(corpus):
            raise InputError(f"--sentence {sentence}: there are {len(corpus)} sentences", source=file)
    found = _explained(tagger, corpus, 0 if file is None else sentence - 1)
    if token is not None and token > len(found):
        raise InputError(f"--token {token}: the sentence has {len(found)} tokens")
    chosen = [(number, each) for number, each in enumerate(found, 1) if token in (None, number)]
    if json:
        print_json({"tokens": [{"number": number} | _as_json(*each) for number, each in chosen]})
        return
    for number, (voted, one) in chosen:
        _show_label(number, voted, one)
        if voted is not None:
            _show_votes(voted)
        if one is not None:
            _show_features(one, top)


def _explained(
    tagger: Tagger | Pool, corpus: Corpus, sentence: int
) -> list[tuple[TokenVotes | None, TokenExplanation | ScoredToken | None]]:
    """What there is to say of each token: the votes of a pool, and the features of whatever is one expert."""
    count = len(corpus[sentence])
    voted: list[TokenVotes | None] = [None] * count
    if isinstance(tagger, (Pool, ElitistPool)):
        voted[:] = votes(tagger, corpus, sentence)
    single = fastest(tagger)
    if isinstance(tagger, TwoStageTagger):
        single, corpus = tagger.second_, tagger.staged(corpus)
    told: list[TokenExplanation | ScoredToken | None] = [None] * count
    if isinstance(single, InducingTagger):
        told[:] = explain_scores(single, corpus, sentence)
    elif isinstance(single, Expert):
        told[:] = explain_sentence(single, corpus, sentence)
    return list(zip(voted, told, strict=True))


def _as_json(voted: TokenVotes | None, one: TokenExplanation | ScoredToken | None) -> dict[str, Any]:
    return ({} if voted is None else asdict(voted)) | ({} if one is None else asdict(one))


# The sentence ------------------------------------------------------------------------------------------------------------


def _sentence(needs: tuple[str, ...], text: str, columns: str | None, separator: str) -> Corpus:
    if columns is None:
        if set(needs) <= {WORD}:
            words = [token.text for token in tokenize(text)]
            if not words:
                raise InputError("expected a sentence, got nothing but blanks")
            return Corpus.from_lists(word=[words])
        raise InputError(
            f"the model looks at the columns {', '.join(needs)}: give tokens with their columns, such as "
            f"'the/DT cat/NN' --columns word,pos, or a sentence of a file with --file"
        )
    names = [name.strip() for name in columns.split(",")]
    rows = []
    for number, token in enumerate(text.split(), 1):
        row = token.rsplit(separator, len(names) - 1) if separator else [token]
        if len(row) != len(names) or not all(row):
            raise InputError(f"token {number}: expected {separator.join(names)}, got {token!r}")
        rows.append(row)
    if not rows:
        raise InputError("expected a sentence, got nothing but blanks")
    return Corpus.from_columns({name: [list(column)] for name, column in zip(names, zip(*rows, strict=True), strict=True)})


def _read(tagger: Tagger | Pool, file: Path, columns: str | None, kind: Format | None, encoding: str) -> Corpus:
    names = columns
    if columns is None and (kind or format_of(file)) is Format.CONLL:
        count = _native.count_columns(read_bytes(file, encoding=encoding), False)
        if count:
            trained = experts_in(tagger)[0].summary_
            names = ",".join(guessed_columns(count, columns_of(tagger), trained, source_name(file)))
    return read_corpus(file, columns=names, format=kind, encoding=encoding)


# Showing -----------------------------------------------------------------------------------------------------------------


def _show_label(number: int, voted: TokenVotes | None, one: TokenExplanation | ScoredToken | None) -> None:
    shown = one or voted
    assert shown is not None
    if isinstance(shown, ScoredToken):
        told = f"  (next: {shown.runner_up}, behind by {shown.lead:.3f})"
    else:
        told = f" {shown.probability:.1%}"
        if isinstance(one, TokenExplanation):
            told += f"  (next: {one.runner_up} {one.runner_up_probability:.1%})"
    output.print(
        f"{number:>3}. {shown.word}  {shown.label}{told}",
        style="bold",
        highlight=False,
        markup=False,
    )


def _show_votes(voted: TokenVotes) -> None:
    width = max(len(vote.member) for vote in voted.votes)
    for vote in voted.votes:
        line = f"{_INDENT}{vote.share:8.3f}  {vote.member:<{width}}  {vote.label} {vote.probability:.1%}"
        output.print(line, highlight=False, markup=False)


def _show_features(one: TokenExplanation | ScoredToken, top: int) -> None:
    rows = [(each.difference, each.feature) for each in one.contributions[:top]]
    rest = sum(each.difference for each in one.contributions[top:])
    if len(one.contributions) > top:
        rows.append((rest, f"({len(one.contributions) - top} more features)"))
    if isinstance(one, TokenExplanation) and one.transitions is not None:
        rows.append((one.transitions, "(the labels beside it)"))
    for difference, name in rows:
        output.print(f"{_INDENT}{difference:+8.3f}  {name}", highlight=False, markup=False)
    if isinstance(one, ScoredToken):
        return
    if one.transitions is None:
        verdict = "no other label can stand here"
    elif one.decisive is None:
        verdict = "no feature of its own is decisive: the labels beside it are enough"
    else:
        named = [*one.decisive[:_MOST_NAMED], *([f"{more} more"] if (more := len(one.decisive) - _MOST_NAMED) > 0 else [])]
        verdict = f"it would be {one.instead} without {', '.join(named)}"
    unknown = one.feature_count - len(one.contributions)
    known = f"  ({unknown} of its {one.feature_count} features have no weight)" if unknown else ""
    output.print(f"{_INDENT}{verdict}{known}", highlight=False, markup=False)
