"""Test reading CSV as text: pyarrow and Python return the same cells, and only for the requested columns."""

import csv
import io
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synth.core.schema import FileFormat, LineBreaks
from synth.private.reading.csv_reader import csv_rows
from synth.private.reading.lines import SPACE, cells_of
from tests.private.reading.texts import texts_of

FORM = FileFormat(header=False)


CELL = st.text(alphabet='ab ,"\té\0', max_size=5)


@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(CELL, CELL, CELL), max_size=8), st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]))
def test_what_a_csv_writer_wrote_is_read(rows: list[tuple[str, str, str]], quoting: int) -> None:
    out = io.StringIO()
    csv.writer(out, quoting=quoting, lineterminator="\r\n").writerows(rows)
    content = out.getvalue().encode("latin-1")
    found: dict[str, list[str]] = {"a": [], "c": []}
    for block in csv_rows(io.BytesIO(content), FORM, 3, {"a": 0, "c": 2}, read=b"", block=11):
        for name, column in block.items():
            found[name] += texts_of(column)
    assert found["a"] == [row[0].strip(SPACE) for row in rows]
    assert found["c"] == [row[2].strip(SPACE) for row in rows]


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet='ab," ', min_size=1, max_size=14), st.integers(1, 3))
def test_a_line_is_cut_as_the_csv_module_cuts_it(line: str, width: int) -> None:
    places = {str(place): place for place in range(width)}
    found = {name: [] for name in places}
    for block in csv_rows(io.BytesIO(line.encode()), FORM, width, places, read=b""):
        for name, column in block.items():
            found[name] += texts_of(column)
    cells = cells_of(line, FORM) if '"' in line else line.split(",")
    for name, texts in found.items():
        expected = cells[int(name)].strip(SPACE) if int(name) < len(cells) else ""
        assert texts == ([expected] if line.strip(" ") else [])


def test_rows_of_no_declared_width_are_rows() -> None:
    blocks = list(csv_rows(io.BytesIO(b"1\n1,2,3\n"), FORM, 2, {"b": 1}, read=b"", block=100))
    assert [text for b in blocks for text in texts_of(b["b"])] == ["", "2"]


PARTS = [
    *[
        "a",
        '"',
        '""',
        ",",
        ",,,",
        ";",
        '","',
        '",',
        ',"',
        " ",
        "\t",
        "\r",
        "\0",
        "\v",
        "\f",
        "\x1a",
        "'",
        "\\",
    ],
    *['\\"', "=1+1", "\x80", "\xff", "\xef\xbb\xbf", "\x85", "1e999", "x" * 300, '"' * 99, "," * 99],
]
"""Parts of invalid lines. Each character is a byte."""
SOUND = ["a,b,c", '"a, ""b""",b,"c"', ',"b\n\nb, ""d""", c', 'a,b, "c"', "d,e,f"]
"""Return records of which one has line feeds in a cell."""


@pytest.mark.parametrize("breaks", [LineBreaks.JOIN, LineBreaks.SPLIT])
def test_a_hostile_line_adds_at_most_one_record_and_changes_no_other(breaks: LineBreaks) -> None:
    """Return 3,000 lines of quotes, delimiters and bytes that are not text, half of them for each format."""
    draw, form = random.Random(32), FileFormat(header=False, line_breaks=breaks)

    def records(lines: list[str]) -> list[tuple[str, ...]]:
        file, places = io.BytesIO("\n".join(lines).encode("latin-1")), {"a": 0, "b": 1, "c": 2}
        blocks = [*csv_rows(file, form, 3, places, read=b"")]
        return [row for block in blocks for row in zip(*map(texts_of, block.values()), strict=True)]

    expected = records(SOUND)
    before = [len(records(SOUND[:place])) for place in range(len(SOUND) + 1)]
    for _ in range(1500):
        line = "".join(draw.choices(PARTS, k=draw.randint(1, 9)))
        place = draw.randint(0, len(SOUND))
        found = records([*SOUND[:place], line, *SOUND[place:]])
        added = len(found) - len(expected)
        assert added in (0, 1), line
        assert found[: before[place]] + found[before[place] + added :] == expected, line
