"""The invented table is written as said, and what is printed of it was run."""

import re
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from synth.bench import scale
from synth.bench.scale import CODES, schema_of, write_table
from synth.core.errors import Mistake


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
    assert scale.run([(3_000, 4), (500, 2)], tmp_path, method="independent", epsilon=1.0) == 0
    told = capfd.readouterr().out
    assert "3,000 rows x 4 columns" in told and "count 6 pairs: " in told
    assert "500 rows x 2 columns" in told and "count 1 pairs: " in told
    assert "release by independent, 500 rows: " in told and "ingest " in told
    assert "bundle " in told and "write 3,000 rows as Parquet, with checks: " in told
    assert re.search(r"bounds: 0\.\d{3} \(4 measured\), none in own codes for 6; 4 tables measured", told)


@pytest.mark.parametrize("word", ["55", "5x", "x5", "0x3", "3x0", "-2x2", "inf x 2", "nanx2", "2x1.5"])
def test_what_is_no_size_is_refused(word: str) -> None:
    with pytest.raises(Mistake, match=re.escape(repr(word))):
        scale.sizes_of([word])
