"""Pools without gold labels: Dawid–Skene, and expectation maximisation with word taggers inside."""
