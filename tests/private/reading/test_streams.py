"""Test compressed files and UTF-16: the rows of the plain file, or a fixed refusal."""

import gzip
import zipfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from synth.core.errors import Code, Mistake
from synth.core.schema import Column, FileFormat, Kind, Schema, Unit
from synth.private.reading.files import header_only, read_columns
from synth.private.reading.vault import Vault
from synth.private.table import open_table
from tests.private.reading.texts import texts_of
from tests.refusals import refused

CANARY = "canary-9wmd"
LINES = ["a,b", "1,é", '2,"x, y"', "", "3,ł"]
DECLARED = Schema(
    name="t",
    population="t",
    unit=Unit(max_rows=1),
    columns=tuple(Column(name=name, kind=Kind.CATEGORY) for name in "ab"),
)


def rows_of(path: Path, **options: object) -> dict[str, list[str]]:
    held: dict[str, list[str]] = {}
    for block in read_columns(path, DECLARED, **options):  # type: ignore[arg-type]
        for name, column in block.items():
            held.setdefault(name, []).extend(texts_of(column))
    return held


def packed(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for name, content in members.items():
            out.writestr(name, content)
    return path


@pytest.mark.parametrize("block", [7, 1 << 22])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "utf-16-le"])
def test_every_form_of_a_file_has_the_same_rows(tmp_path: Path, encoding: str, block: int) -> None:
    text = "\r\n".join(LINES)
    content = (f"\ufeff{text}" if encoding == "utf-16-be" else text).encode(encoding)  # -le has no mark
    (tmp_path / "t.csv").write_bytes(content)
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(content[:9]) + gzip.compress(content[9:]))
    packed(tmp_path / "t.zip", {"out/t.csv": content, "__MACOSX/out/._t.csv": b"\0", "out/.DS_Store": b"\1"})
    expected = {"a": ["1", "2", "3"], "b": ["é", "x, y", "ł"]}
    wired = {name: [text.encode().decode("latin-1") for text in held] for name, held in expected.items()}
    for name in ("t.csv", "t.csv.gz", "t.zip"):
        assert header_only(tmp_path / name, FileFormat()) == ["a", "b"]
        assert rows_of(tmp_path / name, block=block) == wired, name


@pytest.mark.parametrize("name", ["t.csv.gz", "t.zip"])
def test_a_vault_knows_a_compressed_file(tmp_path: Path, name: str) -> None:
    def put(text: str) -> None:
        if name.endswith("gz"):
            (tmp_path / name).write_bytes(gzip.compress(text.encode()))
        else:
            packed(tmp_path / name, {"t.csv": text.encode()})

    put("a,b\n1,2\n")
    for _ in range(2):
        rows_of(tmp_path / name, vault=Vault(tmp_path / "vault.json"))
    put("a,b\n1,3\n")
    with refused(Code.FILE_CHANGED):
        rows_of(tmp_path / name, vault=Vault(tmp_path / "vault.json"))


@pytest.mark.parametrize(
    "members",
    [{}, {"a.csv": b"a,b\n", "b.csv": b"a,b\n"}, {"t.parquet": b"PAR1"}, {"t.xlsx": b"PK"}],
    ids=["none", "two", "parquet", "workbook"],
)
def test_a_zip_has_one_text_file(tmp_path: Path, members: dict[str, bytes]) -> None:
    with refused(Code.ARCHIVE):
        header_only(packed(tmp_path / "t.zip", members), FileFormat())


def test_a_zip_with_a_password_is_refused(tmp_path: Path) -> None:
    path = packed(tmp_path / "t.zip", {"t.csv": b"a,b\n"})
    content = bytearray(path.read_bytes())
    for sign, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(sign) + flags] |= 1
    path.write_bytes(content)
    with refused(Code.ARCHIVE):
        header_only(path, FileFormat())


@pytest.mark.parametrize("name", ["t.csv.gz", "t.zip"])
@pytest.mark.parametrize("damage", ["half", "text", "bits"])
def test_a_damaged_file_is_refused_without_a_word_from_it(tmp_path: Path, name: str, damage: str) -> None:
    path, text = tmp_path / name, "a,b\n" + "".join(f"{CANARY}{n},{n * n}\n" for n in range(9999))
    whole = gzip.compress(text.encode()) if name.endswith("gz") else b""
    whole = whole or packed(path, {"t.csv": text.encode()}).read_bytes()
    bits = bytearray(whole)
    bits[len(bits) // 2 : len(bits) // 2 + 9] = b"\xff" * 9
    path.write_bytes({"half": whole[: len(whole) // 2], "text": text.encode()}.get(damage, bits))
    with refused(Code.FILE_UNREADABLE) as caught:
        open_table(path, DECLARED)
    assert CANARY not in f"{caught.value!r} {caught.value.__context__!r}"


@pytest.mark.parametrize("start", [b"\x1f\x8b\x08", b"PK\x03\x04", b"$FL2@(#) SPSS", b"\xd0\xcf\x11\xe0"])
def test_a_file_that_is_not_text_is_named_as_such_by_its_header(tmp_path: Path, start: bytes) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(start + b"\n1,2\n")
    with refused(Code.FILE_KIND):
        header_only(path, FileFormat())
    assert header_only(path, FileFormat(header=False)) == []  # its first line is a record


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("t.por", "SPSS portable files"),
        ("t.ods", "OpenDocument"),
        ("t.XLSM", "with macros"),
        ("t.tar.gz", "Tar files"),
        ("t.sav.gz", "Only CSV"),
    ],
)
def test_other_kinds_are_refused_by_name(tmp_path: Path, name: str, words: str) -> None:
    (tmp_path / name).write_text(CANARY)
    for path in (tmp_path / name, tmp_path):
        with pytest.raises(Mistake, match=words) as caught:
            open_table(path, DECLARED)
        assert CANARY not in str(caught.value)


def test_a_line_that_never_ends_needs_little_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("synth.private.reading.records.LONGEST_LINE", 50)
    for long in ("x" * 40 + ",u", "x" * 60 + ",u"):
        content = gzip.compress(f"a,b\n1,2\n{long}\n3,4\n{long}".encode())
        (tmp_path / "t.csv.gz").write_bytes(content)
        found = [rows_of(tmp_path / "t.csv.gz", block=block) for block in (3, 7, 13, 20)]
        whole = "u" if len(long) < 50 else ""
        assert all(one["b"] == ["2", whole, "4", whole] for one in found)
        assert all(one == found[0] for one in found)


LINE = st.text(alphabet='1xN",\r \xe9\u2028', max_size=8)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=st.lists(LINE, max_size=6), place=st.integers(0, 5), extra=LINE)
def test_a_note_is_left_out_by_itself(tmp_path: Path, lines: list[str], place: int, extra: str) -> None:
    """An additional line adds one record or none, because excluding a line does not depend on other lines."""

    def count(some: list[str]) -> int:
        (tmp_path / "t.csv").write_text("".join(f"{line}\n" for line in some), newline="", encoding="utf-8")
        form = FileFormat(header=False, quote="", notes=("N", '"N'))
        schema = Schema(name="t", population="t", unit=Unit(max_rows=1), columns=DECLARED.columns, file=form)
        return sum(len(block["a"].index) for block in read_columns(tmp_path / "t.csv", schema))

    more = count([*lines[:place], extra, *lines[place:]]) - count(lines)
    blank = not extra.strip(" \r")
    assert more == (0 if blank or extra.strip(" \r").startswith(("N", '"N')) else 1)


@pytest.mark.parametrize(
    ("content", "form", "texts"),
    [
        (
            "a\n\u0141\u00f3d\u017a\nx\n".encode("cp1250"),
            {"encoding": "cp1250"},
            ["\u0141\u00f3d\u017a", "x"],
        ),
        ("a\n\u7537\n\u8868\n".encode("shift-jis"), {"encoding": "Shift-JIS"}, ["\u7537", "\u8868"]),
        (b"a\n\x81\nx\n", {"encoding": "shift-jis"}, ["\ufffd", "x"]),
        ("a\nb\n".encode("utf-16-be"), {"encoding": "utf-16-be"}, ["b"]),
        ("a\nb\n".encode("utf-32"), {}, ["b"]),
        (b'a\n"say \\"hi\\", x"\n"c:\\\\"\n', {"escape": "\\"}, ['say "hi", x', "c:\\"]),
        (b'a\n="01234"\n"=""007"""\n', {}, ["01234", "007"]),
    ],
)
def test_a_declared_encoding_or_escape_is_used(
    tmp_path: Path, content: bytes, form: dict[str, str], texts: list[str]
) -> None:
    (path := tmp_path / "t.csv").write_bytes(content)
    column = Column(name="a", kind=Kind.CATEGORY)
    schema = Schema(
        name="t", population="t", unit=Unit(max_rows=1), columns=(column,), file=FileFormat(**form)
    )
    found = [text for block in read_columns(path, schema) for text in texts_of(block["a"])]
    assert [text.encode("latin-1").decode() for text in found] == texts
