from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from synth.bench import ruled
from synth.bench.ruled import answers, drawn, line
from synth.bench.tables import BenchTable
from synth.dictionaries import load_schema
from synth.models.registry import GENERATORS
from synth.rules import parse_rules

COLUMNS = [
    {"name": "a", "kind": "category", "values": [0, 1, 2], "blank": False},
    {"name": "b", "kind": "category", "values": [0, 1], "blank": False},
]
SCHEMA = load_schema({"name": "t", "population": "p", "unit": {"max_rows": 1}, "columns": COLUMNS})
WISH = "the share of records where a is 1 and b is 1 should be hidden as 0.3"


@pytest.fixture
def table(tmp_path: Path) -> BenchTable:
    rows = np.random.default_rng(0).integers(0, (3, 2), (900, 2))
    csv = tmp_path / "t.csv"
    csv.write_text("a,b\n" + "".join(f"{a},{b}\n" for a, b in rows))
    rules = parse_rules(["if a is 2 then b is only 0"], SCHEMA)
    return BenchTable(name="t", csv=csv, schema=SCHEMA, as_values=True, rules=rules, in_force=True)


def test_zeros_are_kept_where_they_are_told_and_records_that_break_them_counted_elsewhere(
    table: BenchTable,
) -> None:
    evidence = answers(table, seed=0)
    generator = GENERATORS["mixture"]()
    with_rules, without = (
        drawn(generator, evidence, table, zeros=zeros, rows=3000, seed=0, wish=WISH)
        for zeros in (True, False)
    )
    assert with_rules.violations == 0 and with_rules.off <= 0.5 / round(evidence.total)
    assert 0.1 < without.violations / without.rows < 0.25  # a sixth of the real rows break the rule
    assert without.tvd < with_rules.tvd  # as the real table breaks it
    told = line("mixture", [with_rules], [without])
    assert with_rules.rows == 3000 + 2 * round(evidence.total)
    assert (
        f"0 forbidden of {with_rules.rows:,}" in told and f"{with_rules.tvd:.4f} / {without.tvd:.4f}" in told
    )


def test_the_command_prints_a_line_for_each_generator(
    table: BenchTable, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(ruled, "find", lambda name: table)
    monkeypatch.setattr(ruled, "MOVED", (WISH, WISH))
    ruled.main(["--generators", "copula", "blend", "--seeds", "1", "--rows", "500"])
    assert [told.split(":")[0] for told in capsys.readouterr().out.splitlines()] == ["copula", "blend"]
