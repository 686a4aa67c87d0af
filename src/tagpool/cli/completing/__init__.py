"""Completion of commands, options and values in shells."""
