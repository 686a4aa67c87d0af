"""Default templates: chosen from the labels, the columns and the script of a corpus.

The rules:

1. Labels of spans (B-PER, I-PER) get the preset ``auto``, labels of single words (NN, VB) the preset ``auto-tags``.
2. Up to three further columns, such as part-of-speech tags, are read in a window of five tokens, with their conjunctions. More
   columns are prepared features: each is read at the token and, if it has few values, at its neighbours.
3. Shapes and capitals are left out if few letters of the corpus have cases, because a shape is then the word itself.
4. Features that occur once are removed from 100,000 tokens on. They are half of the features, and most never occur again; only in
   small corpora they are a large part of the evidence.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from tagpool.corpus.corpus import WORD, Corpus
from tagpool.corpus.schemes import is_plain
from tagpool.corpus.text import SPACE
from tagpool.features.parser import parse
from tagpool.features.presets import load_templates, preset_text
from tagpool.features.template import TemplateSet

AUTO = "auto"
"""The name of the default templates."""
_TAGS = "auto-tags"

_FEW_COLUMNS = 3  # tags of other tools; a file with more columns has prepared features
FEW_VALUES = 50  # a column with more values resembles words: its neighbours would double the features
SCRIPT_WORDS = 5000  # distinct words that show the script
_CASED = 0.5  # share of the letters
_LARGE = 100_000  # tokens


@dataclass(frozen=True)
class Choice:
    """Templates for a corpus, and the reasons in a few words."""

    templates: TemplateSet
    reason: str


def choose_templates(corpus: Corpus, *, history: bool = False) -> Choice:
    """Choose templates for a labelled corpus; with ``history`` also those of the previous labels.

    >>> corpus = Corpus.from_lists(word=[["Ann", "left"]], pos=[["NNP", "VBD"]], label=[["B-PER", "O"]])
    >>> choose_templates(corpus).reason
    'spans, column pos'
    """
    columns = [name for name in corpus.columns if name not in (WORD, SPACE, corpus.label_column)]
    plain = _has_plain_labels(corpus)
    reasons = ["plain tags" if plain else "spans"]
    lines = preset_text(_TAGS if plain else AUTO).splitlines()
    if WORD not in corpus.columns:
        lines = ["bias"]
    elif not _has_cases(corpus):
        lines = [line for line in lines if "shape(" not in line and "capitals(" not in line]
        reasons.append("no capitals")
    if columns:
        reasons.append(
            ("column " if len(columns) == 1 else "columns ") + ", ".join(columns[:4]) + (", ..." if len(columns) > 4 else "")
        )
    for name in columns:
        lines += _window(name) if len(columns) <= _FEW_COLUMNS else [_prepared(corpus, name)]
    if history:
        lines += ["label[-1]", "label[-2]", "label[-1] & label[-2]"]
    return Choice(parse("\n".join(lines), source=f"preset {AUTO}"), ", ".join(reasons))


def templates_for(what: TemplateSet | str | Path, corpus: Corpus | None, *, history: bool = False) -> TemplateSet:
    """Load templates; automatic ones are chosen from the corpus, if it is given."""
    if corpus is None or not isinstance(what, str) or what != AUTO:
        return load_templates(what)
    return choose_templates(corpus, history=history).templates


def choose_min_count(what: TemplateSet | str | Path, corpus: Corpus | None) -> int:
    """Return how often a feature must occur in the corpus, by default.

    >>> choose_min_count("auto", Corpus.from_lists(word=[["Ann", "left"]]))
    1
    """
    return min_count_for(what, 0 if corpus is None else corpus.token_count)


def min_count_for(what: TemplateSet | str | Path, tokens: int) -> int:
    """Return how often a feature must occur in a corpus with this number of tokens, by default.

    >>> min_count_for("auto", 200_000)
    2
    """
    is_automatic = isinstance(what, str) and what == AUTO
    return 2 if is_automatic and tokens >= _LARGE else 1


def _has_plain_labels(corpus: Corpus) -> bool:
    name = corpus.label_column
    if name is None:
        return False
    strings = corpus.strings(name)
    return is_plain({strings[number]: 1 for number in corpus.native.distinct(name)})


def _has_cases(corpus: Corpus) -> bool:
    counts = Counter("".join(islice(corpus.strings(WORD), SCRIPT_WORDS)))
    letters = {character: count for character, count in counts.items() if character.isalpha()}
    cased = sum(count for letter, count in letters.items() if letter.lower() != letter.upper())
    return cased >= _CASED * sum(letters.values())


def _window(name: str) -> list[str]:
    return [f"{name}[-2..2]", f"{name}[-1] & {name}[0]", f"{name}[0] & {name}[1]", f"{name}[-1] & {name}[0] & {name}[1]"]


def _prepared(corpus: Corpus, name: str) -> str:
    few = len(corpus.native.distinct(name)) <= FEW_VALUES
    return f"{name}[-1..1]" if few else f"{name}[0]"
