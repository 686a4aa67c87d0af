"""The built-in corpus: a seeded generator of tagged sentences, written for this project.

Sentence frames (``frames/*.txt``) are filled with names (``names.txt``) according to shapes (``shapes.txt``). Some names
occur in dev and test only, to measure a tagger on unseen names, with or without capitals.
"""
