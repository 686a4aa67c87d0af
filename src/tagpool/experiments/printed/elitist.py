"""ELITIST: Wang and Manning (2013)."""

from __future__ import annotations

from tagpool.experiments.printed.table import Column, PrintedRow, PrintedTable

_MEASURES = ("precision", "recall", "F1")
_ORDER = "The MUC corpora are not freely available: ours are Spanish names of CoNLL-2002. Compare the order of the models."
_CASE = "Known words ignore case, which is what the printed figures allow (see the notes of the experiment)."


def _columns(*parts: str) -> tuple[Column, ...]:
    return tuple(Column(name, name) for part in parts for name in (f"{part} {measure}" for measure in _MEASURES))


_SCORES = _columns("dev", "test")
_WORDS = _columns("IV", "OOV")

TABLES = (
    PrintedTable(
        "ELITIST",
        "Table 2, CoNLL",
        "Six models on names of CoNLL-2003",
        "elitist-ner",
        _SCORES,
        (
            PrintedRow("MaxEnt l2", (88.46, 87.73, 88.09, 81.42, 81.64, 81.53), "CoNLL-2003: MaxEnt l2"),
            PrintedRow("MaxEnt l1", (88.46, 89.63, 89.04, 82.20, 84.24, 83.21), "CoNLL-2003: MaxEnt l1"),
            PrintedRow("LOP random", (88.75, 90.79, 89.76, 82.73, 85.84, 84.25), "CoNLL-2003: LOP random, 2 experts"),
            PrintedRow("LOP sequential", (88.68, 90.79, 89.72, 83.03, 86.03, 84.50), "CoNLL-2003: LOP sequential, 2 experts"),
            PrintedRow("LOP l1", (88.76, 90.41, 89.58, 82.90, 85.94, 84.40), "CoNLL-2003: LOP l1, 5 experts"),
            PrintedRow("elitist LOP", (89.65, 91.08, 90.36, 83.96, 86.67, 85.29), "CoNLL-2003: elitist LOP, 3 experts"),
            PrintedRow("Smith et al. (2005), simple", (None, None, 90.26, None, None, 84.22), "CoNLL-2003: Smith et al., simple"),
            PrintedRow(
                "Smith et al. (2005), positional", (None, None, 90.35, None, None, 84.71), "CoNLL-2003: Smith et al., positional"
            ),
            PrintedRow("Smith et al. (2005), label", (None, None, 89.30, None, None, 83.27), "CoNLL-2003: Smith et al., label"),
        ),
    ),
    PrintedTable(
        "ELITIST",
        "Table 2, MUC",
        "Six models on names of MUC",
        "elitist-ner",
        _SCORES,
        (
            PrintedRow("MaxEnt l2", (91.47, 86.20, 88.76, 89.06, 80.44, 84.53), "Spanish: MaxEnt l2"),
            PrintedRow("MaxEnt l1", (92.56, 85.50, 88.89, 89.61, 79.09, 84.02), "Spanish: MaxEnt l1"),
            PrintedRow("LOP random", (93.77, 84.95, 89.14, 91.05, 78.89, 84.54), "Spanish: LOP random, 2 experts"),
            PrintedRow("LOP sequential", (94.34, 84.18, 88.97, 91.71, 77.42, 83.96), "Spanish: LOP sequential, 2 experts"),
            PrintedRow("LOP l1", (93.25, 86.09, 89.53, 90.70, 79.57, 84.78), "Spanish: LOP l1, 5 experts"),
            PrintedRow("elitist LOP", (93.47, 86.48, 89.84, 91.22, 80.15, 85.33), "Spanish: elitist LOP, 3 experts"),
        ),
        _ORDER,
        other_data=True,
    ),
    PrintedTable(
        "ELITIST",
        "Table 3, CoNLL",
        "Known (IV) and unknown words (OOV), names of CoNLL-2003",
        "elitist-ner",
        _WORDS,
        (
            PrintedRow("MaxEnt l2", (89.21, 86.81, 88.00, 85.69, 80.61, 83.08), "CoNLL-2003: MaxEnt l2"),
            PrintedRow("elitist LOP", (90.25, 89.85, 90.05, 86.30, 86.67, 86.49), "CoNLL-2003: elitist LOP, 3 experts"),
        ),
        _CASE,
    ),
    PrintedTable(
        "ELITIST",
        "Table 3, MUC",
        "Known (IV) and unknown words (OOV), names of MUC",
        "elitist-ner",
        _WORDS,
        (
            PrintedRow("MaxEnt l2", (90.21, 80.88, 85.29, 84.90, 78.80, 81.74), "Spanish: MaxEnt l2"),
            PrintedRow("elitist LOP", (92.27, 80.02, 85.71, 87.49, 80.62, 83.91), "Spanish: elitist LOP, 3 experts"),
        ),
        _ORDER,
        other_data=True,
    ),
)


def known_and_unknown() -> dict[str, list[tuple[float, float, float]]]:
    """Return the printed precision, recall and F1 of known (IV) and of unknown words (OOV) of CoNLL-2003, for each model.

    >>> known_and_unknown()["OOV"][0]
    (85.69, 80.61, 83.08)
    """
    figures = figures_of("elitist-ner")
    rows = [row.ours for table in TABLES if table.columns is _WORDS and not table.other_data for row in table.rows if row.ours]
    lines = {part: [[figures[row, f"{part} {name}"] for name in _MEASURES] for row in rows] for part in ("IV", "OOV")}
    return {part: [(precision, recall, f1) for precision, recall, f1 in triples] for part, triples in lines.items()}


def figures_of(experiment: str) -> dict[tuple[str, str], float]:
    """Return the printed figures by row and metric of our experiment.

    >>> figures_of("elitist-ner")["CoNLL-2003: MaxEnt l2", "OOV F1"]
    83.08
    """
    return {
        (row.ours, column.metric): figure
        for table in TABLES
        if table.experiment == experiment
        for row in table.rows
        for column, figure in zip(table.columns, row.figures, strict=True)
        if row.ours and column.metric and figure is not None
    }
