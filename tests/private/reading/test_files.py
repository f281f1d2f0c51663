"""Test opening files: headers, formats, and values of public files."""

import gzip
from dataclasses import replace
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import feather

from synth.core.errors import Code, Mistake, Refusal
from synth.core.schema import Column, FileFormat, Kind, LineBreaks, Schema, Unit
from synth.private.reading.files import header_only, read_columns, texts_in
from synth.private.reading.vault import Vault
from tests.private.reading.texts import texts_of
from tests.refusals import refused

CONTENT = "x,who, b \n1,ann,u\n2,ann,v\n"
DECLARED = Schema(
    name="t",
    population="t",
    unit=Unit(max_rows=1, id_column="who"),
    columns=(
        Column(name="b", kind=Kind.CATEGORY, values=("u",)),
        Column(name="who", kind=Kind.DROP),
        Column(name="x", kind=Kind.DROP),
    ),
)


def write(folder: Path, content: str) -> Path:
    path = folder / "t.csv"
    path.write_bytes(content.encode())
    return path


def rows_of(path: Path, **options: object) -> dict[str, list[str]]:
    held: dict[str, list[str]] = {}
    for block in read_columns(path, DECLARED, **options):  # type: ignore[arg-type]
        for name, column in block.items():
            held.setdefault(name, []).extend(texts_of(column))
    return held


TWO_LINES = 'x,"who ""is""\r\nit", b \r\n1,ann,u\r\n2,ann,v\r\n'


def test_a_name_over_two_lines_is_refused_by_names_and_rows_alike(tmp_path: Path) -> None:
    path = write(tmp_path, TWO_LINES)
    for breaks in (LineBreaks.JOIN, LineBreaks.REFUSE):
        form = FileFormat(line_breaks=breaks)
        for read in (lambda: header_only(path, form), lambda: rows_of(path)):  # noqa: B023
            with refused(Code.HEADER_OPEN):
                read()
    with refused(Code.HEADER_OPEN):
        header_only(write(tmp_path, "c\n" + TWO_LINES), FileFormat(skip_lines=1))
    assert len(header_only(write(tmp_path, TWO_LINES), FileFormat(line_breaks=LineBreaks.SPLIT))) == 2
    assert len(header_only(path, FileFormat(quote=""))) == 2


@pytest.mark.parametrize("top", ['a,5" pipe\n', 'a,"b" c\n', "a,b\n", 'id,name,"height\n'])
@pytest.mark.parametrize(
    "rows", ['1,2\n3,"4\n', '1,"2"\n3,"4\n', '1,Ann,3\n7,Bob,5"\n8,Eve,1\n', '5",6"\n7,8\n']
)
def test_no_row_is_ever_taken_for_a_part_of_a_header(tmp_path: Path, top: str, rows: str) -> None:
    """The result for a header, names or a refusal, does not depend on the lines after it."""

    def said(content: str) -> list[str] | Code:
        try:
            return header_only(write(tmp_path, content), FileFormat())
        except Refusal as refusal:
            return refusal.code

    assert said(top + rows) == said(top)


@pytest.mark.parametrize(
    ("top", "code"),
    [
        ("B,WHO", None),
        ("\u00a0b\u00a0,Who ,b2", None),
        ("b,who,b", Code.HEADER_REPEATED),
        ("B,who, b ", None),
        ("B,who,\uff22", Code.HEADER_REPEATED),
        ("b;who", Code.HEADER_SINGLE),
        ("c,who", Code.HEADER_MISMATCH),
    ],
)
def test_names_are_matched_in_spite_of_case_and_blanks(tmp_path: Path, top: str, code: Code | None) -> None:
    path = write(tmp_path, f"{top}\nu,ann,u\n")
    if code is None:
        assert rows_of(path) == {"b": ["u"], "who": ["ann"]}
        return
    with refused(code):
        rows_of(path)


def test_a_vault_compares_the_whole_file_when_its_last_block_is_taken(tmp_path: Path) -> None:
    path, secrets = write(tmp_path, CONTENT), tmp_path / "vault.json"
    rows_of(path, vault=Vault(secrets))
    assert rows_of(path, vault=Vault(secrets), block=5)["b"] == ["u", "v"]
    write(tmp_path, CONTENT + "3,bob,v\n")
    with refused(Code.FILE_CHANGED):
        rows_of(path, vault=Vault(secrets))


def test_a_column_that_is_not_there_and_a_file_that_is_none_are_refused(tmp_path: Path) -> None:
    for path, code in (
        (write(tmp_path, "who,c\nann,u\n"), Code.HEADER_MISMATCH),
        (tmp_path / "gone", Code.FILE_UNREADABLE),
    ):
        with refused(code):
            rows_of(path)


def test_the_same_rows_are_the_same_table_in_every_form(tmp_path: Path) -> None:
    """A folder of files has the same rows as one file, in the order of the paths, for every format."""
    rows = {"x": ["1"] * 6, "who": ["ann", "bob"] * 3, "b": ["u", "v", " u ", "", "é", "w"]}
    expected = {"who": rows["who"], "b": ["u", "v", "u", "", "\xc3\xa9", "w"]}
    lines = [",".join(cells) for cells in zip(*rows.values(), strict=True)]
    for name in ("csv", "parquet", "arrow"):
        (tmp_path / name).mkdir()
    for part, start in (("b", 2), ("a", 0)):  # written in another order than read
        some = {name: cells[start : start + (4 if start else 2)] for name, cells in rows.items()}
        text = "\n".join(["x,who,b", *lines[start : start + (4 if start else 2)]])
        (tmp_path / "csv" / f"{part}.csv").write_text(text, encoding="utf-8")
        pq.write_table(pa.table(some), tmp_path / "parquet" / f"{part}.parquet")
        feather.write_feather(pa.table(some), str(tmp_path / "arrow" / f"{part}.feather"))
    with duckdb.connect(str(tmp_path / "t.duckdb")) as base:
        base.register("given", pa.table(rows))
        base.execute("CREATE TABLE people AS SELECT * FROM given")
    for place in ("csv", "parquet", "arrow", "csv/*.csv", "t.duckdb", "t.duckdb::people"):
        assert rows_of(tmp_path / place, block=7) == expected, place
        assert header_only(tmp_path / place, FileFormat()) == ["x", "who", "b"]


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz"])
def test_no_row_of_a_file_without_a_header_is_a_name(tmp_path: Path, name: str) -> None:
    """Several such files are one table, whatever their first rows are."""
    for part in ("a", "b"):
        (tmp_path / f"{part}-{name}").write_bytes(
            gzip.compress(f"{part},1,2\n".encode()) if name.endswith(".gz") else f"{part},1,2\n".encode()
        )
    bare = FileFormat(header=False)
    assert header_only(tmp_path, bare) == header_only(tmp_path / f"a-{name}", bare) == []
    found = read_columns(tmp_path, replace(DECLARED, file=bare, unit=Unit(max_rows=1)))
    assert [text for block in found for text in texts_of(block["b"])] == ["a", "b"]


def test_files_of_two_headers_or_types_are_no_table(tmp_path: Path) -> None:
    write(tmp_path, CONTENT)
    (tmp_path / "u.csv").write_text("x,b,who\n1,u,ann\n")
    for types in (["int64", "int32"], ["int64", "string"]):
        (tmp_path / types[1]).mkdir()
        for number, kind in enumerate(types):
            table = pa.table({"who": ["ann"], "b": pa.array([1]).cast(kind)})
            pq.write_table(table, tmp_path / types[1] / f"{number}.parquet")
    for place in ("*.csv", "int32", "string"):
        for read in (lambda p: list(read_columns(p, DECLARED)), lambda p: header_only(p, FileFormat())):
            with refused(Code.FILES_DIFFER):
                read(tmp_path / place)


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_copy_among_the_files_is_refused_where_no_cap_takes_its_rows_out(tmp_path: Path, form: str) -> None:
    def put(name: str, who: list[str]) -> None:
        if form == "csv":
            (tmp_path / f"{name}.csv").write_text("\n".join(["who,b", *(f"{w},u" for w in who), ""]))
        else:
            some = {"who": pa.array(who, pa.string()), "b": pa.array(["u"] * len(who), pa.string())}
            pq.write_table(pa.table(some), tmp_path / f"{name}.parquet")

    capless = replace(DECLARED, unit=Unit(max_rows=1))
    for name, who in (("a", ["ann"]), ("b", ["bob"]), ("empty", []), ("hollow", [])):
        put(name, who)
    assert sum(len(block["b"].index) for block in read_columns(tmp_path, capless) if "b" in block) == 2
    put("c", ["bob"])
    with refused(Code.FILES_SAME):
        list(read_columns(tmp_path, capless))
    assert rows_of(tmp_path)["who"] == ["ann", "bob", "bob"]  # the cap per unit sees to these


@pytest.mark.parametrize("change", ["a row", "a name", "one file more"])
def test_a_vault_knows_all_the_files(tmp_path: Path, change: str) -> None:
    folder, secrets = tmp_path / "table", tmp_path / "vault.json"
    folder.mkdir()
    for name in ("a.csv", "b.csv"):
        (folder / name).write_text(CONTENT)
    rows_of(folder, vault=Vault(secrets))
    rows_of(folder, vault=Vault(secrets))
    if change == "a row":
        (folder / "b.csv").write_text(CONTENT + "3,bob,v\n")
    elif change == "a name":
        (folder / "b.csv").rename(folder / "c.csv")
    else:
        (folder / "c.csv").write_text(CONTENT)
    with refused(Code.FILE_CHANGED):
        rows_of(folder, vault=Vault(secrets))


@pytest.mark.parametrize("name", ["t.parquet", "t.feather", "t.duckdb.wal"])
def test_a_vault_knows_a_typed_file_and_its_log(tmp_path: Path, name: str) -> None:
    """Another table in the same place is refused, also if only the log of a database differs."""
    place, log, secrets = tmp_path / name.removesuffix(".wal"), tmp_path / "t.duckdb.wal", tmp_path / "vault"

    def put(who: str) -> None:
        rows = pa.table({"x": ["1"], "who": [who], "b": ["u"]})
        if name == "t.parquet":
            pq.write_table(rows, place)
        elif name == "t.feather":
            feather.write_feather(rows, str(place))
        else:
            log.unlink(missing_ok=True)
            with duckdb.connect(str(place)) as base:
                base.execute("CREATE TABLE IF NOT EXISTS people (x TEXT, who TEXT, b TEXT)")
                base.execute("CHECKPOINT")
                base.execute("PRAGMA disable_checkpoint_on_shutdown")
                base.execute("DELETE FROM people")
                base.execute("INSERT INTO people VALUES ('1', ?, 'u')", [who])

    put("ann")
    before = place.read_bytes()
    for _ in range(2):
        assert rows_of(place, vault=Vault(secrets))["who"] == ["ann"]
    put("bob")
    assert (place.read_bytes() == before) == (name == "t.duckdb.wal")
    with refused(Code.FILE_CHANGED):
        rows_of(place, vault=Vault(secrets))


CANARY = "canary-41zp"


def declared(*, public: bool) -> Schema:
    form = FileFormat(delimiter=";")
    return Schema(
        name="t", population="p", unit=Unit(max_rows=1), columns=(), file=form, file_is_public=public
    )


def test_a_public_file_says_what_its_columns_hold(tmp_path: Path) -> None:
    place = tmp_path / "t.csv"
    place.write_text("a;b\nx;1\n?;2\nx;1\ny;\n", encoding="utf-8")
    assert texts_in(place, declared(public=True)) == {"a": ("x", "y"), "b": ("1", "2")}


def test_a_private_file_is_not_even_opened(tmp_path: Path) -> None:
    with pytest.raises(Mistake, match="private") as caught:
        texts_in(tmp_path / f"{CANARY}.csv", declared(public=False))
    assert CANARY not in str(caught.value)
