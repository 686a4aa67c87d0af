"""Sources of the documentation site: the pages of docs/, those of the root of the repository, and generated ones.

Every index.md is a table of contents: its links are the pages of the site, and its headings their groups.
"""

from __future__ import annotations

import posixpath
import re
import shutil
from pathlib import Path

from documentation.api_pages import PAGES, api_pages
from documentation.command_pages import command_pages
from documentation.listed_pages import formats_page, functions_page, message_pages

ROOT = Path(__file__).parents[2]
DOCS, SOURCE = ROOT / "docs", ROOT / "build" / "docs-source"
# Pages of the root of the repository, and their place in the site.
ROOT_PAGES = {
    f"{name}.md": f"project/{name.lower()}.md"
    for name in ("ARCHITECTURE", "CONTRIBUTING", "CHANGELOG", "SECURITY", "CODE_OF_CONDUCT")
}
ROOT_PAGES["README.md"] = "index.md"
GENERATED = "<!-- generated pages -->"  # in an index.md: generated pages are listed here
_LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)\s]+)\)")


def assemble() -> None:
    """Write all pages to the folder of sources; unchanged ones keep their time."""
    pages = {path.relative_to(DOCS).as_posix(): path.read_text(encoding="utf-8") for path in DOCS.rglob("*.md")}
    pages = {name: with_contents(name, relocated(text, f"docs/{name}")) for name, text in pages.items()}
    for name, place in ROOT_PAGES.items():
        if name != "README.md":
            pages[place] = relocated((ROOT / name).read_text(encoding="utf-8"), name)
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
    pages["commands/index.md"] = _COMMANDS.format(
        "".join(f"- [`tagpool {name}`]({name}.rst)\n" for name in commands)
    ) + toctree.format("\n".join(commands))
    pages["api/index.md"] = _API.format("".join(f"- [{titles[name]}]({name}.rst)\n" for name in api)) + toctree.format(
        "\n".join(api)
    )
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


def joined(name: str, target: str) -> str:
    """Return the name of a page that another one links.

    >>> joined("reference/index.md", "../results/suite.md")
    'results/suite.md'
    """
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), target))


def relocated(text: str, name: str) -> str:
    """Return a page with links to pages of the root that lead to their place in the site."""
    place = ROOT_PAGES.get(name, posixpath.relpath(name, "docs"))

    def link(match: re.Match[str]) -> str:
        target, mark, anchor = match[2].partition("#")
        if not target or "://" in target:
            return match[0]
        full = joined(name, target)
        new = ROOT_PAGES.get(full, posixpath.relpath(full, "docs"))
        return f"[{match[1]}]({posixpath.relpath(new, posixpath.dirname(place) or '.')}{mark}{anchor})"

    return _LINK.sub(link, text)


def with_contents(name: str, text: str) -> str:
    """Return an index page with tables of contents: one for each heading, with the pages that the lists below it link."""
    if posixpath.basename(name) != "index.md":
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
    """Return the page that the item of a list is about: its first link, with its text as the title."""
    links = [(text, target) for text, target in _LINK.findall(line) if "://" not in target and "#" not in target]
    return [f"{text.replace('`', '')} <{re.sub(r'[.](md|rst)$', '', target)}>" for text, target in links[:1]]
