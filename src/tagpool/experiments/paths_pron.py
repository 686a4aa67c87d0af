"""Path experts on pronunciations (PATHS, Tables 3 and 4): letter-to-sound taggers, whose outputs differ in length.

Deviation: the paper's words are not public, and its experts are the second to twentieth guess of one model whose first guess is
taken for the truth. Here words and truth are those of a pronouncing dictionary, and experts are taggers that give each letter
none, one or two phones, each trained on words of its own. Outputs are padded as in the paper, and aligned.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, TypeAlias

from tagpool.corpus.corpus import Corpus
from tagpool.experiments.corpora import pronunciations
from tagpool.experiments.letter_alignment import Table as Pieces
from tagpool.experiments.letter_alignment import fits, label_of, learn_pieces, phones_of, pieces_of
from tagpool.experiments.output_losses import MEASURES, measure_outputs
from tagpool.experiments.paths_study import VARIANTS, Losses, Variant
from tagpool.experiments.study import Setting, Study
from tagpool.experts.inducing.tagger import InducingTagger
from tagpool.experts.linear.crf import CRF
from tagpool.experts.linear.maxent import MaxEnt
from tagpool.optim.perceptron import Perceptron
from tagpool.optim.sgd import SGD
from tagpool.pools.votes.predictions import predictions_of

Word: TypeAlias = tuple[str, list[str]]

_PART = 4000  # words that an expert is trained on
ALIGNED_FROM = 5000  # words that letters are aligned by
DATA = {"PDS1": (1313, 130, 0.85), "PDS2": (6354, 400, 0.97)}  # words, those learned from, β
PAPER = {  # Hamming loss in percent, and edit distance, in the order of the methods
    "PDS1": (
        (22.25, 26.57, 23.16, 44.51, 36.25, 31.30, 47.13, 34.49),
        (0.8395, 1.0158, 0.8668, 1.8044, 1.3977, 1.1762, 1.8962, 1.2163),
    ),
    "PDS2": (
        (23.23, 23.37, 23.64, 40.90, 34.99, 33.08, 46.07, 34.13),
        (0.9626, 0.9744, 0.9840, 1.8625, 1.4092, 1.2477, 2.0838, 1.2883),
    ),
}
_MEASURES = ("Hamming", "edits")
_NEAR, _WIDE, _WIDER = "word[-2..2]", "word[-3..3]", "word[-4..4]"
_PAIRS = "word[-1] & word[0]\nword[0] & word[1]\nword[-2] & word[-1] & word[0]\nword[0] & word[1] & word[2]"
_TRIPLES = f"{_PAIRS}\nword[-1] & word[0] & word[1]\nword[0] & word[1] & word[2] & word[3]"
WAYS = {"pad": VARIANTS, "align": VARIANTS | {"mvote, shared": Variant("mvote", "shared")}}


def run(setting: Setting) -> Study:
    """Tables 3 and 4: the loss of every method on words like the paper's two sets, outputs padded and aligned."""
    study = Study(
        "paths-pron", "Path experts on pronunciations (PATHS, Tables 3 and 4): Hamming loss in percent, edits in a word"
    )
    words = pronunciations(setting)
    random.Random(1).shuffle(words)
    count = len(_experts())
    scale = min(1.0, 0.05 if setting.quick else 1.0, len(words) / (count * _PART + sum(size for size, _, _ in DATA.values())))
    part = int(scale * _PART)
    setting.report(f"{count} experts, {part} words for each")
    pieces = learn_pieces(words[: min(ALIGNED_FROM, count * part)])
    parts = [labelled(words[number * part : (number + 1) * part], pieces) for number in range(count)]
    experts = {name: model.fit(selected) for (name, model), selected in zip(_experts().items(), parts, strict=True)}
    begin = count * part
    for data, (size, learned, beta) in DATA.items():
        chosen = words[begin : begin + int(scale * size)]
        begin += len(chosen)
        setting.report(f"{data}: {len(chosen)} words, outputs padded and aligned")
        labels = predictions_of(experts, [list(word) for word, _ in chosen])
        outputs = {name: [phones_of(item) for item in rows] for name, rows in labels.items()}
        gold = [phones for _, phones in chosen]
        results = measure_outputs(outputs, gold, WAYS, max(int(scale * learned), 2), 2 if setting.quick else 10, beta)
        for measure, papers in zip(_MEASURES, PAPER[data], strict=True):
            study.rows += results[measure].rows(f"{data}, {measure}", papers, MEASURES[measure])
        study.notes.append(_significance(data, results))
    study.notes += [
        f"{count} taggers as experts, each trained on {part:,} words of its own; letters are aligned to phones by expectation "
        f"maximisation over {min(ALIGNED_FROM, count * part):,} words, each letter with none, one or two phones. Words like "
        "PDS1 and PDS2 are as many as the paper's, from the dictionary, with their first pronunciation, without stress; as "
        "many as in the paper are learned from, with its β (0.85 and 0.97). Mean of disjoint sets of words to learn from, "
        "tried on all others, with the 95% interval of the mean. δ = 0.05.",
        "Rows without a further word are padded, as in the paper: symbols stand at their positions from the left. Aligned: to "
        "the output that is nearest to all others; the gold labels of test words are not used. Hamming: positions "
        "that differ, both padded to the longer one, divided by its length.",
        "The paper's experts and words are others: the order of the methods can be compared, the digits cannot.",
    ]
    return study


def labelled(words: Sequence[Word], pieces: Pieces) -> Corpus:
    """Return words as sentences of letters, labelled with their phones; words without an alignment are dropped."""
    aligned = [(word, pieces_of(word, phones, pieces)) for word, phones in words if fits(word, phones)]
    known = [(word, results) for word, results in aligned if results is not None]
    return Corpus.from_lists(
        word=[list(word) for word, _ in known], label=[[label_of(piece) for piece in results] for _, results in known]
    )


def letter_to_sound() -> CRF:
    """Return the tagger that is the best of the experts: it labels letters with their phones."""
    return CRF(f"{_WIDE}\n{_TRIPLES}", trainer=SGD(epochs=10))


def _significance(data: str, results: dict[str, Losses]) -> str:
    parts = [
        f"{measure} {results[measure].less('mvote', 'best', MEASURES[measure])}, "
        f"aligned {results[measure].less('mvote, aligned', 'best, aligned', MEASURES[measure])}"
        for measure in _MEASURES
    ]
    return f"{data}: MVote loses less than the best expert by: {'; '.join(parts)} (bootstrap over words)."


def _experts() -> dict[str, Any]:
    """Return taggers with different windows of letters."""
    return {
        "MaxEnt, 2 letters": MaxEnt(f"{_NEAR}\n{_PAIRS}", trainer=SGD(epochs=10)),
        "MaxEnt, 3 letters": MaxEnt(f"{_WIDE}\n{_PAIRS}", trainer=SGD(epochs=10)),
        "MaxEnt, 4 letters": MaxEnt(f"{_WIDER}\n{_TRIPLES}", trainer=SGD(epochs=10)),
        "perceptron, 2 letters": MaxEnt(f"{_NEAR}\n{_PAIRS}", l2=0.0, trainer=Perceptron(epochs=10)),
        "perceptron, 4 letters": MaxEnt(f"{_WIDER}\n{_TRIPLES}", l2=0.0, trainer=Perceptron(epochs=10)),
        "structured perceptron": CRF(f"{_WIDE}\n{_PAIRS}", l2=0.0, trainer=Perceptron(epochs=10)),
        "CRF, 2 letters": CRF(f"{_NEAR}\n{_PAIRS}", trainer=SGD(epochs=10)),
        "CRF, 3 letters": letter_to_sound(),
        "inducing tagger": InducingTagger(f"{_WIDER}\nlabel[-1]\nlabel[-2] & label[-1]", epochs=10),
    }
