"""The invented table is written as said, and what is printed of it was run."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from synth.bench import scale
from synth.bench.scale import CODES, schema_of, write_table


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


def test_a_small_table_is_counted_and_released(tmp_path: Path) -> None:
    asked = ["--rows", "3e3", "--columns", "4", "--method", "independent", "--records", "500"]
    asked += ["--whole", "csv"]
    command = [sys.executable, "-m", "synth.bench.scale", *asked, "--tables", str(tmp_path)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=300)
    told = ended.stdout + ended.stderr
    assert ended.returncode == 0, told
    assert "3,000 rows x 4 columns" in told and "count 6 pairs: " in told
    assert re.search(r"DuckDB is not installed|the counts are equal", told)
    assert "release by independent, 500 rows: " in told and "ingest " in told
    assert "bundle " in told and "write 3,000 rows as csv, with checks: " in told
