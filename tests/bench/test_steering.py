from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from synth.bench.steering import moved, released
from synth.bench.tables import BenchTable
from synth.dictionaries import load_schema
from synth.rules import parse_rules

COLUMNS = [
    {"name": "a", "kind": "category", "values": [0, 1, 2], "blank": False},
    {"name": "b", "kind": "category", "values": [0, 1], "blank": False},
]
SCHEMA = load_schema({"name": "t", "population": "p", "unit": {"max_rows": 1}, "columns": COLUMNS})


@pytest.fixture
def table(tmp_path: Path) -> BenchTable:
    rows = np.random.default_rng(0).integers(0, (3, 2), (600, 2))
    csv = tmp_path / "t.csv"
    csv.write_text("a,b\n" + "".join(f"{a},{b}\n" for a, b in rows))
    rules = parse_rules(["if a is 2 then b is only 0"], SCHEMA)
    return BenchTable(name="t", csv=csv, schema=SCHEMA, as_values=True, rules=rules)


def test_records_are_moved_to_the_shares_and_keep_the_rules(table: BenchTable) -> None:
    wish = "the share of records where a is 1 and b is 1 should be hidden as 0.3"
    found = moved(table, [wish], rows=2000, seed=1)
    assert found.off <= 0.5 / 2000 and found.violations == 0 and found.rows == 2000


def test_a_release_is_measured_with_its_share_and_without(table: BenchTable) -> None:
    wish = "the share of records where a is 1 and b is 1 should be as in the table"
    found = released(table, wish, seed=1)
    assert found.off <= 0.5 / found.rows and found.tvd is not None and "before" in str(found)
