"""Lines to records: a broken line harms itself only, a proper quoted field may span lines."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synth.errors import Mistake
from synth.measure.lines import (
    SEPARATOR,
    check_format,
    header_names,
    split_file,
    split_records,
    unwire,
    wire,
)
from synth.schema import FileFormat

FORM = FileFormat()


def cells(content: str, width: int, form: FileFormat = FORM) -> list[list[str]]:
    _, lines = split_file(content.encode(), form)
    plain, quoted = split_records(lines, form, width)
    split = [r.split(form.delimiter) for r in plain] + [r.split(SEPARATOR) for r in quoted]
    return sorted([c.strip() for c in row] for row in split)


def test_quoted_field_may_hold_delimiters_quotes_and_line_ends() -> None:
    content = 'h,i\n1,"a, ""b""\nc"\n"2" , x\n'
    assert cells(content, 2) == [["1", 'a, "b"\nc'], ["2", "x"]]


def test_field_over_three_lines_and_two_such_fields_in_a_row() -> None:
    assert cells('h,i\n"a\n\nb","c\nd"\ne,f\n', 2) == [["a\nb", "c\nd"], ["e", "f"]]


@pytest.mark.parametrize("broken", ['1,"open', '5"6,x', '"a"b,"', '"', '","', 'x,"y"z"', '"""'])
@pytest.mark.parametrize("quoted", [True, False])
def test_broken_line_leaves_its_neighbours_alone(broken: str, quoted: bool) -> None:
    good = [['"p"', '"q, r"'], ['"s"', '"t"']] if quoted else [["p", "q"], ["s", "t"]]
    lines = [",".join(row) for row in good]
    expected = cells("h,i\n" + "\n".join(lines), 2)
    for place in range(3):
        placed = [*lines[:place], broken, *lines[place:]]
        found = cells("h,i\n" + "\n".join(placed), 2)
        assert len(found) == 3
        assert [row for row in found if row in expected] == expected


@settings(max_examples=300, deadline=None)
@given(st.lists(st.text(alphabet='a,"\n\r \t1', max_size=12), max_size=6))
def test_one_plain_row_more_is_one_record_more(pieces: list[str]) -> None:
    content = "h,i\n" + "\n".join(pieces)
    before = cells(content, 2)
    after = cells(content + "\nplain,row", 2)
    assert len(after) == len(before) + 1
    assert ["plain", "row"] in after


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200), st.sampled_from(['"', "'", ""]), st.sampled_from([",", ";", "\t", " ", "|"]))
def test_every_byte_string_is_a_list_of_records(content: bytes, quote: str, delimiter: str) -> None:
    form = FileFormat(quote=quote, delimiter=delimiter, header=False)
    _, lines = split_file(content, form)
    plain, quoted = split_records(lines, form, 3)
    assert len(plain) + len(quoted) <= len(lines)
    assert all(isinstance(r, str) for r in plain + quoted)


def test_header_is_stripped_of_mark_spaces_and_quotes() -> None:
    header, lines = split_file('\ufeff "a" , é,b\r\n1,2,3\r\n'.encode(), FORM)
    assert header_names(header, FORM) == ["a", "é", "b"]
    assert [line.strip() for line in lines] == ["1,2,3"]


def test_skipped_lines_come_before_the_header() -> None:
    header, lines = split_file(b"|comment\nn\n1\n", FileFormat(skip_lines=1))
    assert (header, lines) == ("n", ["1"])


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
