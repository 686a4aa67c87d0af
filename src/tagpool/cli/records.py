"""Output of records as JSONL."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tagpool.cli.console import print_text
from tagpool.corpus.files import write_bytes


def write_records(to: Path, records: Iterable[dict[str, Any]]) -> None:
    """Write JSON objects, one per line; - is standard output."""
    text = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    if str(to) == "-":
        print_text(text)
    else:
        write_bytes(to, text.encode("utf-8", "surrogateescape"))
