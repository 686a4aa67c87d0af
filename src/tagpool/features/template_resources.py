"""Resources of a template set: given ones, those of its ``use`` lines, and built-in ones."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tagpool.errors import ResourceError
from tagpool.features.resource_files import read_resource, shipped_resource
from tagpool.features.template import TemplateSet


def load_resources(templates: TemplateSet, resources: Mapping[str, Any]) -> dict[str, Any]:
    """Return the resources of a template set: given ones (loaded, or paths), those of ``use`` lines, and built-in ones."""
    for name in resources:
        if name not in templates.resources:
            known = (
                f"the resources are {', '.join(templates.resources)}" if templates.resources else "the templates use no resources"
            )
            raise ResourceError(f"no template uses a resource {name!r}; {known}", source=templates.source)
    loaded: dict[str, Any] = {}
    uses = dict(templates.uses)
    for name, kind in templates.resources.items():
        resource = resources.get(name, uses.get(name))
        if isinstance(resource, (str, Path)):
            loaded[name] = read_resource(kind, resource)
        elif resource is not None:
            loaded[name] = resource
        elif (shipped := shipped_resource(name, kind)) is not None:
            loaded[name] = shipped
    return loaded
