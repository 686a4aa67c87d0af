"""Pools: several experts that tag together."""
