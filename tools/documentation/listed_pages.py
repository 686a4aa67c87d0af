"""Pages of lists: template functions, file formats, and error messages."""

from __future__ import annotations

import re

from documentation.messages import AREAS, Message, anchor_of, area_of, messages
from tagpool.corpus.annotations.dialects import DIALECTS
from tagpool.corpus.files import COMPRESSED_SUFFIXES
from tagpool.corpus.formats import FORMATS
from tagpool.corpus.schemes import Scheme
from tagpool.features.functions import FUNCTIONS
from tagpool.features.presets import load_templates, preset_names, preset_text

_FORMAT_NAMES = {
    "conll": "CoNLL: one token per line, columns separated by blanks or tabs, an empty line after each sentence",
    "conllu": "CoNLL-U: ten columns, separated by tabs",
    "jsonl": "JSON, one sentence or document per line: lists of tokens and labels, or a text with spans",
    "spans": "JSONL, written as text with character offsets of spans",
    "text": "plain text, one sentence per line",
    "parquet": "Parquet: a row per sentence, with lists of tokens and labels",
    "spacy": "spaCy's binary documents (DocBin)",
    "prodigy": "tasks of Prodigy: JSONL with tokens and spans",
    "doccano": "doccano: JSONL with a text and spans",
    "label-studio": "Label Studio: JSON with tasks and annotations",
    "brat": "brat: a text, and spans in a file of the same name",
    "webanno": "INCEpTION: WebAnno TSV 3",
    "inception": "INCEpTION: UIMA CAS as XMI",
    "conllup": "CoNLL-U Plus: the first line names the columns",
}


def functions_page() -> str:
    """Return the page of template functions and presets."""
    parts = ["# Template functions and presets\n"]
    parts.append("The functions of [feature templates](templates.md), as `tagpool features` lists them.\n")
    for function in [*FUNCTIONS.values()]:
        traits = []
        if function.flags:
            traits.append("flags: " + ", ".join(f"`{flag}`" for flag in function.flags))
        if function.resource:
            traits.append("needs a resource (`--use NAME=PATH`)")
        if function.field_only:
            traits.append("applies to a column only")
        if not function.single:
            traits.append("may have several values for a token")
        if function.context:
            traits.append("reads more than one word")
        parts.append(f"## {function.name}\n\n`{function.example}`: {escape(function.summary)}.\n")
        if traits:
            parts.append("".join(f"- {trait}\n" for trait in traits))
    parts.append("## label\n\n`label[-1]`: a previous label, for learners that use them.\n")
    parts.append("## Presets\n")
    for name in preset_names():
        templates = load_templates(name)
        text = preset_text(name).strip()
        bags = f" Bags: {', '.join(f'`{bag}`' for bag in templates.bags)}." if templates.bags else ""
        parts.append(f"### Preset {name}\n\n`--features {name}`.{bags}\n\n```\n{text}\n```\n")
    return "\n".join(parts)


def formats_page() -> str:
    """Return the page of file formats and tag schemes."""
    parts = [
        "# List of file formats\n",
        "The values of `--format` and `--to`. [File formats](formats.md) and [annotation tools](annotation.md) describe them.\n",
    ]
    for kind, one in FORMATS.items():
        suffixes = ", ".join(f"`{suffix}`" for suffix in one.suffixes)
        origin = f"Guessed from the suffix: {suffixes}." if suffixes else "Not guessed from a suffix."
        if kind.value == "conll":
            origin = "The format of all other suffixes."
        parts.append(f"## {kind.value}\n\n{_FORMAT_NAMES[kind.value]}. {origin}\n")
    compressed = " and ".join(f"`{suffix}`" for suffix in COMPRESSED_SUFFIXES)
    parts.append(f"## Compression\n\nFiles that end in {compressed} are decompressed and compressed.\n")
    parts.append("## JSON records of experts\n\nThe first one that fits reads a record ([labels of experts](experts.md)).\n")
    parts += [f"{number}. {dialect.name}" for number, dialect in enumerate(DIALECTS, 1)]
    parts.append("\n## Tag schemes\n\nThe values of `--scheme`, and members of `tagpool.Scheme`.\n")
    parts += [f"- `{scheme.value}` (`Scheme.{scheme.name}`)" for scheme in Scheme]
    return "\n".join(parts) + "\n"


def message_pages() -> dict[str, str]:
    """Return the pages of error messages by name, in reStructuredText; ``index`` says how to read them."""
    everything = messages()
    taken: set[str] = set()
    pages = {}
    for area, (title, _) in AREAS.items():
        members = [message for message in everything if area_of(message.module) == area]
        heading = f"Messages: {title[0].lower() if not title.startswith('CRF') else title[0]}{title[1:]}"
        parts = [heading, "=" * len(heading), ""]
        for message in sorted(members, key=_sort_key):
            parts += _described(message, anchor_of(message.text, taken))
        pages[area] = "\n".join(parts)
    counts = "".join(f"- [{title}]({area}.rst)\n" for area, (title, _) in AREAS.items())
    pages["index"] = _INDEX.format(number=f"{len(everything):,}", pages=counts)
    return pages


_INDEX = """# Error messages

{number} messages that commands and functions may give, by what they are about. Each has an anchor.

A message has the form `where: what is wrong; what to do`:

```
train.conll:412: expected 4 columns, got 3
```

- **where** is a file with a line, a key of the configuration, an option, or an argument. The list has the messages without it.
- **what is wrong** says what was expected, and what was there.
- **what to do**, after a semicolon, is the remedy, where the first part does not say it already.

Values are shown as `{{name}}`: in the list, the message above is *expected {{number}} columns, got {{number}}*. To find a
message, search for its words that are not values.

Below each message is its Python class, which derives from `TagpoolError`, and the module that gives it. A command prints the
message after `error:` and ends with exit code 2 for bad input or wrong usage (`InputError` and the classes derived from it), and
with 1 for other errors.

{pages}"""


def _sort_key(message: Message) -> tuple[str, str]:
    return re.sub(r"\{[^}]*\}|\W", " ", message.text).strip().lower(), message.module


def _described(message: Message, anchor: str) -> list[str]:
    text = " ".join(message.text.split()).replace("\\", "\\\\")
    return [
        f".. message:: {text}",
        f"    :anchor: {anchor}",
        "",
        f"    ``{message.error}``, exit code {message.exit_code}; ``{message.module}``",
        "",
    ]


def escape(text: str) -> str:
    """Return text as Markdown that shows it unchanged."""
    return re.sub(r"([\\`*_\[\]<>#|${}])", r"\\\1", text)
