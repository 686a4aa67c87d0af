"""Pools of taggers."""
