from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from synth.bench.tables.gauss import Equicorrelated
from synth.bench.tables.references import bootstrap, measure, product
from synth.bench.tables.tables import BenchTable, schema_of


def test_a_bootstrap_keeps_rows_whole_and_repeats_some() -> None:
    order = bootstrap(3000, 2, np.random.default_rng(0))
    assert order.shape == (3000, 2) and np.array_equal(order[:, 0], order[:, 1])
    assert len(np.unique(order[:, 0])) < 3000


def test_the_product_takes_every_cell_once_and_pulls_rows_apart() -> None:
    order = product(3000, 2, np.random.default_rng(0))
    for column in order.T:
        np.testing.assert_array_equal(np.sort(column), np.arange(3000))
    assert np.mean(order[:, 0] == order[:, 1]) < 0.01


def test_a_coded_table_has_two_references_and_the_product_loses_the_relation(tmp_path: Path) -> None:
    (tmp_path / "twins.csv").write_text("a,b\n" + "".join(f"{i % 3},{i % 3}\n" for i in range(3000)))
    table = BenchTable(
        name="twins", csv=tmp_path / "twins.csv", schema=schema_of("twins", {"a": 3, "b": 3}, ())
    )
    measured = {(name, run): figures for name, run, figures in measure(table, 2)}
    assert set(measured) == {(name, run) for name in ("bootstrap", "product") for run in (0, 1)}
    kept, lost = measured["bootstrap", 0]["tvd2"], measured["product", 0]["tvd2"]
    assert kept is not None and lost == pytest.approx(2 / 3, abs=0.05) and 0 < kept < 0.1
    assert measured["product", 0]["tvd1"] == 0.0


def test_a_law_is_also_judged_by_its_values(tmp_path: Path) -> None:
    law = Equicorrelated(rows=4000, columns=3)
    law.write(tmp_path / "law.csv")
    table = BenchTable(
        name="law", csv=tmp_path / "law.csv", schema=law.schema("law"), as_values=True, gaussian=law
    )
    measured = {name: figures for name, _, figures in measure(table, 1)}
    assert set(measured) == {"bootstrap", "product", "rebinned", "fresh"}
    values = {name: figures["fidelity"] or 0.0 for name, figures in measured.items()}
    assert values["product"] > values["fresh"] > 0.0 and values["rebinned"] > 0.0
    assert measured["rebinned"]["tvd3"] == 0.0 and (measured["fresh"]["tvd2"] or 1.0) < 0.1
