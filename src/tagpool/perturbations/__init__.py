"""Perturbations: realistic changes of text that keep its gold labels aligned.

One module has the types (``perturbation``), one applies them (``perturb``), one derives labels and columns (``rewriting``); the
others have perturbations of one kind each, registered in ``registry``.
"""
