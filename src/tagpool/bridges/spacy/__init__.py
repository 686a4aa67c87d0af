"""spaCy: models and pools as components of pipelines (``tagpool[spacy]``).

``nlp.add_pipe("tagpool")`` and ``nlp.add_pipe("tagpool_pool")`` need no import: spaCy finds the components by entry points.
"""
