"""How a CSV file writes texts."""

from hypothesis import given
from hypothesis import strategies as st

from synth.reading.lines import unwire, wire


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_wire_round_trip(text: str) -> None:
    assert unwire(wire(text)) == text.strip(" \t\n\r\v\f")


def test_unwire_gives_up_on_other_encodings() -> None:
    assert unwire("caf\xe9") is None
