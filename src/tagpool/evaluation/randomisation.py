"""Documented place of the randomisation test, which is in :mod:`tagpool.evaluation.significance`."""

from tagpool.evaluation.significance import Randomisation as Randomisation
from tagpool.evaluation.significance import randomisation_test as randomisation_test
