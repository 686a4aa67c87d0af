"""Lines of a block as text."""

from __future__ import annotations

from collections.abc import Iterator

from tagpool.errors import InputError
from tagpool.tagging.blocks import Block

_BYTE_ORDER_MARK = "\ufeff"


def block_lines(block: Block, source: str) -> Iterator[tuple[int, str]]:
    """Lines without their ends, with their numbers; bad UTF-8 and NUL bytes are errors with a line number."""
    for number, line in enumerate(block.text.split(b"\n"), block.lines_before + 1):
        if b"\0" in line:
            raise InputError("expected text, got a NUL byte; is this a binary or UTF-16 file?", source=source, line=number)
        try:
            text = line.decode()
        except UnicodeDecodeError:
            advice = "convert the file, or name its encoding (--encoding latin-1)"
            raise InputError(f"expected UTF-8; {advice}", source=source, line=number) from None
        yield number, text.removesuffix("\r").removeprefix(_BYTE_ORDER_MARK if number == 1 else "")
