from __future__ import annotations

from pathlib import Path

import numpy as np

from synth.bench.tables.gauss import Equicorrelated


def test_every_pair_has_the_stated_correlation_and_every_column_is_standard() -> None:
    sample = Equicorrelated(rows=40_000, columns=6).draw(np.random.default_rng(0))
    wanted = np.full((6, 6), 0.8)
    np.fill_diagonal(wanted, 1.0)
    assert np.abs(np.cov(sample.T) - wanted).max() < 7 * np.sqrt(2 / 40_000)
    assert np.abs(sample.mean(axis=0)).max() < 7 / np.sqrt(40_000)


def test_the_file_is_the_same_every_time_and_no_other_sample_is(tmp_path: Path) -> None:
    law = Equicorrelated(rows=50, columns=3)
    law.write(tmp_path / "a")
    law.write(tmp_path / "b")
    assert (tmp_path / "a").read_text() == (tmp_path / "b").read_text()
    header, *rows = (tmp_path / "a").read_text().splitlines()
    assert header == "x00,x01,x02" and len(rows) == 50
    assert not np.allclose(np.loadtxt(rows, delimiter=","), law.draw(np.random.default_rng(0)))
