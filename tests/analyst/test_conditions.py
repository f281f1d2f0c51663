"""Test conditions on values, as people write them."""

import pytest

from synth.analyst.conditions import conditions_in
from synth.core.codebook import Codebook
from synth.core.discretisation import resolve_axes
from synth.core.schema import Column, Kind, Schema, Unit
from synth.rules import parse_rules

SCHEMA = Schema(
    name="t",
    population="t",
    unit=Unit(max_rows=1),
    columns=(
        Column(name="smokes", kind=Kind.CATEGORY, values=(True, False)),
        Column(name="who", kind=Kind.CATEGORY, values=("José", "O'Neil")),
    ),
)


@pytest.mark.parametrize(
    ("column", "given", "code"),
    [
        ("smokes", True, 0),
        ("smokes", "false", 1),
        ("smokes", "Ja", 0),
        ("who", "Jose\u0301", 0),
        ("who", "O\u2019Neil", 1),
    ],
)
def test_a_value_is_read_as_in_a_file(column: str, given: object, code: int) -> None:
    codebook = Codebook(schema=SCHEMA, axes=resolve_axes(SCHEMA, parse_rules([], SCHEMA)))
    (condition,) = conditions_in({column: given}, codebook)
    assert condition.inner.nonzero()[0].tolist() == [code]
