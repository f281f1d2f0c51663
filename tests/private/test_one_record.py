"""One record more or less in a text file: no outcome but a table, and no count but its own moves."""

import csv
import io
import random
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from synth.core.axis import Axis
from synth.core.errors import Code
from synth.core.schema import Column, FileFormat, Kind, LineBreaks, Schema, Unit
from synth.private.table import open_table
from tests.refusals import refused

AXES = tuple(
    Axis(column=Column(name=name, kind=Kind.CATEGORY), labels=("1", "x", "x\ny"), other="Other")
    for name in "ab"
)


def rows(
    folder: Path, text: str, *, header: bool = False, unit: Unit | None = None, **form: object
) -> Counter:
    columns = tuple(axis.column for axis in AXES)
    if unit is not None:
        columns += (Column(name="id", kind=Kind.DROP),)
    schema = Schema(
        name="t",
        population="t",
        unit=unit or Unit(max_rows=1),
        columns=columns,
        file=FileFormat(header=header, **form),  # type: ignore[arg-type]
    )
    top = ",".join(column.name for column in columns) + "\n" if header else ""
    (folder / "t.csv").write_text(top + text, encoding="latin-1", newline="")
    table = open_table(folder / "t.csv", schema)
    return Counter(zip(*(c.tolist() for c in table.codes(AXES).columns), strict=True))


@pytest.mark.parametrize("header", [False, True])
def test_no_record_and_a_short_one_and_a_good_one_more_behave_alike(tmp_path: Path, header: bool) -> None:
    nothing, short, more = (rows(tmp_path, text, header=header) for text in ("", "1\n", "1\n1,x\n"))
    assert nothing == Counter()
    assert short == Counter({(0, 4): 1})
    assert more == short + Counter({(0, 1): 1})


LINE = st.text(alphabet='1x",\r \xe9', max_size=8)
WHOLE_FILE = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@WHOLE_FILE
@given(lines=st.lists(LINE, min_size=1, max_size=6), place=st.integers(0, 5), header=st.booleans())
def test_one_line_less_is_one_row_less(tmp_path: Path, lines: list[str], place: int, header: bool) -> None:
    """Whatever the line and the others hold, stray quotes included."""
    place %= len(lines)
    alone, fewer = lines[place], lines[:place] + lines[place + 1 :]
    found = [
        rows(tmp_path, "".join(line + "\n" for line in part), header=header, line_breaks=LineBreaks.SPLIT)
        for part in (lines, fewer, [alone])
    ]
    assert found[0] == found[1] + found[2]
    assert sum(found[2].values()) == bool(alone.strip("\r "))


CELL = st.text(alphabet='1x",\n', max_size=4)


@WHOLE_FILE
@given(records=st.lists(st.tuples(CELL, CELL), min_size=1, max_size=5), place=st.integers(0, 4))
def test_one_joined_record_less_is_one_row(
    tmp_path: Path, records: list[tuple[str, str]], place: int
) -> None:
    place %= len(records)
    found = [
        rows(tmp_path, written(part))
        for part in (records, records[:place] + records[place + 1 :], [records[place]])
    ]
    assert found[0] == found[1] + found[2]
    assert sum(found[2].values()) == 1


def written(records: list[tuple[str, str]]) -> str:
    out = io.StringIO()
    csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(records)
    return out.getvalue()


def test_the_declared_format_says_whether_lines_may_be_joined(tmp_path: Path) -> None:
    text = '1,"x\ny"\nx,x\n'
    assert rows(tmp_path, text) == Counter({(0, 2): 1, (1, 1): 1})
    assert sum(rows(tmp_path, text, line_breaks=LineBreaks.SPLIT).values()) == 3
    with refused(Code.LINES_JOINED):
        rows(tmp_path, text, line_breaks=LineBreaks.REFUSE)
    for stray in ('1,"x\nx,x\n', '1,x"\n', '1,"x""y"\n'):
        assert rows(tmp_path, stray, line_breaks=LineBreaks.REFUSE) == rows(tmp_path, stray)


def test_whoever_has_no_id_moves_no_count(tmp_path: Path) -> None:
    """Nobody can tell how many of such rows are one person's, so none of them is counted."""
    unit = Unit(max_rows=2, id_column="id")
    known = "1,x,ann\nx,x,ann\n1,1,bob\n"
    found = rows(tmp_path, known, header=True, unit=unit)
    assert sum(found.values()) == 3
    for more in ("1,1,\n", "1,1,\n1,1,NA\n1,1, ?\n", "1,1\n1\n"):
        assert rows(tmp_path, known + more, header=True, unit=unit) == found


HOSTILE_LINES = 3000


@pytest.mark.long
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_each_of_many_hostile_lines_is_a_record_by_itself(tmp_path: Path, encoding: str) -> None:
    """All lines together are what each is alone: no line changes the record of another."""
    draw = random.Random(encoding)
    signs = [
        '"',
        '""',
        ",",
        "\t",
        "\r",
        "'",
        ";",
        " ",
        "\0",
        "\ufeff",
        "\u2028",
        "\x85",
        "é",
        "=1+1",
        "N",
        "1",
    ]
    signs += [
        "x",
        "1e400",
        "-0",
        "NaN",
        "\x1f\x8b",
        "PK\x03\x04",
        "A" * 999,
        "\ud83d\ude00".encode("utf-16", "surrogatepass").decode("utf-16"),
    ]
    lines = ["".join(draw.choices(signs, k=draw.randint(0, 9))) for _ in range(HOSTILE_LINES)]
    form = FileFormat(line_breaks=LineBreaks.SPLIT, notes=("N",))
    schema = Schema(
        name="t", population="t", unit=Unit(max_rows=1), columns=tuple(a.column for a in AXES), file=form
    )

    def codes(some: list[str]) -> list[tuple[int, ...]]:
        path = tmp_path / "t.csv"
        path.write_text("".join(f"{line}\n" for line in ["a,b", *some]), encoding=encoding, newline="")
        table = open_table(path, schema, axes=AXES)
        return list(zip(*(c.tolist() for c in table.codes(AXES).columns), strict=True))

    alone = [codes([line]) for line in lines]
    assert all(len(rows) <= 1 for rows in alone)
    assert codes(lines) == [row for rows in alone for row in rows]
