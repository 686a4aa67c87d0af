"""``tagpool audit``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from tagpool.auditing.audit import audit as audit_tagger
from tagpool.cli.auditing.drift import DriftOptions, show_drift
from tagpool.cli.auditing.inputs import AuditReader, load_names, read_perturbations, split_files
from tagpool.cli.auditing.options import AuditOptions
from tagpool.cli.auditing.report import check_outputs, draw_audit, show_audit
from tagpool.cli.auditing.taggers import TaggerOptions
from tagpool.cli.console import print_json
from tagpool.cli.inputs import read_files
from tagpool.cli.options import expand_options, parse_uses
from tagpool.cli.percent import in_percent
from tagpool.cli.progress import follow_steps
from tagpool.errors import InputError

_DIFFERENCES = ("loss", "worth", "dependence")
_RATES = {"score", "interval", *_DIFFERENCES, *(f"{name}_interval" for name in _DIFFERENCES)}


@expand_options(tagger=TaggerOptions, options=AuditOptions)
def audit(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="[MODEL] TEST", help="Model file, unless an option chooses another tagger, and labelled sentences."
        ),
    ],
    tagger: TaggerOptions = TaggerOptions(),  # noqa: B008 - not changed
    options: AuditOptions = AuditOptions(),  # noqa: B008 - not changed
) -> None:
    """Measure what a tagger loses on other text, or without parts.

    The text is changed as it happens in use: case, typos, OCR errors, spaces, punctuation, diacritics, digits, tokens, names. Of
    a model of tagpool, every feature group, resource, kind of features and template is removed in turn. With --train, every part
    also has its worth, and the model's dependence on it. Each loss has a 95% interval; the worst row is first.

    With --drift, new text without labels is compared with --dev instead.

    \b
    Examples:
      tagpool audit ner.tagpool test.conll
      tagpool audit ner.tagpool test.conll --train train.conll --plot audit.svg
      tagpool audit test.conll --spacy en_core_web_sm --map PERSON=PER --only text
      tagpool audit test.conll --tagger package.module:function --names africa.conll
      tagpool audit ner.tagpool new/*.txt --drift --dev dev.conll
    """
    model, texts = split_files(files, is_set=tagger.is_set)
    if options.drift:
        show_drift(model, texts, tagger, _drift_options(options))
    else:
        _audit_on(texts, model, tagger, options, files)


def _audit_on(
    texts: Sequence[str], model: str | None, tagger: TaggerOptions, options: AuditOptions, files: Sequence[str]
) -> None:
    """Audit a tagger on labelled sentences, and show the result; ``files`` are those that must not be overwritten."""
    options.refuse_drift_options()
    check_outputs(options, [*files, *(options.train or ()), *(options.dev or ())])
    if options.dev and not options.train:
        raise InputError("--dev is for trainings and for --drift; add --train FILE, or drop it")
    read_perturbations(options.perturbation or [])
    labeller = tagger.labeller(model, parse_uses(options.use))
    if labeller.model is not None:
        labeller.model.threads = options.threads
    reader = AuditReader(labeller, options)
    test = read_files(texts, reader.read)
    train = read_files(options.train, reader.read) if options.train else None
    dev = read_files(options.dev, reader.read) if options.dev else None
    names = load_names(options)
    only = [part.strip() for one in options.only or () for part in one.split(",")]
    with follow_steps(f"auditing {labeller.name}") as step:
        result = audit_tagger(
            labeller,
            test,
            train=(train, dev) if train is not None and dev is not None else train,
            names=names,
            by=options.by or [],
            only=only,
            seed=options.seed,
            on_step=lambda done, total, _: step(done, total),
        )
    if options.plot is not None:
        draw_audit(options.plot, result)
    if options.json:
        print_json(in_percent(result.to_dict(), _RATES))
    else:
        show_audit(result, options.plot)


def _drift_options(options: AuditOptions) -> DriftOptions:
    """Return the options of --drift."""
    by = options.by or []
    if len(by) > 1:
        raise InputError(f"--drift takes one --by, got {' and '.join(by)}")
    options.refuse_audit_options()
    return DriftOptions(
        reference=options.reference or (),
        dev=options.dev or (),
        train=options.train or (),
        by=by[0] if by else None,
        level=options.level,
        seed=options.seed,
        plot=options.plot,
        json=options.json,
        fail_on_alarm=options.fail_on_alarm,
        columns=options.columns,
        format=options.format,
        encoding=options.encoding,
    )
