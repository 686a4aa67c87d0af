"""BAGGING: Sutton, Sindelar and McCallum (2006)."""

from __future__ import annotations

from tagpool.experiments.printed.table import OTHERS, Column, PrintedRow, PrintedTable

_F1 = (Column("F1", "test F1"),)

TABLES = (
    PrintedTable(
        "BAGGING",
        "Table 1",
        "Ways to combine two bags, names of CoNLL-2003",
        "bagging-ner",
        _F1,
        (
            PrintedRow("per-sequence product of experts", (86.61,), "bagged, sequence-product"),
            PrintedRow("per-transition product of experts", (86.58,), "bagged, transition-product"),
            PrintedRow("per-sequence mixture", (86.46,), "bagged, sequence-mixture"),
            PrintedRow("per-transition mixture", (86.42,), "bagged, transition-mixture"),
        ),
    ),
    PrintedTable(
        "BAGGING",
        "Table 2",
        "One CRF and two bags, names of CoNLL-2003",
        "bagging-ner",
        _F1,
        (
            PrintedRow("single CRF, base features", (81.52,), "one CRF, base features"),
            PrintedRow("single CRF, all features", (85.45,), "one CRF, all features"),
            PrintedRow("combined CRF", (86.61,), "bagged, sequence-product"),
        ),
    ),
    PrintedTable(
        "BAGGING",
        "Table 3",
        "One CRF and two bags, noun phrases of CoNLL-2000",
        "bagging-chunk",
        (Column("F1", "noun phrases, test F1"),),
        (
            PrintedRow("single CRF, base features", (89.60,), "one CRF, base features"),
            PrintedRow("single CRF, all features", (94.34,), "one CRF, all features"),
            PrintedRow("Sha and Pereira (2003)", (94.38,), reason=OTHERS),
            PrintedRow("Kudo and Matsumoto (2001)", (94.39,), reason=OTHERS),
            PrintedRow("combined CRF", (94.77,), "bagged: tags, lexicons"),
        ),
    ),
)
