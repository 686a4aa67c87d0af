"""Ray: trainings, independent fits and tagging on the machines of a Ray cluster (``tagpool[ray]``)."""

from tagpool.bridges.ray.data import Tag
from tagpool.bridges.ray.engine import Ray

__all__ = ["Ray", "Tag"]
