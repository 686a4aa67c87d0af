"""Ray: trainings, independent fits and tagging on the machines of a Ray cluster (``tagpool[ray]``)."""
