"""The summary of a training, as JSON and as text."""

from __future__ import annotations

from typing import Any

from tagpool.cli.console import output, spell_bytes
from tagpool.corpus.corpus import Corpus
from tagpool.experts.tagger import Tagger
from tagpool.wording import counted

_SCORED = ("elitist-pool", "opinion-pool")  # pools whose members have no dev score of their own


def tagger_summary(tagger: Tagger) -> dict[str, Any]:
    """The summary of a tagger."""
    model, summary = tagger._fitted(), tagger.summary_
    count = getattr(tagger, "conjunction_count", None)
    return (
        {
            "learner": tagger.kind,
            "sentences": summary["sentences"],
            "tokens": summary["tokens"],
            "labels": list(tagger.labels_),
            "features": model.feature_count,
            "weights": model.weight_count,
            "trainer": summary["trainer"],
            "epochs": summary["epochs"],
            "loss": summary["loss"],
            "best_dev_f1": _in_percent(summary["dev"]),
            "ended": _end_of(tagger),
        }
        | ({"robust": summary["robust"]} if "robust" in summary else {})
        | ({} if count is None else {"conjunctions": count})
    )


def _end_of(tagger: Tagger) -> str:
    """The reason why the epochs ended."""
    last, patience = tagger.log_[-1], tagger.patience
    if last.number == last.total:
        return "all epochs"
    since = next((count for count, epoch in enumerate(reversed(tagger.log_)) if epoch.best), 0)
    has_score = tagger.summary_["dev"] is not None and tagger.summary_["dev"] > 0
    if patience is not None and since >= patience and has_score:
        return f"no better dev F1 in {counted(since, 'epoch')}"
    return "the loss and the dev F1 changed little" if has_score else "the loss stopped falling"


def pool_summary(pool: Any, dev: Corpus | None) -> dict[str, Any]:
    """The summary of a pool and its members, each with its F1 on ``dev``."""
    named = zip(pool.names_, pool.weights_.tolist(), _members(pool, dev), strict=True)
    return {
        "learner": pool.kind,
        "combine": pool.combination,
        "labels": list(pool.labels_),
        "members": [{"name": name, "weight": weight} | facts for name, weight, facts in named],
    }


def _members(pool: Any, dev: Corpus | None) -> list[dict[str, Any]]:
    members = [_member(member) for member in pool]
    if pool.kind in _SCORED:  # their members were trained together, or with other dev sentences
        for member, facts in zip(pool, members, strict=True):
            facts["dev_f1"] = None if dev is None else 100 * member.score(dev)
    return members


def _member(member: Any) -> dict[str, Any]:
    models = [tagger._fitted() for tagger in member.single_taggers()]
    facts = {
        "kind": member.kind,
        "features": sum(model.feature_count for model in models),
        "weights": sum(model.weight_count for model in models),
    }
    if isinstance(member, Tagger):
        facts |= {"epochs": member.summary_.get("epochs"), "dev_f1": _in_percent(member.summary_.get("dev"))}
    return facts


def _in_percent(rate: float | None) -> float | None:
    return None if rate is None else 100 * rate


def show(summary: dict[str, Any]) -> None:
    """Print the summary as text."""
    score = summary.get("best_dev_f1")
    lines = []
    if "members" in summary:
        members, labels = summary["members"], summary["labels"]
        lines = [
            f"{summary['learner']}: {summary['combine']} of {counted(len(members), 'member')}, {counted(len(labels), 'label')}"
        ]
        lines += [_member_line(member) for member in members]
        shown = "" if score is None else f"dev F1 of the pool {score:.2f}, "
        lines.append(f"{shown}{summary['seconds']:.1f} s")
    elif "learner" in summary:
        shown = "" if score is None else f", dev F1 {score:.2f}"
        lines = [f"{summary['learner']}: {counted(len(summary['labels']), 'label')}, {_counts(summary)}"]
        lines.append(f"{counted(summary['epochs'], 'epoch')} of {summary['trainer']}{shown}, {summary['seconds']:.1f} s")
        lines.append(f"training ended: {summary['ended']}")
    merged = " as one model" if summary.get("merged") else ""
    size = "" if summary["bytes"] is None else f" ({spell_bytes(summary['bytes'])})"
    lines.append(f"written{merged} to {summary['model']}{size}")
    for line in lines:
        output.print_line(line)


def _member_line(member: dict[str, Any]) -> str:
    score = "" if member.get("dev_f1") is None else f", dev F1 {member['dev_f1']:.2f}"
    return f"  {member['weight']:.3f}  {member['name']}: {member['kind']}, {_counts(member)}{score}"


def _counts(summary: dict[str, Any]) -> str:
    conjunctions = f" ({counted(summary['conjunctions'], 'conjunction')})" if "conjunctions" in summary else ""
    return f"{counted(summary['features'], 'feature')}{conjunctions}, {counted(summary['weights'], 'weight')}"
