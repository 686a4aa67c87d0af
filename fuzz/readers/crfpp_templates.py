"""Template files of CRF++: as templates of tagpool, and as patterns of models."""

from __future__ import annotations

from harness import fuzz, instrument, text_of

with instrument():
    from tagpool.compat.wapiti.patterns import attributes_of, parse_crfpp_templates
    from tagpool.errors import InputError
    from tagpool.features.crfpp import looks_like_crfpp, parse_crfpp
    from tagpool.features.parser import parse

ROWS = [["Ann", "NNP"], ["left", "VBD"]]


def check(data: bytes) -> None:
    """Templates have an exact text, and patterns have observations."""
    text = text_of(data)
    looks_like_crfpp(text)
    try:
        templates = parse_crfpp(text)
    except InputError:
        pass
    else:
        assert parse(str(templates)) == templates
    attributes_of(parse_crfpp_templates(text), ROWS)


if __name__ == "__main__":
    fuzz(check)
