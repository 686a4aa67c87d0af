"""ELITIST: Wang and Manning (2013)."""

from __future__ import annotations

from tagpool.experiments.printed.table import Column, PrintedRow, PrintedTable

_ON_DEV = "on dev, the experiment measures F1 only"
_BY_WORD = "for known and unknown words, the experiment measures F1 only"
_MUC = "the MUC corpora are not freely available; the experiment has WNUT-17 instead"
_BY_HAND = "experts chosen by hand by other authors; not run"
_SCORES = (
    Column("dev precision", reason=_ON_DEV),
    Column("dev recall", reason=_ON_DEV),
    Column("dev F1", "dev F1"),
    Column("test precision", "test precision"),
    Column("test recall", "test recall"),
    Column("test F1", "test F1"),
)
_WORDS = (
    Column("IV precision", reason=_BY_WORD),
    Column("IV recall", reason=_BY_WORD),
    Column("IV F1", "IV F1"),
    Column("OOV precision", reason=_BY_WORD),
    Column("OOV recall", reason=_BY_WORD),
    Column("OOV F1", "OOV F1"),
)

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
            PrintedRow("Smith et al. (2005), simple", (None, None, 90.26, None, None, 84.22), reason=_BY_HAND),
            PrintedRow("Smith et al. (2005), positional", (None, None, 90.35, None, None, 84.71), reason=_BY_HAND),
            PrintedRow("Smith et al. (2005), label", (None, None, 89.30, None, None, 83.27), reason=_BY_HAND),
        ),
    ),
    PrintedTable(
        "ELITIST",
        "Table 2, MUC",
        "Six models on names of MUC",
        None,
        _SCORES,
        (
            PrintedRow("MaxEnt l2", (91.47, 86.20, 88.76, 89.06, 80.44, 84.53), reason=_MUC),
            PrintedRow("MaxEnt l1", (92.56, 85.50, 88.89, 89.61, 79.09, 84.02), reason=_MUC),
            PrintedRow("LOP random", (93.77, 84.95, 89.14, 91.05, 78.89, 84.54), reason=_MUC),
            PrintedRow("LOP sequential", (94.34, 84.18, 88.97, 91.71, 77.42, 83.96), reason=_MUC),
            PrintedRow("LOP l1", (93.25, 86.09, 89.53, 90.70, 79.57, 84.78), reason=_MUC),
            PrintedRow("elitist LOP", (93.47, 86.48, 89.84, 91.22, 80.15, 85.33), reason=_MUC),
        ),
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
    ),
    PrintedTable(
        "ELITIST",
        "Table 3, MUC",
        "Known (IV) and unknown words (OOV), names of MUC",
        None,
        _WORDS,
        (
            PrintedRow("MaxEnt l2", (90.21, 80.88, 85.29, 84.90, 78.80, 81.74), reason=_MUC),
            PrintedRow("elitist LOP", (92.27, 80.02, 85.71, 87.49, 80.62, 83.91), reason=_MUC),
        ),
    ),
)
