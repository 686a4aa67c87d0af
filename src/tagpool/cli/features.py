"""``tagpool features``."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import Annotated, Any

import typer

from tagpool.cli.console import output, print_json, print_table, print_text
from tagpool.cli.inputs import read_files
from tagpool.cli.options import ColumnsOption, EncodingOption, FormatOption, JsonOption, UseOption, parse_uses
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.formats import read_corpus
from tagpool.errors import InputError
from tagpool.features.encoded import EncodedCorpus
from tagpool.features.encoder import Encoder
from tagpool.features.functions import FUNCTIONS
from tagpool.features.presets import load_templates, preset_names, preset_text
from tagpool.wording import counted


def features(
    files: Annotated[
        list[str] | None, typer.Argument(metavar="FILE", help="Corpus whose tokens are shown: files, folders or patterns.")
    ] = None,
    templates: Annotated[
        str | None, typer.Option("--features", help="Templates: a preset, a file (also of CRF++), or the text itself.")
    ] = None,
    use: UseOption = None,
    without: Annotated[list[str] | None, typer.Option(help="Leave out templates that need this resource.")] = None,
    bag: Annotated[list[str] | None, typer.Option(help="Only the shared base and this bag (repeatable).")] = None,
    first: Annotated[int, typer.Option(min=1, help="Number of the first sentence.")] = 1,
    count: Annotated[int, typer.Option(min=1, help="Number of sentences.")] = 1,
    summary: Annotated[bool, typer.Option("--summary", help="Count features by template in the whole file.")] = False,
    min_count: Annotated[int, typer.Option(min=1, help="For --summary: ignore features that occur fewer times.")] = 1,
    preset: Annotated[str | None, typer.Option(help="Print a preset, to start a template file from.")] = None,
    columns: ColumnsOption = None,
    format: FormatOption = None,  # noqa: A002 - the option's name
    encoding: EncodingOption = "utf-8",
    json: JsonOption = False,
) -> None:
    """Show the features of tokens.

    Without a file, the command lists the presets and the functions of templates.

    \b
    Examples:
      tagpool features train.conll --columns word,pos,label --features chunk
      tagpool features train.conll --features 'shape[-1..1]' --count 3
      tagpool features train.conll --features ner-bagging --use lexicons=lists/ --summary
      tagpool features
      tagpool features --preset ner > mine.txt
    """
    if preset is not None:
        text = preset_text(preset)
        print_json({"name": preset, "text": text}) if json else print_text(text)
        return
    if not files and templates is None:
        _list_presets_and_functions(json)
        return
    if not files or templates is None:
        raise InputError("expected a file and --features; without both, the command lists presets and functions")
    corpus = read_files(files, partial(read_corpus, columns=columns, format=format, encoding=encoding))
    chosen = everything = load_templates(templates)
    if without:
        chosen = chosen.without(*without)
    if bag:
        chosen = chosen.restrict(*bag)
    # Resources of templates that are left out are allowed.
    left_out = everything.resources.keys() - chosen.resources.keys()
    resources = {name: path for name, path in parse_uses(use).items() if name not in left_out}
    encoder = Encoder(chosen, resources=resources, min_count=min_count, history=True)
    if summary:
        _summarise(encoder, corpus, json)
        return
    if first > len(corpus):
        raise InputError(f"--first {first}: expected 1 to {len(corpus):,}, the number of sentences", source=", ".join(files))
    _show_sentences(encoder, corpus, range(first - 1, min(first - 1 + count, len(corpus))), json)


def _list_presets_and_functions(json: bool) -> None:
    presets = {name: load_templates(name) for name in preset_names()}
    functions = [[function.name, function.example, function.summary] for function in FUNCTIONS.values()]
    if json:
        print_json(
            {
                "presets": {name: {"bags": list(one.bags), "resources": list(one.resources)} for name, one in presets.items()},
                "functions": {name: {"example": example, "meaning": meaning} for name, example, meaning in functions},
            }
        )
        return
    rows = [
        [name, preset_text(name).splitlines()[0].lstrip("# "), ", ".join(one.bags), ", ".join(one.resources)]
        for name, one in presets.items()
    ]
    print_table(["preset", "purpose", "bags", "resources"], rows, left=4, fold=True)
    output.print()
    history = ["label[-1]", "a previous label, for learners that use them"]
    print_table(["function", "meaning"], [*(row[1:] for row in functions), history], left=2, fold=True)


def _show_sentences(encoder: Encoder, corpus: Corpus, numbers: range, json: bool) -> None:
    encoded = encoder.fit_transform(corpus[numbers.start : numbers.stop])
    for place, number in enumerate(numbers):
        # Features are computed from the whole corpus: some templates read the document.
        rows = zip(corpus[number].words, encoder.describe(corpus, number), _vectors(encoded, place), strict=True)
        if json:
            tokens: list[dict[str, Any]] = [
                {"word": word, "features": [list(feature) for feature in names]} | ({"dense": dense} if encoded.dense else {})
                for word, names, dense in rows
            ]
            print_json({"sentence": number + 1, "tokens": tokens})
            continue
        output.print(f"sentence {number + 1}", style="bold")
        for word, names, dense in rows:
            output.print_line(f"  {word}", style="bold")
            by_template: dict[str, list[str]] = {}
            for name, value in names:
                template, _, text = name.partition("=")
                by_template.setdefault(template, []).append(text if value == 1 else f"{text} ({value:g})")
            for template, texts in by_template.items():
                output.print_line(f"    {template} = {'  '.join(texts)}")
            for key, vector in dense.items():
                start = " ".join(f"{value:g}" for value in vector[:4])
                output.print_line(f"    {key} = {start} ... ({counted(len(vector), 'number')})")
    if not json and encoder.history_names:
        later = sorted({name.split("=")[0] for name in encoder.history_names})
        output.print(f"\ncombined with previous labels when tagging: {', '.join(later)}")


def _vectors(encoded: EncodedCorpus, number: int) -> list[dict[str, list[float]]]:
    """Return the embeddings of each token of a sentence by template, for words that have one."""
    begin, end = encoded.sentences[number : number + 2].tolist()
    vectors: list[dict[str, list[float]]] = [{} for _ in range(begin, end)]
    for block in encoded.dense:
        for token in range(max(begin, begin - block.offset), min(end, end - block.offset)):
            row = int(block.rows[token + block.offset])
            if row >= 0:
                vectors[token - begin][block.key] = [round(float(value), 4) for value in block.vectors[row]]
    return vectors


def _summarise(encoder: Encoder, corpus: Corpus, json: bool) -> None:
    encoded = encoder.fit_transform(corpus)
    distinct: Counter[str] = Counter()
    occurrences: Counter[str] = Counter()
    for template, count in zip(encoder.feature_templates, encoder.feature_counts.tolist(), strict=True):
        distinct[template.key] += 1
        occurrences[template.key] += count
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
        f"{counted(len(corpus), 'sentence')}, {counted(corpus.token_count, 'token')}, "
        f"{counted(encoder.feature_count, 'feature')}, "
        f"{counted(encoded.occurrence_count, 'occurrence')} ({encoded.occurrence_count / corpus.token_count:.1f} per token)\n"
    )
    rows = [[key, f"{count:,}", f"{occurrences[key]:,}"] for key, count in distinct.most_common()]
    for block in encoded.dense:
        covered = float((block.rows >= 0).mean())
        rows.append([block.key, f"{block.vectors.shape[1]:,}", f"dense, {covered:.1%} of tokens"])
    print_table(["template", "features", "occurrences"], rows)
