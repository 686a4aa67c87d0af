"""Configuration: TOML files, or ``--set`` options after a NUL, and the learner that they describe."""

from __future__ import annotations

from harness import file_of, fuzz, instrument, text_of

with instrument():
    from tagpool.cli.training.learners import create_learner, new_settings
    from tagpool.config import parse_setting, read_config
    from tagpool.config_keys import DataOptions, OutputOptions


def check(data: bytes) -> None:
    """A configuration creates a learner or is refused."""
    settings = new_settings()
    if data.startswith(b"\0"):
        for line in text_of(data[1:]).splitlines():
            settings.add("--set", parse_setting(line))
    else:
        settings.add("run.toml", read_config(file_of(data)))
    settings.options("data", DataOptions)
    settings.options("output", OutputOptions)
    create_learner(settings, None, 1)


if __name__ == "__main__":
    fuzz(check)
