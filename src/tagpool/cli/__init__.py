"""The ``tagpool`` command."""
