"""Label sequences of a sentence: scores, best sequences, probabilities and samples."""
