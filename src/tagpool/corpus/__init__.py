"""The door: sentences and corpora, the formats they are read from, tag schemes and splits."""
