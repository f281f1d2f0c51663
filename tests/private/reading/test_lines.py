"""Test the form of texts in a CSV file."""

from hypothesis import given
from hypothesis import strategies as st

from synth.private.reading.lines import text_of, unwire, wire


@given(st.text(alphabet=st.characters(codec="cp1252")))
def test_what_windows_1252_holds_is_read_as_it_was_written(text: str) -> None:
    held = text.encode("cp1252").decode("latin-1")
    assert text_of(held) == text or unwire(held) is not None


def test_texts_are_utf_8_first_and_bytes_that_are_nothing_are_no_text() -> None:
    assert text_of(wire("Süd")) == text_of("S\xfcd") == "Süd"
    assert text_of("\x80 5") == "€ 5" and text_of("\x81") is None
