"""Test columns as strings: each distinct string once, without spaces, and with the declared blanks."""

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from synth.private.reading.lines import wire
from synth.private.reading.text_column import (
    concatenated,
    is_blank,
    lowered_texts,
    plain_texts,
    positions,
    text_column,
)
from tests.private.reading.texts import texts_of

CANARY = "canary-38ax"


def test_equal_texts_are_one_text_but_for_the_spaces_around_them() -> None:
    column = text_column(["a", " b", "a", "b"])
    assert texts_of(column) == ["a", "b", "a", "b"]
    assert len(column.texts) == 3


@given(st.lists(st.lists(st.sampled_from(["a", "b ", "", "c"]), max_size=4), max_size=4))
def test_columns_are_put_together_row_by_row(blocks: list[list[str]]) -> None:
    whole = concatenated(map(text_column, blocks))
    rows = [text.strip() for block in blocks for text in block]
    assert texts_of(whole) == rows
    assert sorted(whole.texts.to_pylist()) == sorted(set(rows))


def test_what_is_blank_is_declared() -> None:
    texts = pa.array(["", "NA", "na", "\xc3\xa9", "x"], pa.large_string())
    assert is_blank(texts, ("NA", " \u00e9 ")).tolist() == [True, True, False, True, False]
    assert positions(texts, ["x", "na", "x"]).tolist() == [-1, -1, 1, -1, 0]


def test_no_text_decides_how_another_is_compared() -> None:
    """Strings are normalised only where needed. Whether that is so may not show in any other string."""
    texts = [
        "a  b",
        "a b",
        "a\tb",
        "A",
        "\u00c9t\u00e9",
        "e\u0301",
        "20\u201329",
        "x\u200by",
        "~",
        "\x7f",
        "",
    ]
    wired = [*map(wire, texts), "\xff\xfe  \x81"]
    for form in (plain_texts, lambda one: lowered_texts(one, ["\u00e9t\u00e9", "a"])):
        alone = [form(pa.array([text], pa.large_string())).to_pylist()[0] for text in wired]
        assert form(pa.array(wired, pa.large_string())).to_pylist() == alone
        for place, text in enumerate(wired):
            beside = [[text, other] for other in wired]
            found = [form(pa.array(pair, pa.large_string())).to_pylist()[0] for pair in beside]
            assert found == [alone[place]] * len(wired)


def test_a_column_does_not_show_its_texts() -> None:
    assert CANARY not in repr(text_column([CANARY]))
