"""Extension of Sphinx: formulas as MathML, anchors of table rows and messages, links from code, and figures inside the page."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives
from latex2mathml.converter import convert
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.directives import ObjectDescription
from sphinx.transforms import SphinxTransform
from sphinx.util import logging

import tagpool
from tagpool.cli.main import COMMANDS
from tagpool.parameters import Parameters

FIGURES = "explanation/figures/"
_LOGGER = logging.getLogger(__name__)
_KEY = re.compile(r"[a-z][\w-]*(\.[a-z][\w-]*)+")


class MessageDirective(ObjectDescription[str]):
    """An error message, with its anchor."""

    option_spec = {**ObjectDescription.option_spec, "anchor": directives.unchanged_required}  # noqa: RUF012 - as in the base class

    def handle_signature(self, sig: str, signode: addnodes.desc_signature) -> str:
        """Show the text."""
        signode += addnodes.desc_name(sig, sig)
        return sig

    def add_target_and_index(self, name: str, sig: str, signode: addnodes.desc_signature) -> None:
        """Add the anchor."""
        signode["ids"].append(self.options["anchor"])
        self.state.document.note_explicit_target(signode)


class RowAnchors(SphinxTransform):
    """Anchors for the rows of tables in the reference: the key of a configuration, else the code in the first cell."""

    default_priority = 500

    def apply(self, **_: Any) -> None:
        """Add the anchors, once each."""
        if not self.env.docname.startswith("reference/"):
            return
        taken: set[str] = set(self.document.ids)
        for row in self.document.findall(nodes.row):
            codes = [literal.astext() for cell in row.children[:2] for literal in cell.findall(nodes.literal)]
            if isinstance(row.parent, nodes.thead) or not list(row.children[0].findall(nodes.literal)):
                continue
            name = next((code for code in codes if _KEY.fullmatch(code)), codes[0])
            anchor = nodes.make_id(name)
            if anchor and anchor not in taken:
                taken.add(anchor)
                row.children[0]["ids"].append(anchor)
                mark = nodes.reference("", "¶", refuri=f"#{anchor}", internal=True, classes=["headerlink"])
                next(iter(row.children[0].findall(nodes.TextElement))).append(mark)


class CodeLinks(SphinxTransform):
    """Links from code that is a public name or a command to its page."""

    default_priority = 501

    def apply(self, **_: Any) -> None:
        """Replace such code by references."""
        if self.env.docname.startswith(("reference/api/", "reference/commands/", "reference/messages/")):
            return
        for literal in list(self.document.findall(nodes.literal)):
            if any(isinstance(parent, nodes.reference | nodes.title | nodes.Titular) for parent in _parents(literal)):
                continue
            reference = _reference(literal.astext())
            if reference is not None:
                domain, kind, target = reference
                options = {"refdomain": domain, "reftype": kind, "reftarget": target, "refexplicit": True, "refwarn": True}
                literal.replace_self(addnodes.pending_xref("", literal.deepcopy(), refdoc=self.env.docname, **options))


def _parents(node: nodes.Node) -> list[nodes.Node]:
    parents = []
    while node.parent is not None:
        node = node.parent
        parents.append(node)
    return parents


def _reference(code: str) -> tuple[str, str, str] | None:
    name = code.removesuffix("()").removeprefix("tagpool.")
    if name in tagpool._PUBLIC:
        return "py", "obj", f"tagpool.{name}"
    words = code.split()
    if (
        len(words) in {2, 3}
        and words[0] == "tagpool"
        and words[1] in COMMANDS
        and all(re.fullmatch(r"[a-z]+", word) for word in words)
    ):
        return "std", "doc", f"/reference/commands/{words[1]}"
    return None


def resolve_name(app: Sphinx, env: Any, node: addnodes.pending_xref, content: nodes.Element) -> nodes.Node | None:
    """Resolve a type of a signature by its public name; types that are not public are plain text."""
    if node.get("refdomain") != "py":
        return None
    short = node["reftarget"].rpartition(".")[2]
    if short in tagpool._PUBLIC and node["reftarget"] != f"tagpool.{short}":
        target = f"tagpool.{short}"
        return env.get_domain("py").resolve_xref(env, node["refdoc"], app.builder, "obj", target, node, content)
    return content if not node.get("refexplicit") and node["reftype"] in {"class", "obj", "data", "exc"} else None


def add_parameters(_: Sphinx, kind: str, name: str, value: Any, __: Any, lines: list[str]) -> None:
    """Append the declared parameters of a learner or trainer to its documentation, and show bars (|w|) as they are."""
    lines[:] = [line if line.lstrip().startswith((">>>", "...")) else _escape_bars(line) for line in lines]
    if kind != "class" or not isinstance(value, type) or not issubclass(value, Parameters):
        return
    lines.append("")
    for parameter, declared in value.parameters().items():
        text = re.sub(r"([\\*`|_])", r"\\\1", declared.help).rstrip(".")
        default = "required" if declared.required else f"default: ``{declared.default!r}``"
        lines += [f":param {parameter}: {text}." if "default:" in text else f":param {parameter}: {text} ({default})."]
    lines.append("")


def _escape_bars(line: str) -> str:
    parts = line.split("``")
    return "``".join(part if at % 2 else part.replace("|", "\\|") for at, part in enumerate(parts))


def as_mathml(latex: str, display: str) -> str:
    """Return a formula as MathML, with its source as a label."""
    mathml = convert(latex, display=display)
    if "\\" in mathml:
        _LOGGER.warning("formula with an unknown command: %s", latex)
    return mathml.replace("<math ", f'<math aria-label="{html.escape(latex, quote=True)}" ', 1)


def _visit_inline(writer: Any, node: nodes.math) -> None:
    writer.body.append(as_mathml(node.astext(), "inline"))
    raise nodes.SkipNode


def _visit_block(writer: Any, node: nodes.math_block) -> None:
    writer.body.append(f'<div class="formula">{as_mathml(node.astext(), "block")}</div>\n')
    raise nodes.SkipNode


def finish_reading(_: Sphinx, doctree: nodes.document) -> None:
    """Look up types by their whole names only, and write dashes in lists of parameters."""
    for reference in doctree.findall(addnodes.pending_xref):
        if reference.get("refdomain") == "py":
            reference["refspecific"] = False
    for text in [text for field in doctree.findall(nodes.field_list) for text in field.findall(nodes.Text) if text == " -- "]:
        text.parent.replace(text, nodes.Text(" – "))


def include_figures(app: Sphinx, doctree: nodes.document, _: str) -> None:
    """Put the SVG of figures into the page, so that they have the colours of the theme."""
    for image in list(doctree.findall(nodes.image)):
        if not image["uri"].startswith(FIGURES):
            continue
        svg = Path(app.srcdir, image["uri"]).read_text(encoding="utf-8")
        svg = svg[svg.index("<svg") :].replace(
            "<svg ", f'<svg role="img" aria-label="{html.escape(image["alt"], quote=True)}" ', 1
        )
        image.replace_self(nodes.raw("", f'<div class="figure">{svg}</div>', format="html"))


def setup(app: Sphinx) -> dict[str, Any]:
    """Register everything."""
    app.add_directive("message", MessageDirective)
    app.add_transform(RowAnchors)
    app.add_transform(CodeLinks)
    app.connect("missing-reference", resolve_name)
    app.connect("autodoc-process-docstring", add_parameters)
    app.connect("doctree-read", finish_reading)
    app.connect("doctree-resolved", include_figures)
    app.add_html_math_renderer("mathml", (_visit_inline, None), (_visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
