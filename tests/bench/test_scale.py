"""The invented table is written as said, and what is printed of it was run."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from synth.bench import scale
from synth.bench.scale import CODES, bounds_told, schema_of, write_table
from synth.core.errors import Mistake
from synth.release.checks.bounds import Bound, Support


def test_the_table_has_the_declared_codes_and_depends_from_column_to_column(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scale, "ROWS_AT_A_TIME", 7_000)
    write_table(tmp_path / "t.parquet", rows=20_000, columns=9)
    table = pq.read_table(tmp_path / "t.parquet")
    assert table.num_rows == 20_000 and table.column_names == [c.name for c in schema_of(9).columns]
    codes = [table[name].to_numpy() for name in table.column_names]
    assert [int(c.max()) + 1 for c in codes] == [CODES[j % 8] for j in range(9)]
    for j in range(1, 9):
        stretched = codes[j - 1].astype(int) * CODES[j % 8] // CODES[(j - 1) % 8]
        assert np.mean(codes[j] == stretched) >= 0.48, "half of the rows, less four sigmas"
    write_table(tmp_path / "again.parquet", rows=20_000, columns=9)
    assert pq.read_table(tmp_path / "again.parquet").equals(table)
    assert {file.suffix for file in tmp_path.iterdir()} == {".parquet"}


@pytest.mark.long
def test_small_tables_are_counted_released_and_written_again(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    few = scale.Scale(method="independent", records=500, whole="csv")
    assert scale.run([(3_000, 4), (500, 2)], few, tmp_path) == 0
    told = capfd.readouterr().out
    assert "3,000 rows x 4 columns" in told and "count 6 pairs: " in told
    assert "500 rows x 2 columns" in told and "count 1 pairs: " in told
    assert re.search(r"DuckDB is not installed|count 6 of 6 pairs: .*\n  the counts are equal", told)
    assert "release by independent, 500 rows: " in told and "ingest " in told
    assert "bundle " in told and "write 3,000 rows as csv, with checks: " in told
    assert re.search(r"bounds: 0\.\d{3} \(4 measured\), none in own codes for 6; 4 tables measured", told)


@pytest.mark.long
def test_no_more_records_are_drawn_than_were_read_and_bounds_are_told_by_kind(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert scale.run([(300, 3)], scale.Scale(method="independent", whole=""), tmp_path) == 0
    assert "release by independent, 300 rows: " in capfd.readouterr().out
    known = [Bound(clique=("a",), kind=Support.MEASURED, l1_counts=2.0, tvd=x, beta=0.05) for x in (0.1, 0.3)]
    merged = Bound(
        clique=("a", "b"),
        kind=Support.NONE,
        l1_counts=None,
        tvd=None,
        beta=0.05,
        coarse_kind=Support.INFERRED,
        coarse_tvd=0.5,
        coarse_l1=5.0,
    )
    told = "bounds: 0.500 (1 inferred in groups), 0.200 (2 measured), none in own codes for 1"
    assert bounds_told([*known, merged]) == told


@pytest.mark.long
def test_the_command_counts_alone_and_some_pairs_by_duckdb(tmp_path: Path) -> None:
    pytest.importorskip("duckdb")
    command = [sys.executable, "-m", "synth", "bench", "--preset", "scale", "--out", str(tmp_path)]
    command += ["--sizes", "2e3x5", "--methods", "--beside"]
    told = subprocess.run([*command, "5"], capture_output=True, text=True, timeout=300, check=True).stdout
    assert "count 10 pairs: " in told and "count 5 of 10 pairs: " in told and "equal" in told
    assert "release" not in told
    told = subprocess.run([*command, "0"], capture_output=True, text=True, timeout=300, check=True).stdout
    assert "DuckDB" not in told


def test_counts_that_are_not_ours_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("duckdb")
    write_table(tmp_path / "t.parquet", rows=2_000, columns=3)
    counts = tmp_path / "counts.npz"
    scale.measure(tmp_path / "t.parquet", scale.Scale(method=""), counts=counts)
    with np.load(counts) as kept:
        tables = [kept[name] for name in kept.files]
    assert scale.beside(tmp_path / "t.parquet", scale.Scale(), counts=counts)
    tables[1][0, 0] += 1
    np.savez(counts, *tables)
    assert not scale.beside(tmp_path / "t.parquet", scale.Scale(), counts=counts)
    assert "NOT EQUAL" in capsys.readouterr().out


@pytest.mark.parametrize("word", ["55", "5x", "x5", "0x3", "3x0", "-2x2", "inf x 2", "nanx2", "2x1.5"])
def test_what_is_no_size_is_refused(word: str) -> None:
    with pytest.raises(Mistake, match=re.escape(repr(word))):
        scale.sizes_of([word])
