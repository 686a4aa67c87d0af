"""Gain of a CRF from the conjunctions of an inducing tagger: dev F1 on names and on tags.

    TAGPOOL_DATA=FOLDER python benchmarks/induced_templates.py --sentences 3000

Beside the CRF with the tagger's own templates stand one with as many conjunctions of them, drawn at random, and those with the
strongest. The penalty is the same for all.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Sequence
from itertools import combinations

from measure import data_folder

from tagpool import CRF, SGD, Corpus, InducingTagger, induced_templates, load_templates, read_corpus
from tagpool.experiments.corpora import in_scheme
from tagpool.features.template import Range, Template, TemplateSet, Term


def names(sentences: int) -> tuple[Corpus, Corpus, TemplateSet]:
    folder = data_folder()
    train, dev = (
        in_scheme(read_corpus(folder / "conll2003" / f"eng.{part}.gz", columns="word,pos,chunk,label"), "bioes")
        for part in ("train", "testa")
    )
    return train[:sentences], dev, load_templates("ner-dfi").without("clusters", "embeddings", "names")


def tags(sentences: int) -> tuple[Corpus, Corpus, TemplateSet]:
    folder = data_folder() / "wsj-pos"
    train, dev = (read_corpus(folder / f"{part}.tsv.gz", columns="word,label") for part in ("train_00-18", "dev_19-21"))
    return train[:sentences], dev[:1500], load_templates("pos")


def with_random(templates: TemplateSet, count: int, seed: int) -> TemplateSet:
    """As many conjunctions of two of the templates' terms, whichever."""
    terms = [
        Term(expression, (Range(offset, offset),))
        for template in templates
        for term in template.terms
        for expression, offset in term.expand()
    ]
    drawn = random.Random(seed).sample(list(combinations(terms, 2)), count)
    return templates.keep((*templates.templates, *(Template(pair) for pair in drawn)))


def report(task: str, train: Corpus, dev: Corpus, templates: TemplateSet, counts: Sequence[int], epochs: int, l2: float) -> None:
    tagger = InducingTagger(templates, epochs=epochs).fit(train)
    print(f"{task}: {len(train):,} sentences to train on, {len(dev):,} of dev", flush=True)
    print(f"  inducing tagger ({tagger.conjunction_count:,} pairs)  {100 * tagger.score(dev):.2f}", flush=True)
    plain = templates.keep(tuple(item for item in templates if not item.is_history))
    rows = {"CRF, the same templates": plain}
    for count in counts:
        rows[f"CRF, + {count} strongest"] = induced_templates(tagger, n=count)
        rows[f"CRF, + {count} at random"] = with_random(plain, count, seed=1)
    print("  the strongest: " + ", ".join(str(item) for item in rows[f"CRF, + {counts[0]} strongest"].templates[len(plain) :]))
    for name, chosen in rows.items():
        begun = time.process_time()
        crf = CRF(chosen, l2=l2, trainer=SGD(epochs=epochs)).fit(train)
        print(
            f"  {name}  {100 * crf.score(dev):.2f}  {crf.feature_count:,} features, {time.process_time() - begun:.0f} s",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sentences", type=int, default=3000)
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--counts", type=int, nargs="+", default=[5, 20])
    parser.add_argument("--l2", type=float, default=1.0)
    supplied = parser.parse_args()
    report("names (CoNLL-2003)", *names(supplied.sentences), supplied.counts, supplied.epochs, supplied.l2)
    report("tags (WSJ)", *tags(supplied.sentences), supplied.counts, supplied.epochs, supplied.l2)


if __name__ == "__main__":
    main()
