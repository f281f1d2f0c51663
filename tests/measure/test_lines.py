"""How a CSV file writes texts, and which marks it may declare."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synth.errors import Mistake
from synth.measure.lines import check_format, unwire, wire
from synth.schema import FileFormat


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_wire_round_trip(text: str) -> None:
    assert unwire(wire(text)) == text.strip(" \t\n\r\v\f")


def test_unwire_gives_up_on_other_encodings() -> None:
    assert unwire("caf\xe9") is None


@pytest.mark.parametrize(
    ("delimiter", "quote"), [*product(["", ",,", "\n", "→", "\0"], ['"']), (",", "''"), (";", ";")]
)
def test_impossible_formats_are_quoted_back(delimiter: str, quote: str) -> None:
    with pytest.raises(Mistake):
        check_format(FileFormat(delimiter=delimiter, quote=quote))
