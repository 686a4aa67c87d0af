"""Dynamic feature induction (Choi 2016) on names of CoNLL-2003; see ``induction``."""

from __future__ import annotations

from dataclasses import replace

from tagpool.experiments.corpora import conll2003, read_resources, templates
from tagpool.experiments.fits import measured, precision_and_recall
from tagpool.experiments.induction import POOLED, Step, Taggers, Task, add_notes, train_steps
from tagpool.experiments.study import Setting, Study

_VECTORS = ("names", "clusters", "embeddings")
_M3, _M4 = "M3: M2 + embeddings", "M4: M3 + induction"
_LINEAR = Step("", step=0.05, epochs=14)
NAME_STEPS = (
    replace(_LINEAR, name="M0: baseline", paper=(90.87, 89.15, 90.00, 84.44)),
    replace(_LINEAR, name="M1: M0 + name lists", bags=("names",), paper=(92.30, 90.61, 91.45, 86.85)),
    replace(_LINEAR, name="M2: M1 + clusters", bags=("names", "clusters"), paper=(93.66, 91.79, 92.72, 89.64)),
    Step(_M3, _VECTORS, paper=(94.14, 92.43, 93.27, 90.57)),
    Step(_M4, _VECTORS, True, (94.50, 93.10, 93.79, 91.00)),
    Step("M3 + documents", (*_VECTORS, "document"), like=_M3),
    Step("M4 + documents", (*_VECTORS, "document"), True, like=_M4),
)


def run(setting: Setting) -> Study:
    """Run tables 7 and 8: names of CoNLL-2003."""
    study = Study("dfi-ner", "Dynamic feature induction: names of CoNLL-2003 (DFI, Tables 7 and 8)")
    split = conll2003(setting)
    resources = read_resources(setting, "names", "brown", "tweets", "glove")
    task = Task(split, templates("names-induced"), resources, epochs=12, tried_epochs=2, beam=8, scheme="bioes")
    results = train_steps(task, NAME_STEPS, setting)
    more: dict[str, Taggers] = {}
    for name in (_M3, _M4):
        on_dev, on_test = results[name].greedy
        more[f"{name[:2]}, greedy"] = Taggers(on_dev=on_dev, on_test=on_test)
    more[f"M4 + documents, {POOLED}"] = task.pool([results["M4 + documents"]])
    for name, taggers in (results | more).items():
        study.rows += precision_and_recall(name, "dev", split.dev.labels, taggers.on_dev, taggers.paper[:2])
        study.rows.append(measured(name, "dev F1", split.dev.labels, taggers.on_dev, paper=taggers.paper[2]))
        study.rows.append(measured(name, "test F1", split.test.labels, taggers.on_test, paper=taggers.paper[3]))
    rivals = {_M4: _M3, "M4 + documents": "M3 + documents"}
    add_notes(study, task, results, rivals, setting)
    study.notes.append(
        "Dropout does not always help: with the default templates, 0.1 gains 1.2 F1 on the dev part of CoNLL-2002 (Spanish) and "
        "loses 0.7 on that of BioCreative II (genes)."
    )
    study.notes.append(
        f"Labels are BIOES inside. Beyond the paper: tagging keeps the {task.beam} best sequences (greedy rows: the same taggers "
        "with one); clusters are of two sources; documents: features of the other occurrences of a word in its document."
    )
    return study
