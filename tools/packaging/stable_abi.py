"""Add the requirements of modules for Python's stable ABI to a wheel's metadata.

scikit-build-core calls this module while it builds (`tool.dynamic-metadata` in pyproject.toml). Other wheels do not need these
packages, and some platforms have none.
"""

import os
from collections.abc import Mapping
from typing import Any

from scikit_build_core.settings.skbuild_overrides import strtobool


def dynamic_metadata(settings: Mapping[str, Any], project: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the further requirements of this wheel."""
    return {"dependencies": settings["requires"] if strtobool(os.environ.get("TAGPOOL_STABLE_ABI", "")) else []}


def dynamic_wheel(settings: Mapping[str, Any]) -> dict[str, bool]:
    """Tell that requirements differ between the source distribution and its wheels."""
    return {"dependencies": True}
