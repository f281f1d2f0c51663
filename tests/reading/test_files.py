"""A file, opened: its header alone, or its declared columns in blocks."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from synth.errors import Code, Refusal
from synth.reading.files import header_only, read_columns
from synth.reading.vault import Vault
from synth.schema import Column, FileFormat, Kind, Schema, Unit

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
            texts = column.texts.to_pylist()
            held.setdefault(name, []).extend(texts[i] for i in column.index)
    return held


def test_header_only_reads_one_line(tmp_path: Path) -> None:
    path = write(tmp_path, '\ufeffage, "sex, at birth" ,é\n1,2,"unfinished\n')
    assert header_only(path, FileFormat()) == ["age", "sex, at birth", "é"]
    assert header_only(path, FileFormat(header=False)) == []
    assert header_only(write(tmp_path, "c\na,b\n"), FileFormat(skip_lines=1)) == ["a", "b"]


@pytest.mark.parametrize("block", [1, 7, 1 << 20])
def test_modelled_columns_and_the_unit_are_read_and_no_other(tmp_path: Path, block: int) -> None:
    expected = {"b": ["u", "v"], "who": ["ann", "ann"]}
    assert rows_of(write(tmp_path, CONTENT), block=block) == expected
    pq.write_table(pa.table({"x": [[1], [2]], **expected}), tmp_path / "t.parquet")
    assert rows_of(tmp_path / "t.parquet") == expected


def test_a_vault_compares_the_whole_file_when_its_last_block_is_taken(tmp_path: Path) -> None:
    path, secrets = write(tmp_path, CONTENT), tmp_path / "vault.json"
    rows_of(path, vault=Vault(secrets))
    assert rows_of(path, vault=Vault(secrets), block=5)["b"] == ["u", "v"]
    write(tmp_path, CONTENT + "3,bob,v\n")
    with pytest.raises(Refusal) as caught:
        rows_of(path, vault=Vault(secrets))
    assert caught.value.code is Code.FILE_CHANGED


def test_a_column_that_is_not_there_and_a_file_that_is_none_are_refused(tmp_path: Path) -> None:
    for path, code in (
        (write(tmp_path, "who,c\nann,u\n"), Code.HEADER_MISMATCH),
        (tmp_path, Code.FILE_UNREADABLE),
    ):
        with pytest.raises(Refusal) as caught:
            rows_of(path)
        assert caught.value.code is code
