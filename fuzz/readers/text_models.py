"""Text models of Wapiti and CRF++: read, tag, convert to other formats."""

from __future__ import annotations

from harness import check_conversions, file_of, fuzz, instrument

with instrument():
    from tagpool.compat.conversion import from_text_model
    from tagpool.compat.wapiti.text_models import read_text_model

ROWS = [["Ann", "NNP"], ["b", "left"], ["Oslo", "1998"]]


def check(data: bytes) -> None:
    """A model tags sentences with its labels, and its conversions are valid or refused."""
    model = read_text_model(file_of(data))
    for labels in model.tag([ROWS, ROWS[:1]]):
        assert set(labels) <= set(model.labels)
    check_conversions(from_text_model(model), "Wapiti")


if __name__ == "__main__":
    fuzz(check)
