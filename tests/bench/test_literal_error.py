"""PrivPGD in three forms on one small table."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from synth.bench import literal_error
from synth.bench.tables import BenchTable, schema_of

SIZES = {"a": 3, "b": 4, "c": 2}


@pytest.fixture
def table(tmp_path: Path) -> BenchTable:
    """Three columns that go up together."""
    latent = np.random.default_rng(0).random(2_000)
    codes = np.stack([(latent * size).astype(int) for size in SIZES.values()], axis=1)
    np.savetxt(tmp_path / "t.csv", codes, fmt="%d", delimiter=",", header=",".join(SIZES), comments="")
    return BenchTable(name="t", csv=tmp_path / "t.csv", schema=schema_of("t", SIZES, list(SIZES)))


@pytest.mark.long
def test_all_forms_come_near_the_same_table(table: BenchTable) -> None:
    """Records of uniform codes are .46 away, and .08 by sliced distance."""
    made = list(literal_error.forms(table, seed=0, particles=1_000, iterations=60, epochs=60))
    assert [one.form for one in made] == ["by default", "fast option", "as published"]
    for one in made:
        assert 0 < one.tvd < 0.15 and 0 < one.sliced < 0.05, str(one)


def test_the_command_says_a_line_for_each(
    table: BenchTable, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(literal_error, "find", lambda name: table)
    literal_error.main(["--particles", "200", "--iterations", "3", "--epochs", "2"])
    told = capsys.readouterr().out.splitlines()
    assert len(told) == 3 and told[-1].startswith("as published: TVD of pairs ")
