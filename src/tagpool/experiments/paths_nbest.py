"""Path experts that are the 1st to pth best outputs of one system (PATHS, Tables 3, 4, 6 and 7).

Deviation: the paper's words are not public. Here words are those of a pronouncing dictionary, and the lists are those of a
letter-to-sound CRF. Its lists of a speech recogniser are not public either: here a CRF recognises handwritten words, whose
letters take the place of spoken words.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np

from tagpool.experiments.corpora import handwriting, pronunciations
from tagpool.experiments.letter_alignment import learn_pieces, phones_of
from tagpool.experiments.nbest import Lists, Output, Results, best_outputs, experts_of, rank_table
from tagpool.experiments.output_losses import MEASURES, measure_outputs
from tagpool.experiments.paths_ocr import L2, TEMPLATES
from tagpool.experiments.paths_pron import ALIGNED_FROM, DATA, PAPER, WAYS, labelled, letter_to_sound
from tagpool.experiments.paths_study import VARIANTS, folds_of, measure_losses
from tagpool.experiments.study import Row, Setting, Study, sample_row
from tagpool.experts.linear.crf import CRF
from tagpool.optim.lbfgs import LBFGS
from tagpool.pools.votes.ballots import ballots_of

_TAUGHT = 30_000  # words that the letter-to-sound CRF is trained on
_RANKS = 20  # pronunciations of a word
_SPARE = 1.1  # words that are read for each word that is used: some have fewer pronunciations
_SHORTEST = 4  # letters, as in the paper
_BETA = 0.97  # of Tables 6 and 7; also for pronunciations with the dictionary as target
_KNOWN_RANKS = (5, 10)  # p, where the dictionary is the target
_FIRST = "Pronunciations (Tables 3 and 4): the target is the 1st output, experts are the 2nd to 20th"
_DICTIONARY = "Pronunciations: the target is that of the dictionary, experts are the 1st to pth output"
_HANDWRITING = f"Handwriting instead of speech (Tables 6 and 7): words of {_SHORTEST} or more letters"
_MARGINALS = "most probable letters, without votes"
# Standard deviations in the paper, in the order of the methods: of Hamming loss (Table 3) and of edits (Table 4).
_DEVIATIONS = {
    "PDS1": (
        (0.301, 7.947, 0.189, 2.743, 1.054, 5.137, 0.360, 0.368),
        (0.01076, 0.34379, 0.00553, 0.09315, 0.06017, 0.12530, 0.01064, 0.00619),
    ),
    "PDS2": (
        (0.069, 0.229, 0.080, 1.388, 0.509, 3.182, 0.131, 0.067),
        (0.00341, 0.01277, 0.00364, 0.06016, 0.04352, 0.12267, 0.00518, 0.00219),
    ),
}
# Tables 6 and 7, by p: the number of words to learn from (m), and Hamming loss with its standard deviation.
_LEARNED = {5: 1500, 10: 1200, 20: 900, 50: 700}
_SPEECH = {
    5: (
        (24.65, 25.00, 25.04, 27.26, 25.72, 25.72, 28.77, 25.73),
        (0.248, 0.248, 0.576, 0.839, 0.062, 0.061, 0.480, 0.060),
    ),
    10: (
        (26.06, 26.22, 27.55, 32.19, 28.64, 28.64, 34.30, 28.65),
        (0.320, 0.316, 0.212, 1.176, 0.103, 0.102, 0.468, 0.101),
    ),
    20: (
        (27.73, 27.97, 29.86, 38.16, 31.15, 31.14, 39.77, 31.16),
        (0.139, 0.154, 0.075, 1.457, 0.089, 0.087, 0.302, 0.087),
    ),
    50: (
        (32.17, 31.89, 34.01, 44.51, 34.26, 34.25, 46.08, 34.27),
        (0.375, 0.344, 0.054, 1.360, 0.071, 0.076, 0.303, 0.077),
    ),
}


def run(setting: Setting) -> Study:
    """Tables 3, 4, 6 and 7: n-best lists of a letter-to-sound CRF, and of a recogniser of handwriting."""
    title = "Path experts from n-best lists (PATHS, Tables 3, 4, 6 and 7): losses in percent, edits in a word"
    results = Results(setting, Study("paths-nbest", title))
    results.study.notes += [
        "The experts are the outputs of one system by their rank. Mean ± standard deviation over disjoint sets of words to learn "
        f"from ({results.folds}), each tried on all other words. δ = 0.05, ε = 0.5/(p·l), at most 100 rounds of ESPBoost and "
        "SLE, as in the paper. A majority in which all count alike is not in it. best: the expert with the least loss on the "
        "words that are learned from.",
        "Intervals and p values: bootstrap over words, for each the mean of its test runs. By length: trained on all lengths.",
        "SLE selects as many experts as help, and in the paper often a single one; the paper refers elsewhere for its rule. "
        "Stopped early: it ends at the first round without improvement.",
    ]
    _pronounce(results)
    _recognise(results)
    return results.finish()


def _pronounce(results: Results) -> None:
    """Add the rows of pronunciations."""
    setting = results.setting
    words = pronunciations(setting)
    random.Random(1).shuffle(words)
    tried = _SPARE * sum(size for size, _, _ in DATA.values())
    scale = min(0.05 if setting.quick else 1.0, len(words) / (_TAUGHT + tried))
    taught = int(scale * _TAUGHT)
    aligned = min(ALIGNED_FROM, taught)
    setting.report(f"letter-to-sound CRF, {taught:,} words")
    model = letter_to_sound().fit(labelled(words[:taught], learn_pieces(words[:aligned])))
    read = words[taught : taught + int(scale * tried)]
    setting.report(f"the {_RANKS} best pronunciations of {len(read):,} words")
    lists = best_outputs(model, [list(word) for word, _ in read], _RANKS, phones_of)
    complete = [(ranked, phones) for ranked, (_, phones) in zip(lists, read, strict=True) if len(ranked) == _RANKS]
    results.study.notes.append(
        f"Pronunciations: one CRF, trained on {taught:,} words of the dictionary (first pronunciation, without stress); letters "
        f"are aligned to phones by expectation maximisation over {aligned:,} words. A list has the {_RANKS} best distinct "
        f"pronunciations; {len(read) - len(complete)} of {len(read):,} words have fewer, and are left out."
    )
    begin = 0
    for data, (size, learned, beta) in DATA.items():
        chosen = complete[begin : begin + int(scale * size)]
        begin += len(chosen)
        ranked, gold = [ranked for ranked, _ in chosen], [phones for _, phones in chosen]
        _against_first(results, data, ranked, results.learned(scale * learned, len(chosen)), beta)
    # The words of the last and larger set, PDS2.
    _against_dictionary(results, ranked, gold, results.learned(scale * learned, len(ranked)))


def _against_first(results: Results, data: str, lists: Lists, learned: int, beta: float) -> None:
    """Add the rows of the paper's protocol: the first output is the target, all others are experts."""
    results.setting.report(f"{data}: {len(lists):,} words, {_RANKS - 1} experts, the first output as target")
    gold = [ranked[0] for ranked in lists]
    losses = measure_outputs(experts_of(lists, range(1, _RANKS)), gold, {"pad": VARIANTS}, learned, results.folds, beta)
    for number, measure in enumerate(("Hamming", "edits")):
        papers = PAPER[data][number], _DEVIATIONS[data][number]
        results.add(_FIRST, f"{data}, {measure}", losses[measure], papers, MEASURES[measure])
    results.add_lengths(data, losses["Hamming"], np.array(list(map(len, gold))))
    results.study.notes.append(
        f"{data}: as in the paper, the first output is taken for the truth. {len(lists):,} words, {learned} to learn from, β = "
        f"{beta}. The paper's words are others: the order of the methods can be compared, the digits cannot."
    )


def _against_dictionary(results: Results, lists: Lists, gold: Sequence[Output], learned: int) -> None:
    """Add the rows of outputs that are compared with the dictionary."""
    for p in _KNOWN_RANKS:
        results.setting.report(f"{len(lists):,} words, {p} experts, the dictionary as target")
        losses = measure_outputs(experts_of(lists, range(p)), gold, WAYS, learned, results.folds, _BETA)
        for measure in ("Hamming", "normalised edits"):
            results.add(_DICTIONARY, f"pronunciations, p = {p}, {measure}", losses[measure])
        results.add_lengths(f"pronunciations, p = {p}", losses["Hamming"], np.array(list(map(len, gold))))
    results.study.tables.append(rank_table("Loss by rank: pronunciations", lists, gold))
    results.study.notes.append(
        f"Dictionary as target: the words of PDS2, {learned} to learn from, β = {_BETA}. Hamming: positions that differ, both "
        "padded to the longer one, divided by its length; normalised edits: edits divided by the same length. Outputs are "
        "padded as in the paper, or aligned to the output that is nearest to all others."
    )


def _recognise(results: Results) -> None:
    """Add the rows of handwriting."""
    corpus, folds = handwriting(results.setting)
    taught = [number for number, fold in enumerate(folds) if fold == min(folds)]
    rest = [number for number, fold in enumerate(folds) if fold != min(folds)]
    random.Random(1).shuffle(rest)
    words, ranks = corpus.select(rest), max(_SPEECH)
    results.setting.report(f"recogniser of handwriting, {len(taught):,} words; the {ranks} best readings of {len(rest):,}")
    model = CRF(TEMPLATES, l2=L2, trainer=LBFGS()).fit(corpus.select(taught))
    lists = best_outputs(model, words, ranks)
    probable = [[model.labels_[label] for label in part.argmax(axis=1)] for part in model.predict_proba(words)]
    gold = words.labels
    sizes = []
    for p, papers in _SPEECH.items():
        for shortest in (1, _SHORTEST):
            chosen = [number for number, row in enumerate(gold) if len(row) >= shortest and len(lists[number]) >= p]
            learned = results.learned(_LEARNED[p], len(chosen))
            results.setting.report(f"{len(chosen):,} words of {shortest} or more letters, {p} experts, {learned} to learn from")
            right = [gold[number] for number in chosen]
            ballots = ballots_of(experts_of([lists[number] for number in chosen], range(p)), right)
            losses = measure_losses(ballots, folds_of(len(chosen), learned, results.folds), VARIANTS, _BETA)
            if shortest == 1:
                results.add_lengths(f"handwriting, p = {p}", losses, ballots.lengths)
            else:
                results.add(_HANDWRITING, f"handwriting, p = {p}", losses, papers)
                results.study.rows.append(_marginals(f"handwriting, p = {p}", right, [probable[number] for number in chosen]))
                sizes.append(f"{learned} of {len(chosen):,} (p = {p}; the paper: {_LEARNED[p]:,})")
    results.study.tables.append(rank_table("Loss by rank: handwriting", lists, gold))
    results.study.notes.append(
        "Handwriting: the paper's lists of a speech recogniser are not public; its figures are those of speech. Here one CRF "
        f"reads words from the pixels of their letters. It is trained on one fold of the data, {len(taught)} words, and reads "
        f"the other {len(rest):,}. All readings "
        f"of a word have its length: nothing is padded. β = {_BETA}, as in the paper. Words to learn from: {', '.join(sizes)}; "
        f"the data has too few for larger disjoint sets. {_MARGINALS.capitalize()}: for every letter the label with the largest "
        "marginal probability of the CRF. This needs the model; votes on ever longer lists, weighted by probability, approach it."
    )


def _marginals(metric: str, gold: Sequence[Output], predicted: Sequence[Output]) -> Row:
    wrong = [np.mean([a != b for a, b in zip(*pair, strict=True)]) for pair in zip(gold, predicted, strict=True)]
    return sample_row(_MARGINALS, metric, [100 * float(np.mean(wrong))])
