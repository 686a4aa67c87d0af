"""The documentation site: generated pages, configuration of Sphinx, and figures. ``build.py`` is the command."""
