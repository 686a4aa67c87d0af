"""Build the documentation site: python tools/documentation/build.py [FOLDER] (default: build/docs).

The pages of docs/, those of the root of the repository, and generated ones are put together in build/docs-source. Every index.md is a
table of contents: its links are the pages of the site, and its headings their groups. A page that no index links, a broken link or
anchor, a public name without documentation, and everything that would be loaded from the network are errors.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "tools")]

from sphinx.cmd.build import main as sphinx_build  # noqa: E402

from documentation.api_pages import PAGES, api_pages, undocumented  # noqa: E402
from documentation.command_pages import command_pages  # noqa: E402
from documentation.listed_pages import formats_page, functions_page, message_pages  # noqa: E402

DOCS, SOURCE = ROOT / "docs", ROOT / "build" / "docs-source"
# Pages of the root of the repository, and their place in the site.
ROOT_PAGES = {f"{name}.md": f"project/{name.lower()}.md" for name in ("ARCHITECTURE", "CONTRIBUTING", "CHANGELOG", "SECURITY", "CODE_OF_CONDUCT")}
ROOT_PAGES["README.md"] = "index.md"
GENERATED = "<!-- generated pages -->"  # in an index.md: generated pages are listed here
_LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)\s]+)\)")
_LOADED = re.compile(r"""<(?:script|img|iframe|source|video|audio)[^>]*\ssrc=["'](https?:)?//|<link[^>]*\shref=["'](https?:)?//|@import|url\(["']?(https?:)?//""")


def assemble() -> None:
    """Write all pages to the folder of sources; unchanged ones keep their time."""
    pages = {path.relative_to(DOCS).as_posix(): path.read_text(encoding="utf-8") for path in DOCS.rglob("*.md")}
    pages = {name: _with_contents(name, _relocated(text, f"docs/{name}")) for name, text in pages.items()}
    for name, place in ROOT_PAGES.items():
        if name != "README.md":
            pages[place] = _relocated((ROOT / name).read_text(encoding="utf-8"), name)
    pages |= {f"reference/{name}": text for name, text in generated().items()}
    for name, text in pages.items():
        path = SOURCE / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    for path in [path for path in DOCS.rglob("*") if path.suffix in {".svg", ".png"}]:
        (SOURCE / path.relative_to(DOCS)).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, SOURCE / path.relative_to(DOCS))
    for path in [path for path in SOURCE.rglob("*") if path.suffix in {".md", ".rst"}]:
        if path.relative_to(SOURCE).as_posix() not in pages:
            path.unlink()


def generated() -> dict[str, str]:
    """Return the generated pages by their place in the reference."""
    commands, api, errors = command_pages(), api_pages(), message_pages()
    pages = {f"commands/{name}.rst": text for name, text in commands.items()}
    pages |= {f"api/{name}.rst": text for name, text in api.items()}
    pages |= {f"messages/{name}.rst": text for name, text in errors.items() if name != "index"}
    toctree = "\n\n```{{toctree}}\n:hidden:\n\n{}\n```\n"
    titles = {**{name: title for name, (title, _) in PAGES.items()}, "modules": "Drop-ins, bridges and further functions"}
    pages["commands/index.md"] = _COMMANDS.format("".join(f"- [`tagpool {name}`]({name}.rst)\n" for name in commands)) + toctree.format("\n".join(commands))
    pages["api/index.md"] = _API.format("".join(f"- [{titles[name]}]({name}.rst)\n" for name in api)) + toctree.format("\n".join(api))
    pages["messages/index.md"] = errors["index"] + toctree.format("\n".join(name for name in errors if name != "index"))
    pages["functions.md"] = functions_page()
    pages["list-of-formats.md"] = formats_page()
    return pages


_COMMANDS = """# Commands

Every command with its options, from their declarations. `tagpool COMMAND --help` prints the same.

Exit codes: 0 success, 1 failure, 2 wrong usage or bad input, 130 interrupted (143 by SIGTERM, 129 by SIGHUP).

{}"""
_API = """# Python API

Every public name with its parameters, methods and examples. [Python interface](../python.md) is the overview.

{}"""
_LISTED = """- [Python API](api/index.md): every public name
- [Commands](commands/index.md): every option
- [Template functions and presets](functions.md)
- [List of file formats](list-of-formats.md)
- [Error messages](messages/index.md)
"""


def _relocated(text: str, name: str) -> str:
    """Return a page with links to pages of the root that lead to their place in the site."""
    folder = os.path.dirname(name)
    place = ROOT_PAGES.get(name, os.path.relpath(name, "docs"))

    def link(match: re.Match[str]) -> str:
        target, mark, anchor = match[2].partition("#")
        if not target or "://" in target:
            return match[0]
        full = os.path.normpath(os.path.join(folder, target))
        new = ROOT_PAGES.get(full, os.path.relpath(full, "docs"))
        return f"[{match[1]}]({os.path.relpath(new, os.path.dirname(place) or '.')}{mark}{anchor})"

    return _LINK.sub(link, text)


def _with_contents(name: str, text: str) -> str:
    """Return an index page with tables of contents: one for each heading, with the pages that the lists below it link."""
    if os.path.basename(name) != "index.md":
        return text
    text = text.replace(GENERATED + "\n", _LISTED)
    trees = []
    for section in re.split(r"^## ", text, flags=re.MULTILINE):
        links = [target for line in section.splitlines() if line.startswith("- ") for target in _linked(line)]
        caption = section.partition("\n")[0]
        if links:
            heading = "" if section.startswith("# ") else f":caption: {caption}\n"
            trees.append(f"```{{toctree}}\n:hidden:\n{heading}\n" + "\n".join(links) + "\n```\n")
    return text + "\n" + "\n".join(trees)


def _linked(line: str) -> list[str]:
    """Return the page that the item of a list is about: its first link."""
    targets = [target for _, target in _LINK.findall(line) if "://" not in target and "#" not in target]
    return [re.sub(r"\.(md|rst)$", "", target) for target in targets[:1]]


def loaded_from_network(site: Path) -> list[str]:
    """Return the files of the site that load something from the network when they are shown."""
    files = [path for path in site.rglob("*") if path.suffix in {".html", ".css"}]
    return [str(path) for path in files if _LOADED.search(path.read_text(encoding="utf-8"))]


def main(site: Path) -> int:
    """Build the site; return the exit code."""
    if missing := undocumented():
        print("public names without documentation: " + ", ".join(missing), file=sys.stderr)
        return 1
    assemble()
    arguments = ["-W", "--keep-going", "-q", "-j", "2", "-b", "html", "-c", str(ROOT / "tools" / "documentation"), "-d", str(ROOT / "build" / "docs-state")]
    code = sphinx_build([*arguments, str(SOURCE), str(site)])
    if loading := loaded_from_network(site):
        print("these files load something from the network: " + ", ".join(loading), file=sys.stderr)
        return 1
    if code == 0:
        print(f"written: {site}/index.html")
    return code


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build" / "docs"))
