"""Error analysis: known and unknown words, confused labels, Hamming loss and edit distance.

The breakdown by vocabulary is that of Wang and Manning (ELITIST, IJCNLP 2013, §6.3 and Table 3): words of the test data are in
the vocabulary of the training data (IV) or not (OOV), boundary letters are removed (``I-ORG`` becomes ``ORG``), and every token
is scored separately. The two losses are those of Cortes, Kuznetsov and Mohri (ACL 2014).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from tagpool.corpus.rows import as_rows
from tagpool.errors import InputError
from tagpool.evaluation.alignment import IntArray, LabelSequences, align, check_lengths
from tagpool.evaluation.chunks import ratio
from tagpool.evaluation.numbered_labels import read_labels
from tagpool.evaluation.scores import TypeScore
from tagpool.wording import counted


@dataclass(frozen=True)
class TokenScore(TypeScore):
    """Token scores from 0 to 1; ``gold``, ``predicted`` and ``correct`` count the tokens that are not outside."""

    accuracy: float
    tokens: int


@dataclass(frozen=True)
class VocabularyBreakdown:
    """Token scores of words seen in training and of the others."""

    in_vocabulary: TokenScore
    out_of_vocabulary: TokenScore


@dataclass(frozen=True)
class Hamming:
    """Wrong labels: number, fraction of all tokens, and mean over sentences of the fraction in each."""

    errors: int
    tokens: int
    by_token: float
    by_sentence: float


@dataclass(frozen=True)
class EditDistance:
    """Edits (insert, delete, replace a label) from predicted to gold sequences.

    ``mean`` is per sentence; ``normalised`` is the mean of each sentence's edits divided by its longer length.
    """

    total: int
    sentences: int
    mean: float
    normalised: float


@dataclass(frozen=True, eq=False)
class Confusion:
    """Number of tokens with each gold label (row) and predicted label (column), an [L][L] matrix."""

    labels: tuple[str, ...]
    counts: IntArray

    def most_confused(self, limit: int = 10) -> list[tuple[str, str, int]]:
        """Return the most frequent errors as (gold, predicted, count), most frequent first; ties by name.

        >>> confusion([["NN", "VB", "NN"]], [["NN", "NN", "NN"]]).most_confused()
        [('VB', 'NN', 1)]
        """
        errors = self.counts - np.diag(np.diag(self.counts))
        rows, columns = np.nonzero(errors)
        counts = zip(rows.tolist(), columns.tolist(), errors[rows, columns].tolist(), strict=True)
        cells = [(self.labels[row], self.labels[column], count) for row, column, count in counts]
        return sorted(cells, key=lambda cell: (-cell[2], *cell[:2]))[:limit]


def vocabulary_of(sentences: Iterable[Iterable[str]]) -> frozenset[str]:
    """Return the distinct words of sentences."""
    return frozenset(chain.from_iterable(sentences))


def vocabulary_breakdown(
    words: Sequence[Sequence[str]],
    gold: LabelSequences,
    predicted: LabelSequences,
    vocabulary: Collection[str],
    *,
    plain: bool | None = None,
) -> VocabularyBreakdown:
    """Score the tokens whose word is in the vocabulary of the training data, and the others, separately.

    Precision, recall and F1 are over entity tokens: a token counts as predicted (gold) if its predicted (gold) type is not
    outside, and as correct if both types are equal and not outside. The boundary letter is removed, so ``B-PER`` for ``I-PER``
    is correct; plain labels stay whole (``plain`` as in ``score``). Accuracy is over all tokens of the part.

    >>> gold, predicted = [["B-PER", "O", "B-PER"]], [["I-PER", "O", "O"]]
    >>> parts = vocabulary_breakdown([["Ann", "sees", "Bob"]], gold, predicted, {"Ann"})
    >>> parts.in_vocabulary.f1, parts.out_of_vocabulary.recall, parts.out_of_vocabulary.accuracy
    (1.0, 0.0, 0.5)
    """
    gold, words = as_rows(gold, "labels"), as_rows(words, "words")
    check_lengths(gold, words, "word")
    alignment = align(gold, predicted)
    parts = read_labels(alignment.labels, alignment.plain if plain is None else plain, "O")
    types = [None if part.role == "O" else part.type for part in parts]
    number: dict[str | None, int] = {None: -1}
    type_of = np.array([number.setdefault(kind, len(number)) for kind in types], np.int64)
    known_words = vocabulary if isinstance(vocabulary, (set, frozenset, dict)) else frozenset(vocabulary)
    known = np.fromiter(map(known_words.__contains__, chain.from_iterable(words)), bool, alignment.tokens)
    wanted, guessed = type_of[alignment.gold], type_of[alignment.predicted]
    return VocabularyBreakdown(_token_score(wanted, guessed, known), _token_score(wanted, guessed, ~known))


def hamming(gold: LabelSequences, predicted: LabelSequences) -> Hamming:
    """Count wrong labels; ``by_sentence`` is the average normalised Hamming loss of the path-expert papers.

    Empty sentences have no loss. The accuracy is 1 − by_token.

    >>> hamming([["a", "b"], ["a"]], [["a", "a"], ["a"]]).by_sentence
    0.25
    """
    alignment = align(gold, predicted)
    wrong = ~alignment.right
    errors = int(wrong.sum())
    by_sentence = ratio(alignment.sum_by_sentence(wrong), alignment.lengths)
    return Hamming(
        errors=errors,
        tokens=alignment.tokens,
        by_token=errors / max(alignment.tokens, 1),
        by_sentence=float(by_sentence.sum()) / max(alignment.sentences, 1),
    )


def edit_distance(gold: LabelSequences, predicted: LabelSequences) -> EditDistance:
    """Return the edit distance of label sequences, which may differ in length.

    >>> edit_distance([["k", "a", "t"], ["a"]], [["k", "t"], ["a"]])
    EditDistance(total=1, sentences=2, mean=0.5, normalised=0.16666666666666666)
    """
    gold, predicted = as_rows(gold, "labels"), as_rows(predicted, "labels")
    if len(gold) != len(predicted):
        raise InputError(f"expected {counted(len(gold), 'predicted sentence')}, as in gold, got {len(predicted)}")
    edits = [levenshtein(one, other) for one, other in zip(gold, predicted, strict=True)]
    lengths = [max(len(one), len(other), 1) for one, other in zip(gold, predicted, strict=True)]
    sentences = max(len(edits), 1)
    normalised = sum(edit / length for edit, length in zip(edits, lengths, strict=True)) / sentences
    return EditDistance(sum(edits), len(edits), sum(edits) / sentences, normalised)


def levenshtein(first: Sequence[str], second: Sequence[str]) -> int:
    """Return the least number of insertions, deletions and replacements that turn one sequence into the other.

    Column by column of the usual table, with the differences of neighbouring cells as bits of two integers (Myers 1999,
    in the form of Hyyrö 2003): O(n) operations on integers of m bits.

    >>> levenshtein(["k", "a", "t"], ["k", "t"]), levenshtein([], ["a", "b"])
    (1, 2)
    """
    size = len(first)
    if not size:
        return len(second)
    places: dict[str, int] = {}
    for position, label in enumerate(first):
        places[label] = places.get(label, 0) | 1 << position
    full = (1 << size) - 1
    last = 1 << size - 1
    up, down, distance = full, 0, size  # vertical differences +1 and −1, and the cell at the bottom of the column
    for label in second:
        match = places.get(label, 0)
        diagonal = (((match & up) + up) ^ up) | match | down
        right_up, right_down = down | ~(diagonal | up) & full, up & diagonal  # horizontal differences
        distance += bool(right_up & last) - bool(right_down & last)
        right_up = right_up << 1 | 1  # the top row of the table grows by one
        right_down = right_down << 1
        up = (right_down | ~(diagonal | right_up)) & full
        down = right_up & diagonal & full
    return distance


def confusion(gold: LabelSequences, predicted: LabelSequences) -> Confusion:
    """Count how often each gold label was predicted as each label; labels are in alphabetical order.

    >>> confusion([["NN", "VB", "NN"]], [["NN", "NN", "NN"]]).counts
    array([[2, 0],
           [1, 0]])
    """
    alignment = align(gold, predicted)
    labels = tuple(sorted(alignment.labels))
    order = np.array([labels.index(label) for label in alignment.labels], np.int64)
    size = len(labels)
    cells = order[alignment.gold] * size + order[alignment.predicted]
    return Confusion(labels, np.bincount(cells, minlength=size * size).reshape(size, size))


def _token_score(gold: IntArray, predicted: IntArray, mask: NDArray[np.bool_]) -> TokenScore:
    gold, predicted = gold[mask], predicted[mask]
    same = gold == predicted
    counts = TypeScore.of(int((same & (gold >= 0)).sum()), int((predicted >= 0).sum()), int((gold >= 0).sum()))
    return TokenScore(**vars(counts), accuracy=float(ratio(same.sum(), len(gold))), tokens=len(gold))
