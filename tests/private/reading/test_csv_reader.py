"""CSV as columns of text: pyarrow and Python cut the same cells, and only what is wanted is cut."""

import csv
import io

from hypothesis import given, settings
from hypothesis import strategies as st

from synth.core.schema import FileFormat
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
