from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from synth.bench.tables.tables import BenchTable, schema_of
from synth.bench.trials.command import release
from synth.bench.trials.processes import RunFailed
from synth.bench.trials.trial import Part, Trial

pytestmark = pytest.mark.long


def town(at: Path) -> BenchTable:
    rows = "".join(f"{i % 2},{(i // 2) % 3}\n" for i in range(500))
    (at / "town.csv").write_text("sex,class\n" + rows)
    return BenchTable(name="town", csv=at / "town.csv", schema=schema_of("town", {"class": 3, "sex": 2}, ()))


def trial(method: str, **options: Any) -> Trial:
    return Trial(part=Part.COMMAND, table="town", method=method, epsilon=5.0, delta=1e-9, **options)


@pytest.mark.long
def test_the_whole_command_is_timed_and_its_table_measured(tmp_path: Path) -> None:
    found = release(town(tmp_path), trial("independent"))
    assert 0.1 < found["seconds"] < 120.0 and found["peak_mb"] > 20.0
    assert 0.0 <= found["tvd2"] < 0.1


def test_a_command_that_fails_is_told_with_its_last_words(tmp_path: Path) -> None:
    table = town(tmp_path)
    with pytest.raises(RunFailed, match="ended with code"):
        release(table, trial("no such method"))


def test_options_reach_the_command(tmp_path: Path) -> None:
    asked = trial("mixture", options={"no_such": 1}, generator_options={"swaps": False})
    with pytest.raises(RunFailed, match="no_such"):
        release(town(tmp_path), asked)
