"""DFI: Choi (2016)."""

from __future__ import annotations

from tagpool.experiments.printed.table import OTHERS, Column, PrintedRow, PrintedTable

_COUNT = Column("features", reason="a number of features of the paper's templates, not a score; the page has the number of ours")
_TAGS = ("M0: baseline", "M1: M0 + outside classes", "M2: M1 + clusters", "M3: M1 + induction", "M4: M2 + induction")
_NAMES = ("M0: baseline", "M1: M0 + name lists", "M2: M1 + clusters", "M3: M2 + embeddings", "M4: M3 + induction")

TABLES = (
    PrintedTable(
        "DFI",
        "Table 3",
        "Part-of-speech tags of the Wall Street Journal, development set",
        "dfi-pos",
        (Column("all words", "dev, all"), Column("unknown words", "dev, unknown words"), _COUNT),
        (
            PrintedRow("M0: baseline", (97.09, 86.14, 365_400), _TAGS[0]),
            PrintedRow("M1: M0 + ambiguity classes", (97.37, 91.92, 365_409), _TAGS[1]),
            PrintedRow("M2: M1 + clusters", (97.45, 91.96, 372_181), _TAGS[2]),
            PrintedRow("M3: M1 + dynamic", (97.42, 92.10, 468_378), _TAGS[3]),
            PrintedRow("M4: M2 + dynamic", (97.48, 92.21, 473_134), _TAGS[4]),
        ),
    ),
    PrintedTable(
        "DFI",
        "Table 4",
        "Part-of-speech tags of the Wall Street Journal, evaluation set",
        "dfi-pos",
        (Column("all words", "test, all"), Column("unknown words", "test, unknown words")),
        (
            PrintedRow("Manning (2011)", (97.29, 89.70), reason=OTHERS),
            PrintedRow("Manning (2011), external data", (97.32, 90.79), reason=OTHERS),
            PrintedRow("Shen et al. (2007)", (97.33, 89.61), reason=OTHERS),
            PrintedRow("Sun (2014)", (97.36, None), reason=OTHERS),
            PrintedRow("Moore (2015)", (97.36, 91.09), reason=OTHERS),
            PrintedRow("Spoustová et al. (2009)", (97.44, None), reason=OTHERS),
            PrintedRow("Søgaard (2011)", (97.50, None), reason=OTHERS),
            PrintedRow("Tsuboi (2014)", (97.51, 91.64), reason=OTHERS),
            PrintedRow("M0", (97.18, 86.35), _TAGS[0]),
            PrintedRow("M1", (97.37, 91.34), _TAGS[1]),
            PrintedRow("M2", (97.46, 91.23), _TAGS[2]),
            PrintedRow("M3", (97.52, 91.53), _TAGS[3]),
            PrintedRow("M4", (97.64, 92.03), _TAGS[4]),
        ),
    ),
    PrintedTable(
        "DFI",
        "Table 7",
        "Names of CoNLL-2003, development set",
        "dfi-ner",
        (Column("precision", "dev precision"), Column("recall", "dev recall"), _COUNT),
        (
            PrintedRow("M0: baseline", (90.87, 89.15, 164_440), _NAMES[0]),
            PrintedRow("M1: M0 + gazetteers", (92.30, 90.61, 164_720), _NAMES[1]),
            PrintedRow("M2: M1 + clusters", (93.66, 91.79, 169_232), _NAMES[2]),
            PrintedRow("M3: M2 + embeddings", (94.14, 92.43, 169_682), _NAMES[3]),
            PrintedRow("M4: M3 + dynamic", (94.50, 93.10, 208_860), _NAMES[4]),
        ),
    ),
    PrintedTable(
        "DFI",
        "Table 8",
        "Names of CoNLL-2003, development and evaluation sets",
        "dfi-ner",
        (Column("dev F1", "dev F1"), Column("test F1", "test F1")),
        (
            PrintedRow("Turian et al. (2010)", (93.25, 89.41), reason=OTHERS),
            PrintedRow("Suzuki and Isozaki (2008)", (94.48, 89.92), reason=OTHERS),
            PrintedRow("Ratinov and Roth (2009)", (93.50, 90.57), reason=OTHERS),
            PrintedRow("Lin and Wu (2009)", (None, 90.90), reason=OTHERS),
            PrintedRow("Passos et al. (2014)", (94.46, 90.90), reason=OTHERS),
            PrintedRow("M0", (90.00, 84.44), _NAMES[0]),
            PrintedRow("M1", (91.45, 86.85), _NAMES[1]),
            PrintedRow("M2", (92.72, 89.64), _NAMES[2]),
            PrintedRow("M3", (93.27, 90.57), _NAMES[3]),
            PrintedRow("M4", (93.79, 91.00), _NAMES[4]),
        ),
    ),
)
