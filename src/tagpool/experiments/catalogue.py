"""The experiments by name. A module is imported when its experiment is run."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import cast

from tagpool.errors import InputError
from tagpool.experiments.study import SEEDS, Setting, Study


@dataclass(frozen=True)
class Experiment:
    """Description and module of an experiment. One that is ``generated`` reads no corpora; ``seeds`` is its number of seeds."""

    what: str
    module: str
    function: str = "run"
    generated: bool = False
    seeds: int = SEEDS

    def run(self, setting: Setting) -> Study:
        """Run the experiment."""
        module = importlib.import_module(f"tagpool.experiments.{self.module}")
        return cast("Callable[[Setting], Study]", getattr(module, self.function))(self.resolve(setting))

    def resolve(self, setting: Setting) -> Setting:
        """Return the setting with the experiment's number of seeds, unless it has one, and without corpora that are not read."""
        return replace(setting, seeds=setting.seeds or self.seeds, data=None if self.generated else setting.data)


EXPERIMENTS = {
    "undertraining": Experiment(
        "BAGGING, Figure 1: a strong feature missing at test time, on generated data", "undertraining", generated=True
    ),
    "bagging-ner": Experiment("BAGGING, Tables 1 and 2: bags of features on names of CoNLL-2003", "bagging"),
    "bagging-chunk": Experiment("BAGGING, Table 3: bags of features on chunks of CoNLL-2000", "chunks"),
    "elitist-ner": Experiment("ELITIST, Tables 2 and 3: six models on names of four corpora", "elitist"),
    "dfi-pos": Experiment("DFI, Tables 3 and 4: induced features on tags of the Wall Street Journal", "induced_tags"),
    "dfi-ner": Experiment("DFI, Tables 7 and 8: induced features on names of CoNLL-2003", "induced_names"),
    "paths-artificial": Experiment("PATHS, Tables 1 and 2: path experts on generated data", "paths_artificial", generated=True),
    "paths-pos": Experiment("PATHS, Table 5: path experts on parts of speech of the Wall Street Journal", "paths_pos"),
    "paths-ner": Experiment("taggers of every kind on names of CoNLL-2003, pooled by labels and probabilities", "paths_ner"),
    "paths-ocr": Experiment("PATHS, section 5.3: path experts on handwriting", "paths_ocr"),
    "paths-pron": Experiment("PATHS, Tables 3 and 4: path experts on pronunciations", "paths_pron"),
    "paths-nbest": Experiment("PATHS, Tables 3, 4, 6 and 7: experts are the n best outputs of one system", "paths_nbest"),
    "robustness": Experiment("every model with a group of its features missing, and without capitals", "robustness"),
    "pools-noisebench": Experiment(
        "pools of four noisy experts (NoiseBench) by number of gold sentences", "pools_noisebench", seeds=20
    ),
    "pools-crowd": Experiment("pools of crowd workers (CoNLL-2003) by number of gold sentences", "pools_crowd"),
    "pools-order": Experiment("gold sentences as pool suggest orders them, against random order", "pools_order", seeds=10),
    "mistakes": Experiment("likely annotation errors of noisy labels (NoiseBench): precision of the first rows", "mistakes"),
    "users": Experiment("seven models with their defaults on eight corpora: F1, costs, and text without capitals", "users"),
    "suggest": Experiment("sentences as suggest orders them, against random order: F1 by number of labels", "suggestions"),
}
ALL = "all"  # in place of a name
NAMES = (*EXPERIMENTS, ALL)


def experiment(name: str) -> Experiment:
    """Return an experiment by name; the error for an unknown name lists all."""
    if name not in EXPERIMENTS:
        raise InputError(f"no experiment {name!r}; there are {', '.join(EXPERIMENTS)}")
    return EXPERIMENTS[name]
