"""The shop: the ``tagpool`` command."""
