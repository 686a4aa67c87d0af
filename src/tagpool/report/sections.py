"""Sections of a report: tables and plots of its figures as HTML."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tagpool.evaluation.error_kinds import KINDS
from tagpool.optim.watch import Epoch
from tagpool.report.figures import NOTHING
from tagpool.views.html import Html, element, join, table, text
from tagpool.views.plots import Axis, heat_map, line_plot

_RATES = ("precision", "recall", "f1")
_ROWS = 20  # of a table of types; the others are collapsed
_FEWEST = 5  # spans of a point of the calibration plot: fewer have no reliable precision
_MEMBERS = 14  # rows of the plots of members: more are not legible
Figures = Mapping[str, Any]


def summary(systems: Sequence[Figures], *, only_accuracy: bool) -> Html:
    """Return the scores of all systems with 95% intervals."""
    rates = ["accuracy"] if only_accuracy else [*_RATES, "accuracy"]
    headers = ["system", *map(_rate_name, rates), *([] if only_accuracy else ["gold", "predicted", "correct"])]
    rows = []
    for one in systems:
        cells = [_with_interval(one["score"][rate], one["score"]["intervals"].get(rate)) for rate in rates]
        counts = [] if only_accuracy else [f"{one['score'][name]:,}" for name in ("gold", "predicted", "correct")]
        rows.append([one["name"], *cells, *counts])
    return table(headers, rows, caption="Percent, with 95% intervals (bootstrap over sentences)")


def comparisons(rows: Sequence[Figures], name: str, *, only_accuracy: bool) -> Html:
    """Return the differences between the system and the others."""
    metric = "accuracy" if only_accuracy else "F1"
    cells = [
        [
            row["name"],
            _signed(row["difference"]),
            f"{_signed(row['interval'][0])} to {_signed(row['interval'][1])}",
            f"{row['p_value']:.4f}",
            "significant" if row["p_value"] < 0.05 else "not significant",
            f"{row['tokens_right_only_here']:,}",
            f"{row['tokens_right_only_there']:,}",
        ]
        for row in rows
    ]
    headers = ["against", f"difference in {metric}", "95% interval", "p", "at 5%", "tokens right only here", "only there"]
    caption = f"{name} − other, in points; paired bootstrap over sentences, two-sided"
    return table(headers, cells, caption=caption)


def error_kinds(systems: Sequence[Figures]) -> Html:
    """Return the number of errors of each kind."""
    rows = [
        [one["name"], *(f"{one['errors'][kind]:,}" for kind in KINDS), f"{one['sentences_with_errors']:,}"] for one in systems
    ]
    heads = [element("abbr", kind, title=meaning) for kind, meaning in KINDS.items()]
    return table(["system", *heads, "sentences with errors"], rows, caption="Errors by kind")


def group_tables(systems: Sequence[Figures], *, plain: bool, only_accuracy: bool) -> Html:
    """Return the scores by type, length, frequency and known words."""
    noun = "label" if plain else "type"
    frequency = "the word" if plain else "the text of the span"
    titles = {
        "types": f"By {noun}",
        "lengths": "By length of the span",
        "words": "Known and unknown words (by token)",
        "frequencies": f"By training frequency: how often {frequency} {'occurs' if plain else 'is a span'} in training",
    }
    parts = [
        _group_table([one[key] for one in systems], [one["name"] for one in systems], title, accuracy=key == "words")
        for key, title in titles.items()
        if all(key in one for one in systems) and any(one[key] for one in systems)
    ]
    return element("div", *parts, class_="tp-tables")


def _group_table(groups: Sequence[Sequence[Figures]], names: Sequence[str], title: str, *, accuracy: bool) -> Html:
    """Return the scores of groups: all rates of one system, or the F1 of several."""
    rates = [*_RATES, "accuracy"] if accuracy else list(_RATES)
    by_name = [{row["name"]: row for row in rows} for rows in groups]
    lines = []
    for name in dict.fromkeys(row["name"] for rows in groups for row in rows):
        present = [one[name] for one in by_name if name in one]
        if len(groups) == 1:
            cells = [_percent(present[0][rate]) for rate in rates]
        else:
            cells = [_percent(one[name]["f1"]) if name in one else "" for one in by_name]
        lines.append([name or "(none)", *cells, f"{present[0]['gold']:,}"])
    headers = ["", *map(_rate_name, rates), "gold"] if len(groups) == 1 else ["F1", *names, "gold"]
    return _shortened(headers, lines, title)


def _shortened(headers: Sequence[str], rows: Sequence[Sequence[str]], title: str) -> Html:
    """Return a table; of many rows, those with few gold spans are collapsed."""
    if len(rows) <= _ROWS:
        return table(headers, rows, caption=title)
    frequent = set(sorted(range(len(rows)), key=lambda at: (-int(rows[at][-1].replace(",", "")), at))[:_ROWS])
    first = table(headers, [row for at, row in enumerate(rows) if at in frequent], caption=f"{title}: the {_ROWS} most frequent")
    rest = table(headers, [row for at, row in enumerate(rows) if at not in frequent])
    return element("div", first, element("details", element("summary", f"{len(rows) - _ROWS} more"), rest))


def plots(systems: Sequence[Figures], log: Sequence[Epoch], *, plain: bool) -> Html:
    """Return calibration, precision against coverage, the learning curve, and the confusion matrix of the first system."""
    parts = []
    noun = "labels" if plain else "spans"
    calibrated = [one for one in systems if one["calibration"]]
    if calibrated:
        lines = {one["name"]: [(row[0], row[1]) for row in one["calibration"]["bins"] if row[2] >= _FEWEST] for one in calibrated}
        if len(calibrated) == 1:
            title = f"Calibration: ECE {_percent(calibrated[0]['calibration']['ece'])}%"
        else:
            title = "Calibration: ECE " + ", ".join(
                f"{_percent(one['calibration']['ece'])}% ({one['name']})" for one in calibrated
            )
        parts.append(line_plot(title, lines, Axis(f"confidence of predicted {noun}"), Axis("precision"), diagonal=True))
        covered = {one["name"]: [(row[1], row[2]) for row in one["coverage"]] for one in calibrated}
        up = Axis.around("precision", [y for points in covered.values() for _, y in points])
        parts.append(line_plot("Precision against coverage", covered, Axis(f"share of {noun}, most confident first"), up))
    if log:
        parts.append(_learning_curve(log))
    confusion = systems[0]["confusion"]
    if confusion["types"]:
        kinds = "labels" if plain else "types"
        count = len([kind for kind in confusion["types"] if kind != NOTHING])
        more = f", the {count} {kinds} with most errors" if confusion["left_out"] else ""
        title = f"Confusion: gold (rows) and predicted {kinds} (columns){more}"
        parts.append(heat_map(title, confusion["types"], confusion["types"], confusion["counts"]))
    return element("div", *parts, class_="tp-plots") if parts else Html("")


def _learning_curve(log: Sequence[Epoch]) -> Html:
    scores = [(one.number, one.score) for one in log if one.score is not None]
    if scores:
        points: list[tuple[float, float]] = [(float(number), float(score)) for number, score in scores]
        title, up = "Learning curve: dev F1", Axis.around("dev F1", [score for _, score in points])
    else:
        points = [(float(one.number), one.loss) for one in log]
        title, up = "Learning curve: loss", Axis.around("loss", [loss for _, loss in points], percent=False)
    last = max(points[-1][0], 2.0)
    return line_plot(title, {"training": points}, Axis("epoch", 1.0, last, percent=False), up)


def members(figures: Figures, *, noun: str) -> Html:
    """Return the table and the plots of the members of a pool, or of experts."""
    has_vote = figures["vote"] is not None
    rows = [
        [
            row["name"],
            *(_percent(row[rate]) for rate in _RATES),
            f"{row['only']:,}",
            f"{row['saves']:,}",
            f"{row['overruled']:,}",
            *([_signed(row["vote_without"] - figures["vote"])] if has_vote else []),
        ]
        for row in figures["members"]
    ]
    left_out = "change of the F1 of a majority vote when it is left out"
    heads = [
        noun,
        *map(_rate_name, _RATES),
        element("abbr", "found by it only", title="gold spans that no other one finds"),
        element("abbr", "decisive", title="gold spans that the pool finds, and at most half of the others do"),
        element("abbr", "overruled", title="gold spans that it finds and the pool does not"),
        *([element("abbr", "vote without it", title=left_out)] if has_vote else []),
    ]
    vote = f"; their majority vote has an F1 of {_percent(figures['vote'])}" if has_vote else ""
    facts = f"At least one of them finds {_percent(figures['any'])}% of the gold spans{vote}."
    shown = figures["members"][:_MEMBERS]
    names = [row["name"] for row in shown]
    agreement = [[round(100 * value) for value in line[:_MEMBERS]] for line in figures["agreement"][:_MEMBERS]]
    types = list(dict.fromkeys(kind for row in shown for kind in row["types"]))[:_MEMBERS]
    shares = [[round(100 * row["types"].get(kind, 0.0)) for kind in types] for row in shown]
    pictures = [heat_map("Agreement (% of tokens where one of the two has a span)", names, names, agreement, percent=True)]
    pictures.append(heat_map("Gold spans that each finds, by type (%)", names, types, shares, percent=True))
    note = [element("p", f"The plots show the first {_MEMBERS}.", class_="tp-soft")] if len(figures["members"]) > _MEMBERS else []
    return join([table(heads, rows), element("p", facts), element("div", *pictures, class_="tp-plots"), *note])


def card(rows: Iterable[Sequence[str]]) -> Html:
    """Return the model card as a table."""
    body = [element("tr", element("th", name, scope="row"), element("td", _card_value(value))) for name, value in rows]
    return element("div", element("table", element("tbody", *body), class_="tp-card"))


def _card_value(value: str) -> Html:
    """Return a text; one of several lines is collapsed."""
    if "\n" not in value:
        return text(value)
    lines = Html("\n".join(map(text, value.strip().split("\n"))))
    return element("details", element("summary", "show"), element("pre", lines))


def _rate_name(rate: str) -> str:
    return "F1" if rate == "f1" else rate


def _percent(rate: float) -> str:
    return f"{100 * rate:.2f}"


def _signed(difference: float) -> str:
    return f"{100 * difference:+.2f}".replace("-", "−")


def _with_interval(rate: float, interval: Sequence[float] | None) -> Html:
    if interval is None:
        return element("b", _percent(rate))
    ends = element("span", f"{_percent(interval[0])} – {_percent(interval[1])}", class_="tp-soft")
    return join([element("b", _percent(rate)), ends], " ")
