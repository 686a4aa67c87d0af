"""Configuration of Sphinx."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

import tagpool  # noqa: E402 - after the path

project = "tagpool"
author = "the tagpool authors"
copyright = "the tagpool authors, Apache License 2.0"  # noqa: A001 - a name of Sphinx
version = release = tagpool.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "documentation.extension"]
nitpicky = True
highlight_language = "text"
smartquotes = False

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4

napoleon_numpy_docstring = False
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
python_maximum_signature_line_length = 100
toc_object_entries_show_parents = "hide"

html_theme = "furo"
html_title = f"tagpool {version}"
html_static_path = [str(HERE / "static")]
html_css_files = ["site.css"]
html_math_renderer = "mathml"
html_show_sphinx = False
html_copy_source = False
html_permalinks_icon = "¶"
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#1d5fa8", "color-brand-content": "#1d5fa8"},
    "dark_css_variables": {"color-brand-primary": "#7ab8ff", "color-brand-content": "#7ab8ff"},
}
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"
