"""Build the documentation site: python tools/documentation/build.py [FOLDER] (default: build/docs).

A page that no index links, a broken link or anchor, a public name without documentation, and everything that would be loaded
from the network are errors.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "tools")]

from sphinx.cmd.build import main as sphinx_build  # noqa: E402

from documentation.api_pages import undocumented  # noqa: E402
from documentation.sources import SOURCE, assemble  # noqa: E402

_LOADED = re.compile(
    r"""<(?:script|img|iframe|source|video|audio)[^>]*\ssrc=["'](?:https?:)?//"""
    r"""|<link[^>]*\srel=["'](?:stylesheet|preload|icon)["'][^>]*\shref=["'](?:https?:)?//|@import|url\(["']?(?:https?:)?//"""
)


def loaded_from_network(site: Path) -> list[str]:
    """Return the files of the site that load something from the network when they are shown."""
    files = [path for path in site.rglob("*") if path.suffix in {".html", ".css"}]
    return [str(path) for path in files if _LOADED.search(path.read_text(encoding="utf-8"))]


def improve_access(site: Path) -> None:
    """Let the keyboard reach everything that scrolls, and name the two side bars."""
    for path in site.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        text = re.sub(r"<pre>|<div class=\"(?:table-wrapper|formula|figure)\b[^>]*(?=>)", _add_tab_stop, text)
        text = text.replace('<aside class="sidebar-drawer"', '<aside aria-label="Pages" class="sidebar-drawer"')
        text = text.replace('<aside class="toc-drawer', '<aside aria-label="Contents of the page" class="toc-drawer')
        path.write_text(text, encoding="utf-8")


def _add_tab_stop(match: re.Match[str]) -> str:
    return '<pre tabindex="0">' if match[0] == "<pre>" else f'{match[0]} tabindex="0"'


def main(site: Path) -> int:
    """Build the site; return the exit code. Everything is read again, since unchanged pages would give no warnings."""
    if missing := undocumented():
        print("public names without documentation: " + ", ".join(missing), file=sys.stderr)
        return 1
    assemble()
    folders = ["-c", str(ROOT / "tools" / "documentation"), "-d", str(ROOT / "build" / "docs-state"), str(SOURCE), str(site)]
    code = sphinx_build([*["-b", "html", "-E", "-a", "-W", "--keep-going", "-q", "-j", "2"], *folders])
    improve_access(site)
    if loading := loaded_from_network(site):
        print("these files load something from the network: " + ", ".join(loading), file=sys.stderr)
        return 1
    if code == 0:
        print(f"written: {site}/index.html")
    return code


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build" / "docs"))
