from pathlib import Path

import pytest

from synth.bench.metrics import Judge
from synth.bench.tables.gauss import Equicorrelated
from synth.bench.tables.references import measure
from synth.bench.tables.tables import BenchTable, schema_of
from synth.core.graphs.workload import Workload


def test_a_second_sample_keeps_relations_and_the_product_keeps_columns_alone(tmp_path: Path) -> None:
    (tmp_path / "twins.csv").write_text("a,b\n" + "".join(f"{i % 3},{i % 3}\n" for i in range(3000)))
    schema = schema_of("twins", {"a": 3, "b": 3}, ())
    table = BenchTable(name="twins", csv=tmp_path / "twins.csv", schema=schema)
    judge = Judge(table, Workload.all_kway(table.domain))
    measured = {(name, run): figures for name, run, figures in measure(judge, 2)}
    assert set(measured) == {(name, run) for name in ("bootstrap", "product") for run in (0, 1)}
    kept, lost = measured["bootstrap", 0]["tvd2"], measured["product", 0]["tvd2"]
    assert kept is not None and lost == pytest.approx(2 / 3, abs=0.05) and 0 < kept < 0.1
    assert measured["product", 0]["tvd1"] == 0.0


def test_a_table_with_values_is_also_judged_by_them(tmp_path: Path) -> None:
    law = Equicorrelated(rows=4000, columns=3)
    law.write(tmp_path / "law.csv")
    table = BenchTable(name="law", csv=tmp_path / "law.csv", schema=law.schema("law"), as_values=True)
    judge = Judge(table, Workload.all_kway(table.domain))
    values = {name: figures["fidelity"] or 0.0 for name, _, figures in measure(judge, 1)}
    assert values["product"] > values["bootstrap"] > 0.0
