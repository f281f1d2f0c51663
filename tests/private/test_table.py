"""Test the private table: it accepts any content, reveals none of it, and is capped per unit."""

import os
import traceback
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from synth.core.axis import Axis
from synth.core.errors import Code, Mistake, Refusal
from synth.core.schema import Column, FileFormat, Kind, Outside, Schema, Unit
from synth.private.entropy import Rehearsal
from synth.private.reading.files import header_only
from synth.private.reading.vault import Vault
from synth.private.table import PrivateTable, open_table
from tests.refusals import refused

CANARY = "CANARY-5e1f90"
AGE = Column(name="age", kind=Kind.INTEGER, min=0, max=3, outside=Outside.MISSING)
SEX = Column(name="sex", kind=Kind.CATEGORY, values=("f", "m"), outside=Outside.OTHER)
DAY = Column(name="day", kind=Kind.DATE, min="1970-01-01", max="1970-01-02")
AXES = (
    Axis(column=AGE, edges=(0, 1, 2, 3, 4)),
    Axis(column=SEX, labels=("f", "m"), other="Other"),
    Axis(column=DAY, edges=(0, 1, 2)),
)
NOTE = Column(name="note", kind=Kind.DROP)


def schema(*, header: bool = True, id_column: str | None = None, max_rows: int = 1, **form: object) -> Schema:
    columns = (AGE, SEX, DAY) if id_column is None else (Column(name=id_column, kind=Kind.CATEGORY), AGE)
    return Schema(
        name="t",
        population="t",
        unit=Unit(max_rows=max_rows, id_column=id_column),
        columns=columns,
        file=FileFormat(header=header, **form),  # type: ignore[arg-type]
    )


def rows_of(path: Path, declared: Schema, axes: tuple[Axis, ...] = AXES) -> Counter[tuple[int, ...]]:
    columns = open_table(path, declared).codes(axes).columns
    return Counter(zip(*(c.tolist() for c in columns), strict=True))


def write(folder: Path, content: bytes | str, name: str = "t.csv") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def assert_says_nothing(refusal: Refusal) -> None:
    """Neither the text, nor the chain, nor a frame on the way holds anything but what was passed in."""
    seen = []
    error: BaseException | None = refusal
    while error is not None:
        seen.append(error)
        error = error.__cause__ or error.__context__
    assert seen == [refusal]
    text = "".join(traceback.format_exception(refusal, chain=True)) + repr(refusal.args)
    assert CANARY not in text
    frame = refusal.__traceback__
    while frame is not None:
        if "synth" in frame.tb_frame.f_code.co_filename:
            assert CANARY not in repr(frame.tb_frame.f_locals)
        frame = frame.tb_next


def test_columns_are_matched_by_name_and_surplus_ones_ignored(tmp_path: Path) -> None:
    path = write(tmp_path, "x,day, sex ,age\nq,1970-01-02, m, 3\n,,?,\nq,1980-01-01,zz,9,too,many\nq\n")
    assert rows_of(path, schema()) == Counter({(3, 1, 1): 1, (4, 3, 2): 2, (4, 2, 1): 1})


def test_without_header_columns_are_taken_in_order(tmp_path: Path) -> None:
    path = write(tmp_path, "comment\n1;'f';1970-01-01\n2;'m'\n")
    form = schema(header=False, delimiter=";", quote="'", skip_lines=1)
    assert rows_of(path, form) == Counter({(1, 0, 0): 1, (2, 1, 2): 1})


def test_refusals_are_decided_by_the_first_line(tmp_path: Path) -> None:
    cases: list[tuple[bytes | str, Schema, Code]] = [
        (f"age,sex\n1,{CANARY}\n", schema(), Code.HEADER_MISMATCH),
        (b"", schema(), Code.HEADER_MISMATCH),
        (f"age;sex;day\n{CANARY};;\n", schema(), Code.HEADER_SINGLE),
        (f'age,sex,"day\n{CANARY}",,\n', schema(), Code.HEADER_OPEN),
    ]
    for content, declared, code in cases:
        with pytest.raises(Refusal) as caught:
            open_table(write(tmp_path, content), declared)
        assert caught.value.code is code
        assert_says_nothing(caught.value)


@pytest.mark.parametrize("kind", ["absent", "folder", "broken parquet", "text as parquet"])
def test_what_cannot_be_opened_is_unreadable(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "t.parquet"
    if kind == "folder":
        path.mkdir()
    elif kind == "broken parquet":
        pq.write_table(pa.table({"age": [CANARY] * 99, "sex": ["f"] * 99, "day": [""] * 99}), path)
        path.write_bytes(path.read_bytes()[:-9])
    elif kind == "text as parquet":
        path.write_text(f"age,sex,day\n1,{CANARY},2\n")
    for attempt in (lambda: open_table(path, schema()), lambda: header_only(path, FileFormat())):
        with pytest.raises(Refusal) as caught:
            attempt()
        assert caught.value.code is Code.FILE_UNREADABLE
        assert_says_nothing(caught.value)


def test_fifo_is_refused_instead_of_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(Refusal):
        open_table(tmp_path / "pipe.csv", schema())


HOSTILE = [
    b'1,"f,1970-01-01',
    b"1,f,1970-01-01,4,5,6",
    b"1",
    b",,,,,,,,",
    b'"1","f","1970-01-01"',
    b'1,"f"",""',
    b'x"y,"z"w,"',
    b"1,f\x00,\x00",
    b"\xff\xfe1,\xc3\x28,\xe9",
    b"1,f,1970-01-01\r",
    b"1,\r,f",
    b"1e400,-0,NaN",
    b"-0,f,1970-02-30",
    b"=cmd|' /C calc'!A0,+1,@x",
    b"1_000,0x1,inf",
    b"1," + b"z" * 1_000_000 + b",2",
    b'1,"' + b"z" * 100_000,
    "\uff11,\uff46,\u2028".encode(),
    CANARY.encode() + b",1,2",
    b"\xef\xbb\xbf1,f,",
]


@pytest.mark.parametrize("header", [True, False])
def test_a_hostile_line_is_one_row_and_changes_no_other(tmp_path: Path, header: bool) -> None:
    declared = schema(header=header)
    good = [b"1,f,1970-01-01", b'2,"m",1970-01-02', b"3,zz,"]
    top = [b"age,sex,day"] if header else []
    expected = rows_of(write(tmp_path, b"\n".join(top + good)), declared)
    assert sum(expected.values()) == 3
    for line in HOSTILE:
        for place in (1, 3):
            lines = [*top, *good[:place], line, *good[place:]]
            found = rows_of(write(tmp_path, b"\n".join(lines)), declared)
            assert sum((found - expected).values()) == 1, line[:30]
            assert not expected - found, line[:30]


LINE = st.one_of(
    st.sampled_from(HOSTILE),
    st.lists(st.sampled_from([b"1", b'"', b",", b"f", b" ", b"\r", b"\x00", b"\xe9", b'""', b"\n"])).map(
        b"".join
    ),
    st.binary(max_size=20),
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=st.lists(LINE, max_size=6), header=st.booleans(), quote=st.sampled_from(['"', ""]))
def test_any_bytes_are_rows_that_count_once(
    tmp_path: Path, lines: list[bytes], header: bool, quote: str
) -> None:
    declared = schema(header=header, quote=quote)
    content = b"\n".join([b"age,sex,day"] * header + lines)
    before = rows_of(write(tmp_path, content), declared)
    after = rows_of(write(tmp_path, content + b"\n2,m,1970-01-02"), declared)
    assert after - before == Counter({(2, 1, 1): 1})
    assert not before - after


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.binary(max_size=300), name=st.sampled_from(["t.csv", "t.parquet"]))
def test_random_bytes_raise_nothing_but_refusals(tmp_path: Path, content: bytes, name: str) -> None:
    path = write(tmp_path, content, name)
    for attempt in (lambda: open_table(path, schema()), lambda: header_only(path, FileFormat())):
        try:
            attempt()
        except Refusal as refusal:
            assert_says_nothing(refusal)


def test_impossible_delimiter_is_a_mistake_of_the_steward(tmp_path: Path) -> None:
    with pytest.raises(Mistake, match="delimiter"):
        open_table(write(tmp_path, ""), schema(delimiter=",,"))


def test_an_unknown_axis_is_refused_without_a_trace() -> None:
    table = PrivateTable.of({"age": [CANARY], "sex": ["f"], "day": [None]}, schema())
    with pytest.raises(Refusal) as caught:
        table.codes([Axis(column=NOTE, labels=("a",))])
    assert caught.value.code is Code.INTERNAL
    assert_says_nothing(caught.value)


def test_no_file_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, f"age,sex,day\n1,{CANARY},\n" * 1000)
    (tmp_path / "cwd").mkdir()
    monkeypatch.chdir(tmp_path / "cwd")
    open_table(path, schema()).codes(AXES)
    assert list((tmp_path / "cwd").iterdir()) == []


def capped(ids: list[str | None], most: int) -> np.ndarray:
    declared = schema(id_column="who", max_rows=most)
    ages = ["0", "1", "2", "3"] * len(ids)
    table = PrivateTable.of({"who": ids, "age": ages[: len(ids)]}, declared)
    with pytest.raises(Refusal):
        table.codes([Axis(column=declared.columns[0], labels=("a",))])
    return table.codes(AXES[:1]).counts([0])


def test_rows_per_unit_are_capped_and_those_of_nobody_are_left_out() -> None:
    assert capped(["a", " a ", "b", "a"], 2).sum() == 3
    assert capped(["a", "a", "a", "a"], 1).sum() == 1
    assert capped(["", None, "NA", "a", "a"], 1).sum() == 1
    assert capped(["", "?"], 9).sum() == 0
    assert capped([], 1).sum() == 0


@pytest.mark.parametrize("known", [(), AXES[:1]], ids=["texts", "codes"])
@pytest.mark.parametrize("most", [1, 3])
def test_only_kept_rows_have_cells_that_do_not_fit(known: tuple[Axis, ...], most: int) -> None:
    """Without the cap on these counters, one unit with many such rows moves them by all of its rows."""
    declared = schema(id_column="who", max_rows=most)
    texts = {"who": ["a"] * 9 + ["b", ""], "age": ["99"] * 9 + ["x", "-1"]}
    unfit = PrivateTable.of(texts, declared, axes=known).codes(AXES[:1]).unfit(0)
    assert unfit.sum() == most + 1


def test_range_and_value_counts_for_bought_domains() -> None:
    texts = {"age": ["1", "1", "NA", "nan", "9", "-5"], "sex": ["f", "x", "x", "", None, "?"]}
    table = PrivateTable.of({**texts, "day": ["1970-01-02", "1e3", "", "", "", ""]}, schema())
    assert table.value_counts("sex") == {"f": 1, "x": 2}
    assert table.range_counts("age", Kind.INTEGER, [0, 1, 2, 3]).tolist() == [1, 2, 1]
    assert table.range_counts("day", Kind.DATE, [0, 1, 2]).tolist() == [0, 1]


MIXED = (
    b'\xef\xbb\xbfage,sex,day,who\r\n0,f,1970-01-01,a\r\n1,"m",1970-01-02,b\n'
    b'"2","f, or\nso",,a\n\n3,\xe9,x,"c"\r\n'
    b'1,"m,1970-01-01,b\n"",m\n1,f,1970-01-02,a,surplus\r\n2," m ",1970-01-02,"c"\n0,m,,\n'
)


@pytest.mark.parametrize("block", [1, 3, 16, 50, 1 << 20])
@pytest.mark.parametrize("known", [(), AXES[:2], AXES])
def test_blocks_and_known_axes_do_not_show(tmp_path: Path, block: int, known: tuple[Axis, ...]) -> None:
    path = write(tmp_path, MIXED * 3)
    expected = [c.tolist() for c in open_table(path, schema()).codes(AXES).columns]
    assert len(expected[0]) == 3 * 9 + 2
    table = open_table(path, schema(), axes=known, block=block)
    assert [c.tolist() for c in table.codes(AXES).columns] == expected


def test_a_known_axis_is_the_only_one_of_its_column() -> None:
    table = PrivateTable.of({"age": [CANARY], "sex": ["f"], "day": [None]}, schema(), axes=AXES)
    with refused(Code.QUERY_INVALID):
        table.codes([Axis(column=AGE, edges=(0, 4))])


def test_a_column_can_be_read_on_two_axes() -> None:
    fine = Axis(column=AGE, edges=(0, 4, 7, 11, 100))
    columns = {"age": ["5", "60", ""], "sex": ["f"] * 3, "day": [None] * 3}
    table = PrivateTable.of(columns, schema(), axes=(*AXES, fine))
    assert table.codes([fine]).columns[0].tolist() == [1, 3, 4]
    assert (
        table.codes(AXES).columns[0].tolist()
        == PrivateTable.of(columns, schema()).codes(AXES).columns[0].tolist()
    )


def test_which_rows_stay_does_not_depend_on_blocks(tmp_path: Path) -> None:
    declared = schema(id_column="who", max_rows=3)
    ages = np.random.default_rng(0).integers(0, 4, 400)
    lines = [f'{age},"p{i % 9}"' if i % 3 else f"{age},p{i % 9}" for i, age in enumerate(ages)]
    path = write(tmp_path, "age,who\n" + "\n".join(lines))

    def kept(block: int, seed: int) -> list[int]:
        table = open_table(path, declared, axes=AXES[:1], entropy=Rehearsal(seed), block=block)
        return table.codes(AXES[:1]).columns[0].tolist()

    assert len(kept(10, 1)) == 9 * 3
    assert kept(10, 1) == kept(333, 1) == kept(1 << 20, 1)
    assert kept(10, 1) != kept(10, 2)


def test_a_second_opening_keeps_the_same_rows_and_knows_the_file(tmp_path: Path) -> None:
    declared = schema(id_column="who", max_rows=2)
    text = "age,who\n" + "\n".join(f"{i * i % 4},p{i % 5}" for i in range(200))
    path, secrets = write(tmp_path, text), tmp_path / "vault.json"

    def opened(where: Path) -> list[int]:
        table = open_table(path, declared, axes=AXES[:1], vault=Vault(where))
        return table.codes(AXES[:1]).columns[0].tolist()

    first = opened(secrets)
    assert opened(secrets) == first
    assert any(opened(tmp_path / f"other{i}.json") != first for i in range(20))
    path.write_text(text.replace("p4", "p3", 1))
    with pytest.raises(Refusal) as caught:
        opened(secrets)
    assert caught.value.code is Code.FILE_CHANGED
    assert_says_nothing(caught.value)


def test_a_parquet_file_in_batches_is_the_same_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = pa.table({"age": list(range(-5, 5)) * 30, "sex": ["f", "é", None] * 100, "day": [""] * 300})
    path = tmp_path / "t.parquet"
    pq.write_table(table, path, row_group_size=77)
    whole = [c.tolist() for c in open_table(path, schema()).codes(AXES).columns]
    assert len(whole[0]) == 300
    monkeypatch.setattr("synth.private.reading.typed_files.BATCH_ROWS", 50)
    assert [c.tolist() for c in open_table(path, schema(), axes=AXES).codes(AXES).columns] == whole
    secrets = tmp_path / "vault.json"
    open_table(path, schema(), axes=AXES, vault=Vault(secrets))
    pq.write_table(table.slice(1), path)
    with refused(Code.FILE_CHANGED):
        open_table(path, schema(), axes=AXES, vault=Vault(secrets))
