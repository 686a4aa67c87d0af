"""TwoStageTagger: a second tagger with the labels of a first."""
