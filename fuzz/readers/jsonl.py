"""JSONL files: read with every policy for misaligned spans, write, read again. The native reader agrees with that in Python."""

from __future__ import annotations

from typing import get_args

from harness import file_of, fuzz, instrument, read_again

with instrument():
    from tagpool import Corpus, _native
    from tagpool.corpus.files import BYTE_ORDER_MARK
    from tagpool.corpus.jsonl import Misaligned, format_jsonl, read_any_form, read_jsonl
    from tagpool.errors import InputError


def check(data: bytes) -> None:
    """Writing and reading a corpus changes nothing."""
    native = _native.read_token_jsonl(data.removeprefix(BYTE_ORDER_MARK))
    if native is not None:
        assert Corpus(native) == read_any_form(data, "data", "error")
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
