"""``tagpool score``."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

import typer

from tagpool.cli.console import notes, output, print_json, print_table
from tagpool.cli.inputs import expand_files, is_model, read_files
from tagpool.cli.options import ColumnsOption, EncodingOption, FormatOption, JsonOption, LabelOption
from tagpool.cli.percent import in_percent
from tagpool.corpus.concatenation import concatenate
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.files import source_name
from tagpool.corpus.formats import Format, format_of, read_labelled
from tagpool.corpus.schemes import detect
from tagpool.errors import InputError
from tagpool.evaluation.alignment import check_lengths
from tagpool.evaluation.breakdown import confusion, edit_distance, hamming, vocabulary_breakdown, vocabulary_of
from tagpool.evaluation.partial_matches import partial_scores
from tagpool.evaluation.scores import Score
from tagpool.evaluation.scores import score as score_labels
from tagpool.evaluation.significance import mcnemar, paired_bootstrap
from tagpool.evaluation.span_confusion import span_confusion
from tagpool.evaluation.unseen import describe_unseen
from tagpool.visible import one_line
from tagpool.wording import counted

Labels = list[list[str]]


def score(
    gold: Annotated[
        str,
        typer.Argument(
            help="Gold labels: file, folder or pattern. Without PREDICTED, the last two columns are gold and predicted."
        ),
    ],
    predicted: Annotated[str | None, typer.Argument(help="Predicted labels: file, folder or pattern.")] = None,
    compare: Annotated[
        str | None, typer.Option(metavar="FILE", help="Predictions of another system, for a significance test.")
    ] = None,
    train: Annotated[
        str | None, typer.Option(metavar="FILE", help="Training data, for scores of known and unknown words.")
    ] = None,
    plain: Annotated[bool, typer.Option("--plain", help="Score tokens instead of chunks.")] = False,
    partial: Annotated[bool, typer.Option("--partial", help="Score partial matches of spans, too (SemEval-2013).")] = False,
    confused: Annotated[int, typer.Option(min=0, help="Number of most confused labels and spans to show.")] = 0,
    columns: ColumnsOption = None,
    label: LabelOption = None,
    format: FormatOption = None,  # noqa: A002 - the option's name
    encoding: EncodingOption = "utf-8",
    draws: Annotated[int, typer.Option(min=100, max=1_000_000, help="Number of bootstrap draws.")] = 10_000,
    seed: Annotated[int, typer.Option(min=0, help="Random seed of the bootstrap.")] = 1,
    json: JsonOption = False,
) -> None:
    """Score predicted labels as conlleval does.

    All rates are percentages with 95% confidence intervals. Without --columns, the last column of a CoNLL file has the labels.

    \b
    Examples:
      tagpool score test.conll predicted.conll
      tagpool score gold/ predicted/        (files in the order of their names)
      tagpool score both.conll              (last two columns: gold, predicted)
      tagpool score test.conll new.conll --compare old.conll --train train.conll
    """
    _refuse_models(gold, predicted)
    reader = _Reader(columns, label, format, encoding)
    pair = reader.pair(gold, predicted)
    options: dict[str, Any] = {"plain": plain or None, "draws": draws, "seed": seed}
    result = score_labels(pair.gold, pair.predicted, **options)
    report = in_percent(result.to_dict(), (), scale=True) | {
        "scheme": "tokens, as they are" if plain else detect(pair.gold).description,
        "hamming": hamming(pair.gold, pair.predicted).by_token,
        "edit_distance": edit_distance(pair.gold, pair.predicted).normalised,
    }
    if compare is not None:
        report["compare"] = _compare(pair, reader.other_predictions(gold, predicted, compare, pair), options)
    if train is not None:
        report |= _by_vocabulary(pair, reader, source_name(gold), train, plain=plain or None)
    if partial:
        scores = partial_scores(pair.gold, pair.predicted)
        report["partial"] = {scheme: in_percent(vars(one), (), scale=True) for scheme, one in scores.items()}
    if not result.plain:
        report |= _confuse_spans(pair, confused)
    if confused:
        report["confused"] = [list(row) for row in confusion(pair.gold, pair.predicted).most_confused(confused)]
    print_json(report) if json else _show(result, report, source_name(compare or ""))


def _refuse_models(*files: str | None) -> None:
    for name in files:
        if name is not None and is_model(name):
            sentences = next((other for other in files if other not in (None, name)), "GOLD")
            advice = f"tagpool tag {name} {sentences} -o predicted; tagpool score {sentences} predicted"
            raise InputError(f"expected labels, got a model; label the sentences first: {advice}", source=name)


@dataclass
class _Pair:
    gold: Labels
    predicted: Labels
    words: Labels | None


@dataclass
class _Reader:
    columns: str | None
    label: str | None
    format: Format | None
    encoding: str

    def pair(self, gold: str, predicted: str | None) -> _Pair:
        """Read gold and predicted labels from two files (or folders), or from the last two columns of one."""
        if predicted is None:
            for option, value in (("--columns", self.columns), ("--label", self.label)):
                if value is not None:
                    message = f"{option} {value} is for two files; the last two columns of one file are gold and predicted"
                    raise InputError(f"{message}; drop it, or give a second file", source=gold)
            corpus = read_files(gold, self._both)
            _check_columns(corpus)
            return _Pair(corpus.column("gold"), corpus.labels, corpus.words if corpus.columns[0] != "gold" else None)
        names = [expand_files(gold), expand_files(predicted)]
        if len(names[0]) != len(names[1]) and min(map(len, names)) > 1:
            raise InputError(
                f"expected {counted(len(names[0]), 'file')}, as {gold} has, got {len(names[1])}; "
                "the files of both are compared in the order of their names",
                source=predicted,
            )
        first, second = ([self.corpus(path) for path in paths] for paths in names)
        if len(first) != len(second):  # one file has the sentences of all
            first, second = [concatenate(first)], [concatenate(second)]
        for one, other in zip(first, second, strict=True):
            try:
                check_lengths(one.labels, other.labels)
            except InputError as error:
                raise InputError(str(error), source=other.source) from None
            _check_same_text(one, other)
        corpus = concatenate(first)
        return _Pair(corpus.labels, concatenate(second).labels, corpus.words)

    def _both(self, path: str) -> Corpus:
        if (self.format or format_of(path)) is not Format.CONLL:
            raise InputError("one file must be a CoNLL file, whose last two columns are gold and predicted; else give two files")
        return read_labelled(path, format=Format.CONLL, encoding=self.encoding, last=("gold", "predicted"))

    def corpus(self, name: str) -> Corpus:
        """Read labelled sentences; without names, a CoNLL file's first column is the word and its last the label."""
        options: dict[str, Any] = {"columns": self.columns, "label": self.label, "format": self.format}
        return read_files(name, partial(read_labelled, encoding=self.encoding, **options))

    def other_predictions(self, gold: str, predicted: str | None, compare: str, pair: _Pair) -> Labels:
        """Read the predictions of another system, from a file of the same kind."""
        if predicted is not None:
            return self.pair(gold, compare).predicted
        other = self.pair(compare, None)
        if other.gold != pair.gold:
            raise InputError("the gold labels differ from those of the first file", source=source_name(compare))
        return other.predicted


def _check_columns(corpus: Corpus) -> None:
    """Raise an error if two columns are words and labels; print a note if the last two of more have no label in common."""
    gold, predicted = (set(corpus.strings(name)) - {"O"} for name in ("gold", "predicted"))
    common = len(gold & predicted)
    # A text has more words than labels, and some of its labels are not words. Words and tags may share punctuation marks.
    has_tags = any(text.startswith(("B-", "I-")) for text in gold)
    if corpus.columns[0] == "gold" and not has_tags and 5 * common < len(gold) > len(predicted) and predicted - gold:
        raise InputError(
            "the file has two columns, which look like words and labels; the predicted labels are missing: add them as a last "
            "column, or give a second file",
            source=corpus.source,
        )
    if gold and predicted and not common:
        notes.print_line("note: the last two columns have no label in common; are they gold and predicted? Else give two files.")


def _check_same_text(gold: Corpus, predicted: Corpus) -> None:
    """Print a note if the words differ; the scorer checks lengths."""
    for number, (first, second) in enumerate(zip(gold.words, predicted.words, strict=False), 1):
        if len(first) == len(second) and first != second:
            place = next(i for i, (a, b) in enumerate(zip(first, second, strict=True)) if a != b)
            notes.print_line(
                f"note: sentence {number}, token {place + 1}: gold has {first[place]!r}, the prediction {second[place]!r}; "
                "are these the same sentences?"
            )
            return


def _confuse_spans(pair: _Pair, confused: int) -> dict[str, Any]:
    spans = span_confusion(pair.gold, pair.predicted)
    most = {"confused_spans": [list(row) for row in spans.most_confused(confused)]} if confused else {}
    return {"span_confusion": [list(row) for row in spans.rows()]} | most


def _by_vocabulary(pair: _Pair, reader: _Reader, source: str, train: str, *, plain: bool | None) -> dict[str, Any]:
    """Return the scores of words that the training data has, and of the others."""
    if pair.words is None:
        raise InputError("--train needs words, and the file has no column of words", source=source)
    known_from = reader.corpus(train)
    if note := describe_unseen(pair.gold, {label for row in known_from.labels for label in row}, source, train):
        notes.print_line(f"note: {note}")
    known = vocabulary_breakdown(pair.words, pair.gold, pair.predicted, vocabulary_of(known_from.words), plain=plain)
    parts = {"known_words": known.in_vocabulary, "unknown_words": known.out_of_vocabulary}
    return {name: in_percent(vars(part), (), scale=True) for name, part in parts.items()}


def _compare(pair: _Pair, other: Labels, options: dict[str, Any]) -> dict[str, Any]:
    bootstrap = paired_bootstrap(pair.gold, other, pair.predicted, **options)
    tokens = mcnemar(pair.gold, other, pair.predicted)
    return {
        "f1": 100 * bootstrap.first,
        "difference": 100 * bootstrap.difference,
        "interval": [100 * end for end in bootstrap.interval],
        "p_bootstrap": bootstrap.p_value,
        "p_mcnemar": tokens.p_value,
        "right_only_here": tokens.second_only,
        "right_only_there": tokens.first_only,
    }


def _show(result: Score, report: dict[str, Any], compared: str) -> None:
    noun = "token" if result.plain else "chunk"
    output.print(
        f"{counted(result.sentences, 'sentence')}, {counted(result.tokens, 'token')}, labels: {report['scheme']}\n"
        f"{counted(result.gold, f'gold {noun}')}, {result.predicted:,} predicted, {result.correct:,} correct\n"
    )
    metrics = ("accuracy",) if result.only_accuracy else ("precision", "recall", "f1", "accuracy")
    intervals = {metric: " – ".join(f"{end:.2f}" for end in report["intervals"][metric]) for metric in metrics}
    print_table(["", "%", "95% interval"], [[metric, f"{report[metric]:.2f}", intervals[metric]] for metric in metrics])
    output.print(f"hamming loss {report['hamming']:.4f}, edit distance {report['edit_distance']:.4f} per token\n")
    rates, counts = ("precision", "recall", "f1"), ("gold", "predicted")
    rows = [[kind or "(none)", *_cells(one, rates, counts)] for kind, one in report["types"].items()]
    print_table(["label" if result.plain else "type", *rates, *counts], rows)
    if "known_words" in report:
        output.print()
        rows = [
            [name + " words", *_cells(report[f"{name}_words"], (*rates, "accuracy"), ("tokens",))]
            for name in ("known", "unknown")
        ]
        print_table(["token level", *rates, "accuracy", "tokens"], rows)
    if "partial" in report:
        output.print()
        matches = ("correct", "partial", "incorrect", "missed", "spurious")
        rows = [[scheme, *_cells(one, rates, matches)] for scheme, one in report["partial"].items()]
        print_table(["match", *rates, *matches], rows)
    if report.get("confused"):
        output.print()
        print_table(["gold", "predicted", "tokens"], report["confused"], left=2, title="most confused")
    if report.get("confused_spans"):
        output.print()
        rows = [[gold or "(spurious)", predicted or "(missed)", count] for gold, predicted, count in report["confused_spans"]]
        print_table(["gold span", "predicted", "spans"], rows, left=2, title="most confused spans")
    if "compare" in report:
        _show_comparison(report["compare"], compared, "accuracy" if result.only_accuracy else "F1")


def _cells(scores: dict[str, Any], rates: tuple[str, ...], counts: tuple[str, ...]) -> list[str]:
    return [f"{scores[name]:.2f}" for name in rates] + [f"{scores[name]:,}" for name in counts]


def _show_comparison(other: dict[str, Any], name: str, metric: str) -> None:
    low, high = other["interval"]
    significant = "significant" if other["p_bootstrap"] < 0.05 else "not significant"
    output.print(
        f"\nagainst {one_line(name)} ({metric} {other['f1']:.2f}): {other['difference']:+.2f} {metric}, "
        f"95% interval {low:+.2f} – {high:+.2f}, p = {other['p_bootstrap']:.4f} (paired bootstrap): {significant} at 5%\n"
        f"tokens right only here {other['right_only_here']:,}, only there {other['right_only_there']:,}, "
        f"p = {other['p_mcnemar']:.4g} (McNemar)"
    )
