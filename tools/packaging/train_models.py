"""Train small models with the installed tagpool, and print the digest of their files: the same for all versions of Python."""

from __future__ import annotations

import hashlib
import tempfile
from pathlib import Path

import tagpool
from tagpool.compat import pycrfsuite


def main() -> None:
    """Train one model of each kind of native code: chains, single tokens, induced features, and the drop-in."""
    corpus = tagpool.builtin_corpus(150)
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{number}.model" for number in range(4)]
        for path, tagger in zip(paths, (tagpool.CRF("ner"), tagpool.MaxEnt("ner"), tagpool.InducingTagger("ner")), strict=False):
            tagger.fit(corpus).save(path)
        trainer = pycrfsuite.Trainer(verbose=False, params={"max_iterations": 20})
        for words, labels in zip(corpus.words, corpus.labels, strict=True):
            trainer.append([[f"w={word}", f"s={word[-2:]}"] for word in words], labels)
        trainer.train(str(paths[-1]))
        digest = hashlib.sha256(b"".join(path.read_bytes() for path in paths))
    print(digest.hexdigest())


if __name__ == "__main__":
    main()
