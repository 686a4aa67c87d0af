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
from tagpool.cli.presets import list_functions, list_presets, print_preset
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.formats import read_corpus
from tagpool.errors import InputError
from tagpool.features.encoded import EncodedCorpus
from tagpool.features.encoder import Encoder
from tagpool.features.presets import load_templates


def features(
    file: Annotated[Path | None, typer.Argument(help="Corpus whose tokens are shown.")] = None,
    templates: Annotated[
        str | None, typer.Option("--features", help="Templates: a preset, a file (also of CRF++), or the text itself.")
    ] = None,
    use: Annotated[list[str] | None, typer.Option(help="NAME=PATH of a resource (repeatable).")] = None,
    without: Annotated[list[str] | None, typer.Option(help="Leave out templates that need this resource.")] = None,
    bag: Annotated[list[str] | None, typer.Option(help="Only the shared base and this bag (repeatable).")] = None,
    first: Annotated[int, typer.Option(min=1, help="Number of the first sentence.")] = 1,
    count: Annotated[int, typer.Option(min=1, help="Number of sentences.")] = 1,
    summary: Annotated[bool, typer.Option("--summary", help="Count features by template in the whole file.")] = False,
    min_count: Annotated[int, typer.Option(min=1, help="For --summary: ignore features that occur fewer times.")] = 1,
    list_: Annotated[bool, typer.Option("--list", help="List the presets.")] = False,
    preset: Annotated[str | None, typer.Option(help="Print a preset, to start a template file from.")] = None,
    functions: Annotated[bool, typer.Option("--functions", help="List the functions of templates.")] = False,
    columns: ColumnsOption = None,
    label: LabelOption = None,
    format: FormatOption = None,  # noqa: A002 - the option's name
    encoding: EncodingOption = "utf-8",
    json: JsonOption = False,
) -> None:
    """Show the features of tokens; list presets and functions.

    \b
    Examples:
      tagpool features train.conll --columns word,pos,label --features chunk
      tagpool features train.conll --features 'shape[-1..1]' --count 3
      tagpool features train.conll --features ner-bagging --use lexicons=lists/ --summary
      tagpool features --list
      tagpool features --preset ner > mine.txt
    """
    if list_ or functions or preset is not None:
        list_functions(json) if functions else list_presets(json) if preset is None else print_preset(preset, json)
        return
    if file is None or templates is None:
        raise InputError("expected a file and --features, or one of --list, --preset and --functions")
    corpus = read_corpus(file, columns=columns, label=label, format=format, encoding=encoding)
    chosen = everything = load_templates(templates)
    if without:
        chosen = chosen.without(*without)
    if bag:
        chosen = chosen.restrict(*bag)
    # Resources of templates that are left out are allowed.
    left_out = everything.resources.keys() - chosen.resources.keys()
    resources = {name: path for name, path in parse_uses(use or []).items() if name not in left_out}
    encoder = Encoder(chosen, resources=resources, min_count=min_count, history=True)
    if summary:
        _summary(encoder, corpus, json)
        return
    if first > len(corpus):
        raise InputError(f"--first {first}: there are {len(corpus)} sentences", source=file)
    shown = corpus[first - 1 : first - 1 + count]
    encoded = encoder.fit_transform(shown)
    for number in range(len(shown)):
        # Features are made from the whole corpus: some templates read the document.
        described = encoder.describe(corpus, first - 1 + number)
        _show_sentence(described, encoded, shown[number].words, number, first + number, json)
    if not json and encoder.history_names:
        later = sorted({name.split("=")[0] for name in encoder.history_names})
        output.print(f"\ncombined with previous labels when tagging: {', '.join(later)}", highlight=False, markup=False)


def _vectors(encoded: EncodedCorpus, number: int) -> list[dict[str, list[float]]]:
    """The embeddings of each token of a sentence by template, for words that have one."""
    begin, end = encoded.sentences[number : number + 2].tolist()
    vectors: list[dict[str, list[float]]] = [{} for _ in range(begin, end)]
    for block in encoded.dense:
        for token in range(max(begin, begin - block.offset), min(end, end - block.offset)):
            row = int(block.rows[token + block.offset])
            if row >= 0:
                vectors[token - begin][block.key] = [round(float(value), 4) for value in block.vectors[row]]
    return vectors


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
        f"{encoded.occurrence_count:,} occurrences ({encoded.occurrence_count / corpus.token_count:.1f} per token)\n",
        highlight=False,
    )
    rows = [[key, f"{count:,}", f"{occurrences[key]:,}"] for key, count in distinct.most_common()]
    for block in encoded.dense:
        covered = float((block.rows >= 0).mean())
        rows.append([block.key, f"{block.vectors.shape[1]:,}", f"dense, {covered:.1%} of tokens"])
    print_table(table(["template", "features", "occurrences"], rows))
