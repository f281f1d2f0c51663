"""How a CSV file writes texts."""

from hypothesis import given
from hypothesis import strategies as st

from synth.private.reading.lines import single_bytes, text_of, unwire, wire


@given(st.text(alphabet=st.characters(codec="cp1252")))
def test_what_windows_1252_holds_is_read_as_it_was_written(text: str) -> None:
    held = single_bytes(text)
    assert held.encode("latin-1") == text.strip(" \t\n\r\v\f").encode("cp1252")
    assert text_of(held) == text.strip(" \t\n\r\v\f") or unwire(held) is not None


def test_texts_are_utf_8_first_and_bytes_that_are_nothing_are_no_text() -> None:
    assert text_of(wire("Süd")) == text_of("S\xfcd") == "Süd"
    assert text_of("\x80 5") == "€ 5" and single_bytes("€ 5") == "\x80 5"
    assert text_of("\x81") is None and single_bytes("Łódź") == wire("Łódź")
    assert single_bytes("\x81") == "\x81"
