from pathlib import Path

import numpy as np
import pytest

from synth.bench.metrics import METRICS, Judge
from synth.bench.tables.gauss import Equicorrelated
from synth.bench.tables.tables import BenchTable, HeldOut, schema_of
from synth.core.axis import domain_of
from synth.core.errors import Mistake
from synth.core.graphs.workload import Workload
from synth.core.table import CodeTable
from synth.release.decode import decode
from synth.rules import parse_rules


def town(at: Path, *, held_out: bool = False) -> BenchTable:
    """Four binary columns; y is a noisy copy of a."""
    rng = np.random.default_rng(0)
    schema = schema_of("town", dict.fromkeys("abcy", 2), ())
    for name in ("town", "others"):
        rows = rng.integers(0, 2, (400, 4))
        rows[:, 3] = np.where(rng.random(400) < 0.9, rows[:, 0], 1 - rows[:, 0])
        np.savetxt(at / f"{name}.csv", rows, fmt="%d", delimiter=",", header="a,b,c,y", comments="")
    apart = HeldOut(csv=at / "others.csv", schema=schema) if held_out else None
    return BenchTable(name="town", csv=at / "town.csv", schema=schema, target="y", held_out=apart)


def judge_of(table: BenchTable, **more: str) -> Judge:
    return Judge(table, Workload.all_kway(domain_of(table.axes)), **more)


def test_the_real_table_itself_is_without_error(tmp_path: Path) -> None:
    judge = judge_of(town(tmp_path))
    found = judge.figures(judge.real)
    usual = {m.name for m in METRICS if m.measure and not m.slow and m.applies(judge)}
    assert found == dict.fromkeys(usual, 0.0)
    assert usual >= {"tvd1", "tvd2", "tvd3", "workload_error", "covariance", "sw1"}


def test_values_are_judged_where_a_table_has_them(tmp_path: Path) -> None:
    law = Equicorrelated(rows=3000, columns=3)
    law.write(tmp_path / "law.csv")
    table = BenchTable(name="law", csv=tmp_path / "law.csv", schema=law.schema("law"), as_values=True)
    judge = judge_of(table)
    assert judge.values is not None
    exact = judge.figures(judge.real, judge.values)["fidelity"]
    drawn = judge.figures(judge.real)["fidelity"]
    codes = np.asarray(judge.real.codes, dtype=np.int64)
    again = judge.figures(judge.real, decode(codes, table.axes, np.random.default_rng(1)))
    assert exact == 0.0 and drawn is not None and drawn > 0.1
    assert again["fidelity"] == pytest.approx(drawn, abs=0.05)


def test_broken_rules_are_counted_whether_they_were_in_force_or_not(tmp_path: Path) -> None:
    law = Equicorrelated(rows=300, columns=2)
    law.write(tmp_path / "law.csv")
    schema = law.schema("law")
    rules = parse_rules(["x00 is at most x01"], schema)
    table = BenchTable(name="law", csv=tmp_path / "law.csv", schema=schema, as_values=True, rules=rules)
    judge = judge_of(table)
    assert judge.values is not None
    broken = float((judge.values["x00"] > judge.values["x01"]).mean())
    assert judge.figures(judge.real, judge.values)["violations"] == pytest.approx(broken)
    assert broken > 0.3


def test_metrics_are_had_by_name(tmp_path: Path) -> None:
    judge = judge_of(
        town(tmp_path, held_out=True), metrics="sw1+query_error+accuracy_boosting+accuracy_boosting_real+tvd2"
    )
    exact = judge.figures(judge.real)
    assert list(exact) == ["tvd2", "sw1", "query_error", "accuracy_boosting", "accuracy_boosting_real"]
    assert exact["tvd2"] == exact["sw1"] == exact["query_error"] == 0.0
    right = exact["accuracy_boosting"]
    assert right == exact["accuracy_boosting_real"] == pytest.approx(0.9, abs=5 * (0.09 / 400) ** 0.5)
    lost = CodeTable(judge.real.domain, np.random.default_rng(1).permuted(judge.real.codes, axis=0))
    found = judge.figures(lost)
    assert all(found[name] > 3 * (exact[name] or 1e-3) for name in ("sw1", "query_error"))  # type: ignore[operator]


def test_other_metrics_are_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(Mistake, match="none, usual, all"):
        judge_of(town(tmp_path), metrics="tvd2+some")


def test_nearest_neighbours_and_tables_of_many_columns_see_what_pairs_hide(tmp_path: Path) -> None:
    """A label that is the parity of two columns, and rows in which every pair is as it was."""
    rng, table = np.random.default_rng(0), town(tmp_path, held_out=True)
    for name in ("town", "others"):
        rows = rng.integers(0, 2, (400, 4))
        rows[:, 3] = rows[:, 0] ^ rows[:, 1]
        np.savetxt(tmp_path / f"{name}.csv", rows, fmt="%d", delimiter=",", header="a,b,c,y", comments="")
    judge = judge_of(table, metrics="tvd2+tvd4+accuracy_neighbours+accuracy_neighbours_real")
    lost = np.array(judge.real.codes)
    lost[:, 3] = rng.permutation(lost[:, 3])
    found = judge.figures(CodeTable(judge.real.domain, lost))
    assert found["accuracy_neighbours_real"] == 1.0
    assert abs(float(found["accuracy_neighbours"] or 0) - 0.5) < 0.25  # eight cells are guessed at alike
    assert float(found["tvd2"] or 0) < 0.06 < 0.3 < float(found["tvd4"] or 0)
    assert "tvd5" not in judge_of(table, metrics="all").figures(judge.real)
