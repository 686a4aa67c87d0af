"""Templates and text models beside CRF++ itself, which tags with the same models as binary files."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.crfpp import binary_of

from tagpool.compat.wapiti.patterns import attributes_of, parse_crfpp_templates
from tagpool.compat.wapiti.text_models import parse_crfpp_model

crfpp = pytest.importorskip("pycrfpp")

LABELS = ["X", "Y", "Z"]
rows = st.lists(
    st.tuples(st.sampled_from(["dog", "Cat", "é", "a:b", "%x"]), st.sampled_from("NV")).map(list), min_size=1, max_size=6
)
macros = st.lists(
    st.builds(lambda row, column: f"%x[{row},{column}]", st.integers(-8, 8), st.integers(0, 1)), min_size=1, max_size=2
)
# Blanks are part of observations, at the end of a line too.
unigrams = st.builds(
    lambda sign, parts, end: sign + "/".join(parts) + end, st.sampled_from(["", ":", " "]), macros, st.sampled_from(["", " "])
)
bigrams = st.one_of(st.just(""), macros.map("".join))
weights = st.one_of(st.sampled_from([0.0, 0.5, 1.0, -1.0]), st.floats(-3, 3))


@given(st.lists(unigrams, min_size=1, max_size=4), st.lists(bigrams, max_size=2), rows, st.sampled_from([1.0, 0.5]), st.data())
def test_models_are_read_as_crfpp_reads_them(
    tmp_path_factory: Any, unary: list[str], binary: list[str], sentence: Any, factor: float, data: Any
) -> None:
    templates = [f"U{number}{text}" for number, text in enumerate(unary)] + [
        f"B{number}{text}" for number, text in enumerate(binary)
    ]
    result = attributes_of(parse_crfpp_templates("# why\n" + "\n\n".join(templates)), sentence)
    known = data.draw(st.sets(st.sampled_from(sorted({name for row in result for name in row})), min_size=1))
    lines, size = [], 0
    for name in sorted(known):
        lines.append(f"{size} {name}")
        size += 3 if name[0] == "U" else 9
    numbers = data.draw(st.lists(weights, min_size=size, max_size=size))
    head = ["version: 100", f"cost-factor: {factor}", f"maxid: {size}", "xsize: 2"]
    text = "\n".join([*head, "", *LABELS, "", *templates, "", *lines, "", *(f"{item:.16f}" for item in numbers), ""])
    path = tmp_path_factory.getbasetemp() / "model"
    path.write_bytes(binary_of(text))
    theirs = crfpp.Tagger(f"-m {path} -v 2")
    for row in sentence:
        theirs.add(" ".join(row))
    assert theirs.parse()
    ours = parse_crfpp_model(text)
    assert ours.tag([sentence]) == [[theirs.y2(at) for at in range(len(sentence))]]  # of equal ones the same
    for at, marginals in enumerate(ours.lattice(sentence).marginals()):
        assert list(marginals) == pytest.approx([theirs.prob(at, number) for number in range(3)], abs=1e-5)
