"""The tables of the suite, in Markdown."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from operator import itemgetter

from suite.corpora import LEFT_OUT, SOURCES
from suite.modes import Record

_DEFAULTS = """## Pure defaults

`tagpool train --train FILE [--dev FILE] --model FILE` against python-crfsuite with its tutorial's features and the better of the
tutorials' two settings. The tutorial has words and parts of speech; the columns of GROBID's rows are used as it uses parts of
speech. Cells with two figures: tagpool / python-crfsuite. CPU and memory: from the file to the model.
Difference: tagpool − python-crfsuite, paired bootstrap. Tokens/s: from words to labels on one thread; from memory, and from file
to file with the start of the process.
"""
_FEATURES = """## The same features

The tutorial's features on both sides, with tagpool's other defaults. Templates: `tagpool train --features`, where the pattern of
capitals stands for isupper, istitle and isdigit, and affixes exist for longer words only. Strings: `tagpool.CRF().fit` on
exactly the strings that python-crfsuite gets. CPU ratio: python-crfsuite's time by ours.
"""
_DROP_IN = """## The drop-in

One program with python-crfsuite's calls, once with `tagpool.compat.pycrfsuite` and once with `pycrfsuite`; at most 100
iterations. CPU: reading, features and training. Library: only the calls of the library, which are `append` and `train`; the
program's own Python, the same on both sides, is left out.
"""
_DEFAULTS_HEAD = (
    "corpus|tokens|dev F1|F1 tagpool|F1 python-crfsuite|setting|difference|CPU s|CPU ratio|peak MB|model MB|"
    "tokens/s memory|tokens/s file"
)
_FEATURES_HEAD = (
    "corpus|F1 templates|F1 strings|F1 python-crfsuite|CPU s templates|CPU s strings|CPU s python-crfsuite|CPU ratios"
)
_DROP_IN_HEAD = "corpus|setting|F1|CPU s|CPU ratio|library CPU s|library ratio|peak MB"


def report(records: Sequence[Record]) -> str:
    """Return the tables of all modes that have records."""
    parts = [
        _table(_DEFAULTS, _DEFAULTS_HEAD, _defaults_row, records, "defaults"),
        _table(_FEATURES, _FEATURES_HEAD, _features_row, records, "features"),
        _table(_DROP_IN, _DROP_IN_HEAD, _drop_in_rows, records, "drop-in"),
        _cold(records),
        _notes(records),
    ]
    return "\n".join(part for part in parts if part)


def _table(
    text: str, head: str, rows: Callable[[list[Record]], Iterable[list[str]]], records: Sequence[Record], mode: str
) -> str:
    chosen = [record for record in records if record["mode"] == mode]
    if not chosen:
        return ""
    lines = [head.split("|"), ["---"] * (head.count("|") + 1)]
    for _, of_corpus in groupby(chosen, key=itemgetter("corpus")):
        lines += rows(list(of_corpus))
    return text + "\n" + "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _sides(records: list[Record]) -> dict[str, list[Record]]:
    """Return the records by side; all settings of python-crfsuite have one name."""
    result: dict[str, list[Record]] = {}
    for record in records:
        name = "python-crfsuite" if record["side"].startswith("python-crfsuite") else record["side"]
        result.setdefault(name, []).append(record)
    return result


def _defaults_row(records: list[Record]) -> Iterable[list[str]]:
    sides = _sides(records)
    us, them = sides["tagpool"], sides.get("python-crfsuite", [])
    both = [runs for runs in (us, them) if runs]
    tokens = us[0]["tokens"]["test"]
    yield [
        us[0]["corpus"],
        f"{us[0]['tokens']['train']:,}",
        " / ".join(_f1(runs, "dev", interval=False) for runs in both),
        _f1(us, "test"),
        _f1(them, "test"),
        them[0]["setting"] if them else "",
        _difference(us[0]),
        " / ".join(f"{_mean(runs, 'cpu'):.2f}" for runs in both),
        _ratio(us, them),
        " / ".join(f"{_mean(runs, 'peak') / 1e6:.0f}" for runs in both),
        " / ".join(f"{_mean(runs, 'bytes') / 1e6:.2f}" for runs in both),
        " / ".join(_rate(tokens, runs[0]["predict"]) for runs in both),
        " / ".join(_rate(tokens, runs[0]["tag"]["cpu"]) for runs in both),
    ]


def _features_row(records: list[Record]) -> Iterable[list[str]]:
    sides = _sides(records)
    all_sides = [sides.get(name, []) for name in ("templates", "strings", "python-crfsuite")]
    times = [f"{_mean(runs, 'cpu'):.2f}" if runs else "" for runs in all_sides]
    ratios = ", ".join(_ratio(runs, all_sides[2]) for runs in all_sides[:2])
    yield [records[0]["corpus"], *(_f1(runs, "test") for runs in all_sides), *times, ratios if all_sides[2] else ""]


def _drop_in_rows(records: list[Record]) -> Iterable[list[str]]:
    for setting, pair in groupby(records, key=itemgetter("setting")):
        both = [[record] for record in pair]
        yield [
            records[0]["corpus"],
            setting,
            " / ".join(f"{runs[0]['test']['f1']:.2f}" for runs in both),
            " / ".join(f"{_mean(runs, 'cpu'):.2f}" for runs in both),
            _ratio(both[0], both[1]) if len(both) > 1 else "",
            " / ".join(f"{_mean(runs, 'library'):.2f}" for runs in both),
            _ratio(both[0], both[1], "library") if len(both) > 1 else "",
            " / ".join(f"{_mean(runs, 'peak') / 1e6:.0f}" for runs in both),
        ]


def _cold(records: Sequence[Record]) -> str:
    starts = [record for record in records if record["mode"] == "cold"]
    if not starts:
        return ""
    times = [f"{record['side']} {1000 * record['wall']:.0f} ms ({1000 * record['cpu']:.0f} ms CPU)" for record in starts]
    what = f"A new process that loads the model of {starts[0]['corpus']} and labels a file with one sentence, wall time"
    return f"## Cold start\n\n{what}: {'; '.join(times)}.\n"


def _notes(records: Sequence[Record]) -> str:
    names = dict.fromkeys(record["corpus"] for record in records)
    lines = [f"- {name}: {SOURCES[name].note}." for name in names if SOURCES[name].note]
    lines += [f"- Left out: {name}, {reason}." for name, reason in LEFT_OUT.items()]
    return "## Corpora\n\n" + "".join(f"{line}\n" for line in lines)


def _f1(runs: list[Record], part: str, *, interval: bool = True) -> str:
    """Return the mean over seeds, the standard deviation, and the interval of the first seed."""
    values = [run[part]["f1"] for run in runs if part in run]
    if not values:
        return "–"
    spread = f" ± {statistics.stdev(values):.2f}" if len(values) > 1 else ""
    ends = runs[0][part].get("interval") if interval else None
    return f"{statistics.mean(values):.2f}{spread}" + (f" [{ends[0]:.1f}, {ends[1]:.1f}]" if ends else "")


def _difference(run: Record) -> str:
    if "difference" not in run:
        return ""
    low, high = run["difference"]["interval"]
    return f"{run['difference']['f1']:+.2f} [{low:+.2f}, {high:+.2f}]"


def _mean(runs: list[Record], name: str) -> float:
    return statistics.mean(float(run[name]) for run in runs)


def _ratio(us: list[Record], them: list[Record], cost: str = "cpu") -> str:
    return f"{_mean(them, cost) / _mean(us, cost):.1f}×" if us and them else ""


def _rate(tokens: int, seconds: float) -> str:
    return f"{tokens / seconds / 1000:,.0f}k"
