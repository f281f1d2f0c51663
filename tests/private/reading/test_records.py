"""Test records: an invalid line affects only itself, a quoted field may span lines, and blocks have no
effect.
"""

import csv
import io

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from synth.core.schema import FileFormat
from synth.private.reading.lines import LONGEST_RECORD, take_top
from synth.private.reading.records import read_records

FORM = FileFormat()
BLOCKS = (1, 2, 7, 64, 1 << 20)


def in_order(
    content: bytes, width: int, form: FileFormat = FORM, *, block: int = 1 << 20
) -> list[tuple[str, ...]]:
    """Return the stripped cells of each record, in the order of the file."""
    file, found = io.BytesIO(content), []
    _, read = take_top(file, form)
    for records in read_records(file, form, width, read=read, block=block):
        lines = io.StringIO(records.lines.decode("latin-1"), newline="\n")
        quoting = csv.QUOTE_MINIMAL if form.quote else csv.QUOTE_NONE
        rows = list(
            csv.reader(lines, delimiter=form.delimiter, quotechar=form.quote or None, quoting=quoting)
        )
        rows = [row or [""] for row in rows]
        assert all(len(row) == width for row in rows)
        assert len(rows) == len(records.shapes)
        found += [tuple(cell.strip() for cell in row) for row in rows]
    return found


def cells(content: str, width: int, form: FileFormat = FORM) -> list[list[str]]:
    return sorted(list(row) for row in in_order(content.encode(), width, form))


def test_quoted_field_may_hold_delimiters_quotes_and_line_ends() -> None:
    content = 'h,i\n1,"a, ""b""\nc"\n"2" , x\n'
    assert cells(content, 2) == [["1", 'a, "b"\nc'], ["2", "x"]]


def test_field_over_three_lines_and_two_such_fields_in_a_row() -> None:
    assert cells('h,i\n"a\n\nb","c\nd"\ne,f\n', 2) == [["a\nb", "c\nd"], ["e", "f"]]


def test_records_keep_the_order_of_the_file() -> None:
    content = b'h,i\n1,a\n2,"b\nb"\n\n3\n"4","d,d"\r\n5,"e" \n6,f,f\n"7,g\n8,h'
    expected = [
        ("1", "a"),
        ("2", "b\nb"),
        ("3", ""),
        ("4", "d,d"),
        ("5", "e"),
        ("6", "f"),
        ("7,g", ""),
        ("8", "h"),
    ]
    for block in BLOCKS:
        assert in_order(content, 2, block=block) == expected


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


MOSTLY_MARKS = st.lists(
    st.sampled_from(
        ["a", ",", '"', "\n", "\r\n", "\r", " ", '""', '","', 'x,"y,z"\n', '"p\nq",r\n', "é", "\0"]
    ),
    max_size=30,
).map(lambda parts: "".join(parts).encode())


@settings(max_examples=100, deadline=None)
@given(
    MOSTLY_MARKS,
    st.sampled_from(BLOCKS[:4]),
    st.sampled_from(['"', "'", ""]),
    st.integers(1, 3),
    st.sampled_from([b"", b"\xef\xbb\xbf", b"h,i\n", b"\xef\xbb\xbfh\r\n"]),
    st.booleans(),
)
def test_block_ends_hide(
    content: bytes, block: int, quote: str, width: int, top: bytes, header: bool
) -> None:
    assume(not header or b"\n" in top)  # a header that leaves a quote open is refused
    form = FileFormat(quote=quote, header=header)
    at_once = in_order(top + content, width, form)
    assert in_order(top + content, width, form, block=block) == at_once


@settings(max_examples=80, deadline=None)
@given(st.binary(max_size=200), st.sampled_from(['"', "'", ""]), st.sampled_from([",", ";", "\t", " ", "|"]))
def test_every_byte_string_is_a_list_of_records(content: bytes, quote: str, delimiter: str) -> None:
    form = FileFormat(quote=quote, delimiter=delimiter, header=False)
    found = in_order(content, 3, form, block=50)
    lines = [line for line in content.replace(b"\r", b" ").split(b"\n") if line.strip(b" ")]
    assert len(found) <= len(lines)
    if not quote:
        assert len(found) == len(lines)


def test_a_quoted_field_may_not_run_on_for_ever() -> None:
    for size, records in ((LONGEST_RECORD - 100, 2), (LONGEST_RECORD + 100, 4)):
        content = b'h,i\n1,"open\n' + b"x" * size + b'\nclosed"\n2,b\n'
        for block in (1 << 12, 1 << 16, 1 << 22):
            assert len(in_order(content, 2, block=block)) == records


@pytest.mark.parametrize("line", [b"a", b'"', b'a,"b'])
def test_short_lines_of_a_wide_table_need_no_more_memory_than_two_blocks(line: bytes) -> None:
    width, block = 200, 1 << 14
    content = (line + b"\n") * block
    sizes = [len(r.lines) for r in read_records(io.BytesIO(content), FORM, width, block=block)]
    assert len(sizes) > width // 2
    assert max(sizes) < 5 * block
