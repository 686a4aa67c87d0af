"""Search for the parameters of a learner with the best score on held-out sentences."""
