"""Test conditions on values, as people write them."""

import pytest

from synth.analyst.conditions import conditions_in
from synth.core.codebook import Codebook
from synth.core.discretisation import resolve_axes
from synth.core.errors import Mistake
from synth.core.schema import Column, Kind, Schema, Unit
from synth.rules import parse_rules

SCHEMA = Schema(
    name="t",
    population="t",
    unit=Unit(max_rows=1),
    columns=(
        Column(name="smokes", kind=Kind.CATEGORY, values=(True, False)),
        Column(name="who", kind=Kind.CATEGORY, values=("José", "O'Neil")),
        Column(name="part", kind=Kind.INTEGER, min=0, max=9, measured_in="%"),
        Column(name="day", kind=Kind.DATE, min="2026-06-01", max="2026-06-10"),
        Column(
            name="aids", kind=Kind.CATEGORY, values=("cane", "chair", "none"), separator=";", exclusive="none"
        ),
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
        ("part", "5%", 5),
        ("part", "5 %", 5),
    ],
)
def test_a_value_is_read_as_in_a_file(column: str, given: object, code: int) -> None:
    codebook = Codebook(schema=SCHEMA, axes=resolve_axes(SCHEMA, parse_rules([], SCHEMA)))
    (condition,) = conditions_in({column: given}, codebook)
    assert condition.inner.nonzero()[0].tolist() == [code]


@pytest.mark.parametrize(
    ("column", "given", "words"),
    [
        ("day", ("2026-06-05", None), "day is 2026-06-05 or later"),
        ("day", (None, "2026-06-05"), "day is 2026-06-05 or earlier"),
        ("part", (5, None), "part is 5 or more"),
        ("aids", "cane", "aids includes cane"),
        ("aids", ["cane", "cane;chair"], "aids includes cane or is exactly cane;chair"),
    ],
)
def test_the_words_of_a_condition_say_what_is_counted(column: str, given: object, words: str) -> None:
    codebook = Codebook(schema=SCHEMA, axes=resolve_axes(SCHEMA, parse_rules([], SCHEMA)))
    (condition,) = conditions_in({column: given}, codebook)
    assert condition.words == words


def test_a_decimal_comma_is_refused_with_the_form_to_write() -> None:
    codebook = Codebook(schema=SCHEMA, axes=resolve_axes(SCHEMA, parse_rules([], SCHEMA)))
    with pytest.raises(Mistake, match=r"'4,5' is not a value of 'part'.*decimal point.*10\.5"):
        conditions_in({"part": ("4,5", None)}, codebook)
