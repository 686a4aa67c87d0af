"""Draw the figures of the explanations: python tools/documentation/figures.py. Two of them show small trainings."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "tools")]

from documentation.drawing import BLUE, GREY, INK, ORANGE, Drawing, plot  # noqa: E402
from tagpool import CRF, OpinionPool, builtin_corpus, perturb  # noqa: E402
from tagpool.experiments.undertraining import _WEAK, _draw, _fit  # noqa: E402

FOLDER = ROOT / "docs" / "explanation" / "figures"


def undertraining() -> Drawing:
    """Mean weight of the weak features by the strength of the strong one."""
    strengths, sets = (0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0), 30
    lines: dict[str, list[tuple[float, float]]] = {"all features together": [], "weak features alone": []}
    for strength in strengths:
        means = []
        for seed in range(sets):
            random = np.random.default_rng([seed, round(strength * 1000)])
            data, labels = _draw(random, strength)
            means.append(
                [_mean_weak_weight(_fit(data, labels, range(count)).top_features("yes", 20)) for count in (_WEAK + 1, _WEAK)]
            )
        for points, mean in zip(lines.values(), np.mean(means, axis=0).tolist(), strict=True):
            points.append((strength, mean))
    return plot(
        lines,
        "strength a of the strong feature",
        "mean weight of the weak features",
        x_ticks=range(5),
        y_ticks=[0, 0.25, 0.5, 0.75, 1, 1.25],
    )


def _mean_weak_weight(features: tuple[list[tuple[str, float]], list[tuple[str, float]]]) -> float:
    """Return the mean difference of the weights of both labels, which are opposite numbers."""
    weights = [weight for half in features for name, weight in half if name != f"x{_WEAK}"]
    return 2 * sum(weights) / _WEAK


def robust_training() -> Drawing:
    """F1 on clean and lower-cased text by the share of the second training."""
    train, dev, test = builtin_corpus(2000), builtin_corpus(300, part="dev"), builtin_corpus(500, part="test")
    first = CRF("ner").fit(train, dev=dev)
    second = CRF("ner", robust="case", robust_cost=100.0).fit(train, dev=dev)
    lower = perturb(test, "lower")
    lines: dict[str, list[tuple[float, float]]] = {"clean text": [], "lower case": []}
    for share in np.linspace(0, 1, 11).tolist():
        pool = OpinionPool([first, second], weights=[1 - share, share])
        for points, text in zip(lines.values(), (test, lower), strict=True):
            points.append((share, 100 * pool.score(text)))
    return plot(lines, "share of the second training", "F1", x_ticks=[0, 0.25, 0.5, 0.75, 1], y_ticks=[0, 20, 40, 60, 80, 100])


def lattice() -> Drawing:
    """A lattice of three labels, with its best path."""
    drawing = Drawing(640, 270)
    words, labels, best = ("Ann", "Smith", "left", "Oslo"), ("O", "B", "I"), (1, 2, 0, 1)
    place = {(t, y): (140 + 140 * t, 60 + 65 * y) for t in range(4) for y in range(3)}
    for t in range(3):
        for before in range(3):
            for after in range(3):
                is_best = (best[t], best[t + 1]) == (before, after)
                if (before, after) == (0, 2):
                    continue  # I after O is not allowed
                (x1, y1), (x2, y2) = place[t, before], place[t + 1, after]
                drawing.line([(x1 + 20, y1), (x2 - 20, y2)], colour=ORANGE if is_best else GREY, width=3 if is_best else 0.7)
    for (t, y), (x, top) in place.items():
        drawing.circle(x, top, 20, labels[y], colour=ORANGE if best[t] == y else GREY, width=3 if best[t] == y else 1)
    for t, word in enumerate(words):
        drawing.text(140 + 140 * t, 250, word, bold=True)
        drawing.text(140 + 140 * t, 24, f"t = {t + 1}", colour=GREY)
    return drawing


def elitist_step() -> Drawing:
    """A group of three weights before and after a proximal step of three penalties."""
    drawing = Drawing(640, 250)
    before, step = np.array([0.9, 0.5, 0.2]), 0.3
    sums = np.cumsum(before)
    threshold = max(step / (1 + step * (k + 1)) * sums[k] for k in range(3))
    groups = {
        "before": before,
        "ridge (ℓ2)": before / (1 + step),
        "lasso (ℓ1)": np.maximum(before - step, 0),
        "elitist": np.maximum(before - threshold, 0),
    }
    for number, (name, values) in enumerate(groups.items()):
        left = 40 + 150 * number
        for expert, value in enumerate(values.tolist()):
            drawing.bar(left + 38 * expert, 195, 30, 170 * value, (BLUE, ORANGE, GREY)[expert])
            drawing.text(left + 38 * expert + 15, 190 - 170 * value, f"{value:.2f}", size=12)
        drawing.line([(left - 8, 195), (left + 114, 195)])
        drawing.text(left + 53, 218, name, bold=True)
    drawing.text(320, 242, "weights of one cell (feature, label) in three experts", colour=GREY)
    return drawing


def bags() -> Drawing:
    """Feature bagging: bags of templates, members, product, one model."""
    drawing = Drawing(640, 230)
    for number, (bag, colour) in enumerate((("words + shapes", BLUE), ("words + endings", ORANGE), ("words + lists", GREY))):
        y = 40 + 70 * number
        drawing.box(90, y, 150, 44, bag, colour=colour)
        drawing.arrow(165, y, 222, y)
        drawing.box(280, y, 116, 44, f"CRF {number + 1}", f"p{'₁₂₃'[number]}(y|x)", colour=colour)
        drawing.arrow(338, y, 412, 110 + 14 * (number - 1))
    drawing.box(470, 110, 116, 60, "product", "∏ pᵢ(y|x)^αᵢ", colour=INK)
    drawing.arrow(528, 110, 556, 110)
    drawing.box(595, 110, 78, 60, "one CRF", "Σ αᵢ Wᵢ", colour=INK)
    return drawing


def induction() -> Drawing:
    """Dynamic feature induction: an error joins the strongest features."""
    drawing = Drawing(640, 230)
    drawing.text(110, 24, "active features", colour=GREY)
    for number, (name, weight) in enumerate(
        (("word=Lee", "+0.8"), ("shape=Xx", "+0.5"), ("word[-1]=Ann", "+0.3"), ("suffix=ee", "−0.1"))
    ):
        y = 52 + 42 * number
        drawing.box(
            110, y, 180, 32, f"{name}   {weight}", colour=BLUE if number < 3 else GREY, line="solid" if number < 3 else "dotted"
        )
    drawing.arrow(205, 52, 300, 80)
    drawing.arrow(205, 94, 300, 86)
    drawing.arrow(205, 58, 300, 138)
    drawing.arrow(205, 136, 300, 144)
    drawing.box(400, 83, 190, 34, "word=Lee & shape=Xx", colour=ORANGE)
    drawing.box(400, 141, 190, 34, "word=Lee & word[-1]=Ann", colour=ORANGE)
    drawing.text(400, 52, "new conjunctions", colour=GREY)
    drawing.text(400, 190, "the strongest with each of the next two", size=13)
    drawing.text(320, 220, "numbers: w(right label) − w(predicted label), after an error", colour=GREY, size=13)
    return drawing


def path_experts() -> Drawing:
    """The automaton of path experts by position."""
    drawing = Drawing(640, 200)
    for place in range(4):
        x = 70 + 165 * place
        drawing.circle(x, 100, 22, str(place))
        if place == 3:
            break
        for expert, (height, colour) in enumerate(((-52, BLUE), (0, ORANGE), (52, GREY))):
            width = (4, 1.2, 1.2)[(expert + place) % 3]
            drawing.line(
                [(x + 22, 100 + height / 6), (x + 45, 100 + height), (x + 120, 100 + height), (x + 143, 100 + height / 6)],
                colour=colour,
                width=width,
            )
            drawing.text(x + 82, 94 + height, f"expert {expert + 1}", colour=colour, size=12)
        drawing.text(x + 82, 190, f"token {place + 1}", bold=True)
    return drawing


def stack() -> Drawing:
    """A stacked pool: labels of experts and words are the features of a CRF."""
    drawing = Drawing(640, 250)
    rows = (
        ("word", ("Ann", "left", "Oslo"), INK),
        ("expert 1", ("B-PER", "O", "O"), BLUE),
        ("expert 2", ("O", "O", "B-LOC"), BLUE),
        ("without gold", ("B-PER", "O", "B-LOC"), GREY),
    )
    for number, (name, cells, colour) in enumerate(rows):
        y = 30 + 38 * number
        drawing.text(110, y + 5, name, anchor="end", colour=colour)
        for t, cell in enumerate(cells):
            drawing.box(180 + 110 * t, y, 98, 30, cell, colour=colour)
    drawing.arrow(290, 162, 290, 184)
    drawing.box(290, 210, 330, 44, "CRF: single labels, pairs, patterns, words", colour=ORANGE)
    drawing.arrow(455, 210, 490, 210)
    drawing.box(563, 210, 140, 44, "B-PER O B-LOC", colour=ORANGE)
    return drawing


def crf_em() -> Drawing:
    """The loop of CRF-EM."""
    drawing = Drawing(640, 270)
    drawing.box(320, 40, 250, 50, "beliefs q(y)", "of every token", colour=BLUE)
    drawing.box(510, 135, 220, 50, "word taggers, cross-fitted", "on labels with q ≥ 0.95", colour=ORANGE)
    drawing.box(130, 135, 220, 50, "confusion matrices", "πⱼ[y, v] of every expert", colour=ORANGE)
    drawing.box(320, 230, 300, 50, "q(y) ∝ p(y|x) · ∏ⱼ πⱼ[y, vⱼ]", colour=BLUE)
    drawing.arrow(400, 65, 500, 108)
    drawing.arrow(240, 65, 140, 108)
    drawing.arrow(500, 160, 420, 203)
    drawing.arrow(140, 160, 220, 203)
    drawing.arrow(320, 205, 320, 67)
    return drawing


FIGURES = (undertraining, robust_training, lattice, elitist_step, bags, induction, path_experts, stack, crf_em)

if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for figure in FIGURES:
        figure().save(FOLDER / f"{figure.__name__.replace('_', '-')}.svg")
