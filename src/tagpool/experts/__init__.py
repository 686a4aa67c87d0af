"""Single taggers (CRF, MaxEnt, InducingTagger): training, model files, explanations."""
