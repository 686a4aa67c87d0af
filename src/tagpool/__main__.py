"""``python -m tagpool`` is the command ``tagpool``."""

from tagpool.cli.main import run

run()
