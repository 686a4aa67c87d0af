"""conlleval in plain Python: an oracle for the chunk counts, line by line like the script, with none of tagpool in it.

Written from the published rules of conlleval (Tjong Kim Sang, CoNLL-2000, version 2004-01-26): two questions are asked
between each two neighbouring tokens, whether a chunk ended and whether one started, by tables of (previous tag, tag)
and by a change of type. A sentence ends with a token that is outside. A chunk that started in both columns at once is
held to be correct until the columns disagree.

``rules="2004"`` has the letters of that version: B, I, O and E. ``rules="bioes"`` has the tables of later versions, in
which E and S always end a chunk and B and S always start one; L is read as E and U as S.

Left out: the brackets ``[`` and ``]`` of the representations of 1999, and Perl's reading of the type ``0`` as empty.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

TABLES = {
    "2004": {
        # between these tags a chunk has ended, whatever the types
        "end": {"BB", "BO", "IB", "IO", "EE", "EI", "EO"},
        # between these tags a chunk has started, whatever the types
        "start": {"BB", "IB", "OB", "OI", "EE", "EI", "OE"},
    },
    "bioes": {
        "end": {"BB", "BO", "BS", "IB", "IO", "IS", "EE", "EI", "EO", "EB", "ES", "SE", "SI", "SO", "SB", "SS"},
        "start": {"BB", "IB", "OB", "SB", "EB", "BS", "IS", "OS", "SS", "ES", "OI", "SI", "EI", "OE", "SE", "EE"},
    },
}


@dataclass
class Counts:
    """Counts that conlleval prints: chunks by type, and tokens."""

    correct: Counter[str] = field(default_factory=Counter)
    guessed: Counter[str] = field(default_factory=Counter)
    gold: Counter[str] = field(default_factory=Counter)
    right_tokens: int = 0
    tokens: int = 0

    def rates(self) -> tuple[float, float, float]:
        """Precision, recall and FB1 in percent."""
        correct, guessed, gold = self.correct.total(), self.guessed.total(), self.gold.total()
        precision = 100 * correct / guessed if guessed > 0 else 0.0
        recall = 100 * correct / gold if gold > 0 else 0.0
        fb1 = 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0
        return precision, recall, fb1


def end_of_chunk(previous_tag: str, tag: str, previous_type: str, kind: str, rules: str) -> bool:
    if previous_tag + tag in TABLES[rules]["end"]:
        return True
    return previous_tag != "O" and previous_type != kind


def start_of_chunk(previous_tag: str, tag: str, previous_type: str, kind: str, rules: str) -> bool:
    if previous_tag + tag in TABLES[rules]["start"]:
        return True
    return tag != "O" and previous_type != kind


def split(label: str, rules: str) -> tuple[str, str]:
    tag, kind = label, ""
    if "-" in label:
        hyphen = label.index("-")
        tag, kind = label[:hyphen], label[hyphen + 1 :]
    if rules == "bioes":
        tag = {"L": "E", "U": "S"}.get(tag, tag)
    return tag, kind


def conlleval(gold: list[list[str]], guessed: list[list[str]], rules: str = "2004", raw: bool = False) -> Counts:
    """Count chunks and tokens; ``raw`` is conlleval's -r: every label that is not O is one chunk."""
    lines: list[tuple[str, str] | None] = []
    for one, other in zip(gold, guessed, strict=True):
        lines.extend(zip(one, other, strict=True))
        lines.append(None)  # the empty line after a sentence
    counts = Counts()
    last_gold, last_gold_type, last_guess, last_guess_type = "O", "", "O", ""
    in_correct = False
    for line in lines:
        gold_label, guess_label = ("O", "O") if line is None else line
        if raw:
            gold_label = "O" if gold_label == "O" else "B-" + gold_label
            guess_label = "O" if guess_label == "O" else "B-" + guess_label
        gold_tag, gold_type = split(gold_label, rules)
        guess_tag, guess_type = split(guess_label, rules)
        gold_ended = end_of_chunk(last_gold, gold_tag, last_gold_type, gold_type, rules)
        guess_ended = end_of_chunk(last_guess, guess_tag, last_guess_type, guess_type, rules)
        if in_correct:
            if gold_ended and guess_ended and last_guess_type == last_gold_type:
                in_correct = False
                counts.correct[last_gold_type] += 1
            elif gold_ended != guess_ended or guess_type != gold_type:
                in_correct = False
        gold_started = start_of_chunk(last_gold, gold_tag, last_gold_type, gold_type, rules)
        guess_started = start_of_chunk(last_guess, guess_tag, last_guess_type, guess_type, rules)
        if gold_started and guess_started and guess_type == gold_type:
            in_correct = True
        if gold_started:
            counts.gold[gold_type] += 1
        if guess_started:
            counts.guessed[guess_type] += 1
        if line is not None:
            counts.tokens += 1
            counts.right_tokens += (gold_tag, gold_type) == (guess_tag, guess_type)
        last_gold, last_gold_type, last_guess, last_guess_type = gold_tag, gold_type, guess_tag, guess_type
    if in_correct:
        counts.correct[last_gold_type] += 1
    return counts
