"""The suite: tagpool's defaults and python-crfsuite with its tutorial's features on every labelled corpus."""
