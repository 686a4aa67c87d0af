"""``tagpool features``."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer

from tagpool.cli.console import (
    ColumnsOption,
    EncodingOption,
    FormatOption,
    JsonOption,
    LabelOption,
    output,
    parse_uses,
    print_features,
    print_json,
    print_table,
    table,
)
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.formats import read_corpus
from tagpool.errors import InputError
from tagpool.features.encoded import EncodedCorpus
from tagpool.features.encoder import Encoder
from tagpool.features.presets import load_templates


def features(
    file: Annotated[Path, typer.Argument(help="The file whose tokens are shown.")],
    templates: Annotated[
        str, typer.Option("--features", help="A template file (ours or CRF++'s), a preset, or the text itself.")
    ],
    use: Annotated[list[str] | None, typer.Option(help="NAME=PATH: the file or folder of a resource the templates name.")] = None,
    without: Annotated[list[str] | None, typer.Option(help="NAME: leave out the templates that need this resource.")] = None,
    bag: Annotated[list[str] | None, typer.Option(help="Only the shared base and this bag.")] = None,
    first: Annotated[int, typer.Option(min=1, help="The first sentence shown.")] = 1,
    count: Annotated[int, typer.Option(min=1, help="How many sentences are shown.")] = 1,
    summary: Annotated[bool, typer.Option("--summary", help="Count features by template over the whole file instead.")] = False,
    min_count: Annotated[int, typer.Option(min=1, help="For --summary: features met fewer times are left out.")] = 1,
    columns: ColumnsOption = None,
    label: LabelOption = None,
    format: FormatOption = None,  # noqa: A002 - the option's name
    encoding: EncodingOption = "utf-8",
    json: JsonOption = False,
) -> None:
    """Show the features that templates make of the tokens of a file.

    \b
    Examples:
      tagpool features train.conll --columns word,pos,label --features chunk
      tagpool features train.conll --features 'shape[-1..1]' --count 3
      tagpool features train.conll --features ner-bagging --use lexicons=lists/ --summary
    """
    corpus = read_corpus(file, columns=columns, label=label, format=format, encoding=encoding)
    chosen = everything = load_templates(templates)
    if without:
        chosen = chosen.without(*without)
    if bag:
        chosen = chosen.restrict(*bag)
    # A resource of templates that were left out is no mistake.
    left_out = everything.resources.keys() - chosen.resources.keys()
    given = {name: path for name, path in parse_uses(use or []).items() if name not in left_out}
    encoder = Encoder(chosen, resources=given, min_count=min_count, history=True)
    if summary:
        _summary(encoder, corpus, json)
        return
    if first > len(corpus):
        raise InputError(f"--first {first}: there are {len(corpus)} sentences", source=file)
    shown = corpus[first - 1 : first - 1 + count]
    encoded = encoder.fit_transform(shown)
    for number in range(len(shown)):
        # From the whole corpus, for templates that look at a document.
        described = encoder.describe(corpus, first - 1 + number)
        _show_sentence(described, encoded, shown[number].words, number, first + number, json)
    if not json and encoder.history_names:
        later = sorted({name.split("=")[0] for name in encoder.history_names})
        output.print(f"\ncombined with previous labels when tagging: {', '.join(later)}", highlight=False, markup=False)


def _vectors(encoded: EncodedCorpus, number: int) -> list[dict[str, list[float]]]:
    """The embeddings of each token of a sentence, by template; those of words that have one."""
    begin, end = encoded.sentences[number : number + 2].tolist()
    found: list[dict[str, list[float]]] = [{} for _ in range(begin, end)]
    for block in encoded.dense:
        for token in range(max(begin, begin - block.offset), min(end, end - block.offset)):
            row = int(block.rows[token + block.offset])
            if row >= 0:
                found[token - begin][block.key] = [round(float(value), 4) for value in block.vectors[row]]
    return found


def _show_sentence(
    described: list[list[tuple[str, float]]],
    encoded: EncodedCorpus,
    words: list[str],
    number: int,
    shown_number: int,
    json: bool,
) -> None:
    vectors = _vectors(encoded, number)
    if json:
        tokens: list[dict[str, Any]] = []
        for word, row, dense in zip(words, described, vectors, strict=True):
            tokens.append({"word": word, "features": [list(pair) for pair in row]} | ({"dense": dense} if encoded.dense else {}))
        print_json({"sentence": shown_number, "tokens": tokens})
        return
    output.print(f"sentence {shown_number}", style="bold", highlight=False)
    for word, row, dense in zip(words, described, vectors, strict=True):
        output.print(f"  {word}", style="bold", highlight=False, markup=False)
        print_features(row)
        for key, vector in dense.items():
            start = " ".join(f"{value:g}" for value in vector[:4])
            output.print(f"    {key} = {start} ... ({len(vector)} numbers)", highlight=False, markup=False)


def _summary(encoder: Encoder, corpus: Corpus, json: bool) -> None:
    encoded = encoder.fit_transform(corpus)
    distinct: Counter[str] = Counter()
    occurrences: Counter[str] = Counter()
    for template, met in zip(encoder.feature_templates, encoder.feature_counts.tolist(), strict=True):
        distinct[template.key] += 1
        occurrences[template.key] += met
    if json:
        print_json(
            {
                "sentences": len(corpus),
                "tokens": corpus.token_count,
                "features": encoder.feature_count,
                "occurrences": encoded.occurrence_count,
                "templates": {key: {"features": distinct[key], "occurrences": occurrences[key]} for key in distinct},
                "labels": list(encoder.labels_),
            }
        )
        return
    output.print(
        f"{len(corpus):,} sentences, {corpus.token_count:,} tokens, {encoder.feature_count:,} features, "
        f"{encoded.occurrence_count:,} occurrences ({encoded.occurrence_count / corpus.token_count:.1f} a token)\n",
        highlight=False,
    )
    rows = [[key, f"{count:,}", f"{occurrences[key]:,}"] for key, count in distinct.most_common()]
    for block in encoded.dense:
        covered = float((block.rows >= 0).mean())
        rows.append([block.key, f"{block.vectors.shape[1]:,}", f"dense, {covered:.1%} of tokens"])
    print_table(table(["template", "features", "occurrences"], rows))
