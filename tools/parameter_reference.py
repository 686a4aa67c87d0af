"""Write docs/reference/parameters.md from the declarations of the parameters: python tools/parameter_reference.py."""

from __future__ import annotations

from pathlib import Path

from tagpool.cli.training.learners import LEARNERS
from tagpool.config import HIDDEN, toml_value
from tagpool.config_keys import FEATURES, DataOptions, FeatureOptions, OutputOptions
from tagpool.optim.trainers import TRAINERS
from tagpool.parameters import Parameter, Parameters
from tagpool.pools.votes.pool import VotePool

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "parameters.md"
_HEAD = """# Parameters

All parameters of learners, trainers and configuration files, written by `tools/parameter_reference.py` from the declarations.
A key is set with `--set KEY=VALUE`, in a file for `--config`, or as an argument in Python. `tagpool config LEARNER` prints a file
with all keys of a learner.
"""


def page() -> str:
    """The reference page."""
    parts = [_HEAD, "## Files, features and output\n"]
    for section, options in (("data", DataOptions), ("features", FeatureOptions), ("output", OutputOptions)):
        parts.append(f"Section `{section}`:\n\n" + _table(options.parameters(), f"{section}."))
    parts.append("## Learners\n")
    parts += [_described(f"`{kind}`: {learner.__name__}", learner, "learner.") for kind, learner in LEARNERS.items()]
    parts.append("## Trainers\n")
    parts += [_described(f"`{kind}`: {trainer.__name__}", trainer, "learner.trainer.") for kind, trainer in TRAINERS.items()]
    parts.append("## Pools of predictions\n")
    parts.append(_described("VotePool", VotePool, None))
    return "\n".join(parts)


def _described(title: str, declared: type[Parameters], prefix: str | None) -> str:
    first = (declared.__doc__ or "").strip().splitlines()[0]
    return f"### {title}\n\n{first}\n\n{_table(declared.parameters(), prefix)}"


def _table(parameters: dict[str, Parameter], prefix: str | None) -> str:
    rows = ["| parameter | key | default | values | tuning range | meaning |", "|---|---|---|---|---|---|"]
    for name, declared in parameters.items():
        default = "required" if declared.required else f"`{declared.default!r}`"
        values = declared.expected().replace("|", "\\|")
        tune = "" if declared.tune is None else " to ".join(map(toml_value, declared.tune))
        rows.append(f"| `{name}` | {_key(name, declared, prefix)} | {default} | {values} | {tune} | {declared.help} |")
    return "\n".join(rows) + "\n"


def _key(name: str, declared: Parameter, prefix: str | None) -> str:
    if prefix is None or name in HIDDEN[1:]:
        return ""
    if prefix == "learner." and name in FEATURES:
        return f"`features.{'use' if name == 'resources' else name}`"
    return f"`{prefix}{name}.kind`" if declared.kinds is not None else f"`{prefix}{name}`"


if __name__ == "__main__":
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(page(), encoding="utf-8")
