"""``python -m tagpool`` is the command ``tagpool``."""

from tagpool.cli.entry import run

run()
