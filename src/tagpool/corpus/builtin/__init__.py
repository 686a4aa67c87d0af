"""The built-in corpus: a seeded generator of tagged sentences, written for this project.

Sentence frames (``frames/*.txt``) are filled with names (``names.txt``) put together by shapes (``shapes.txt``). Part
of the names is kept from training, so a test can ask how a tagger copes with names it has never seen, or with lost
capitals.
"""

from tagpool.corpus.builtin.generate import Part, draw_sentences
from tagpool.corpus.builtin.lists import name_lists
from tagpool.corpus.builtin.shapes import Row

__all__ = ["Part", "Row", "draw_sentences", "name_lists"]
