"""The built-in corpus: a seeded generator of tagged sentences, written for this project.

Sentence frames (``frames/*.txt``) are filled with names (``names.txt``) according to shapes (``shapes.txt``). Some names
occur in dev and test only, to measure a tagger on unseen names, with or without capitals.
"""

from tagpool.corpus.builtin.generate import Part, draw_sentences
from tagpool.corpus.builtin.lists import name_lists
from tagpool.corpus.builtin.shapes import Row

__all__ = ["Part", "Row", "draw_sentences", "name_lists"]
