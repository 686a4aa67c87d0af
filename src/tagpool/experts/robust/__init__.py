"""Robust training of experts: with copies of sentences that are perturbed, or lack a group of features."""
