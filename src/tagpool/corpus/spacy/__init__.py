"""Documents of spaCy: their annotations as labels, and .spacy files (``tagpool[spacy]``)."""
