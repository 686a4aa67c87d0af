"""Sentences and corpora, file formats, tag schemes and splits."""
