"""JSONL files: read with every policy for misaligned spans, write, read again."""

from __future__ import annotations

from typing import get_args

from harness import file_of, fuzz, instrument, read_again

with instrument():
    from tagpool.corpus.jsonl import Misaligned, format_jsonl, read_jsonl
    from tagpool.errors import InputError


def check(data: bytes) -> None:
    """Writing and reading a corpus changes nothing."""
    for policy in get_args(Misaligned):
        try:
            corpus = read_jsonl(file_of(data), misaligned=policy)
        except InputError:
            continue
        text = format_jsonl(corpus)
        assert format_jsonl(read_again(lambda: read_jsonl(file_of(text.encode())))) == text  # noqa: B023 - called at once
        if policy == "expand":
            format_jsonl(corpus, as_spans=True)


if __name__ == "__main__":
    fuzz(check)
