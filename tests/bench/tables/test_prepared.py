from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from synth.bench.tables.gauss import Equicorrelated
from synth.bench.tables.prepared import UNIFORM, WAYS, bins_of, prepared, recoded
from synth.bench.tables.tables import BenchTable, read, read_values, schema_of
from synth.bench.trials import runs
from synth.bench.trials.trial import Part, Trial
from synth.core.axis import domain_of
from synth.core.discretisation import resolve_axes
from synth.core.errors import Mistake
from synth.core.schema import Binning, Column, Kind, Schema, Unit
from synth.mechanisms.shared.recipe import recipe_of
from synth.private.ledger import Ask, Ledger
from synth.rules import parse_rules

COLUMNS = (
    Column(name="age", kind=Kind.INTEGER, min=0, max=98, bins=7),
    Column(name="pay", kind=Kind.INTEGER, min=0, max=999, points=(0,), bins=9),
    Column(name="town", kind=Kind.CATEGORY, values=tuple("abcdefghij")),
    Column(name="sex", kind=Kind.CATEGORY, values=("f", "m")),
    Column(name="id", kind=Kind.DROP),
)
SCHEMA = Schema(name="people", population="people", unit=Unit(max_rows=1), columns=COLUMNS)


def cells(schema: Schema) -> dict[str, int]:
    return {axis.name: axis.cells for axis in resolve_axes(schema, parse_rules([], schema))}


def test_a_range_of_a_hundred_values_is_cut_and_a_shorter_one_keeps_each() -> None:
    uniform = prepared(SCHEMA, "uniform-100")
    assert cells(uniform) == {"age": 99, "pay": UNIFORM, "town": 10, "sex": 2}
    tree = prepared(SCHEMA, "privtree")
    assert tree.column("pay").binning is Binning.PRIVTREE
    assert tree.column("age").binning is Binning.UNIFORM and cells(tree)["age"] == 99


def test_values_are_merged_where_there_are_several() -> None:
    merged = prepared(SCHEMA, "uniform-100+merge")
    assert [c.name for c in merged.columns if c.merge_rare] == ["town"]
    assert cells(merged)["pay"] == UNIFORM


def test_none_is_the_schema_itself_and_other_words_are_mistakes() -> None:
    assert prepared(SCHEMA, "") is SCHEMA
    with pytest.raises(Mistake, match=", ".join(WAYS)):
        prepared(SCHEMA, "dawa")
    with pytest.raises(Mistake, match="changes no column"):
        prepared(schema_of("codes", {"a": 3}, ()), "merge")


def test_bins_are_of_long_ranges_alone() -> None:
    assert bins_of(SCHEMA, {"age": 99, "pay": 30, "town": 10, "sex": 2}) == 30
    assert bins_of(schema_of("codes", {"a": 3}, ()), {"a": 3}) is None


def normal(at: Path) -> BenchTable:
    law = Equicorrelated(rows=4000, columns=2, bins=8)
    law.write(at / "law.csv")
    return BenchTable(name="law", csv=at / "law.csv", schema=law.schema("law"), as_values=True)


def test_values_are_read_back_into_the_codes_as_declared(tmp_path: Path) -> None:
    table = normal(tmp_path)
    values = read_values(table)
    assert np.array_equal(recoded(table, np.zeros((1, 2), dtype=np.int64), values).codes, read(table).codes)
    coded = replace(table, schema=schema_of("codes", {"a": 3}, ()), as_values=False)
    assert recoded(coded, np.array([[2]]), None).codes.tolist() == [[2]]


@pytest.mark.parametrize("way, least, most", [("", 8, 8), ("uniform-100", 100, 100), ("privtree", 9, 1024)])
def test_a_run_buys_its_tree_with_a_tenth_and_is_judged_as_declared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str, least: int, most: int
) -> None:
    table, spent = normal(tmp_path), dict[str, int]()

    class Watched(Ledger):
        def ask_all(self, run: str, *, part: str, step: int, asks: Sequence[Ask]) -> tuple[bytes, ...]:
            spent[part] = spent.get(part, 0) + sum(ask.units for ask in asks)
            return super().ask_all(run, part=part, step=step, asks=asks)

    monkeypatch.setattr(runs, "find", lambda name: table)
    monkeypatch.setattr(runs, "Ledger", Watched)
    told = {"table": "law", "epsilon": 200.0, "delta": 1e-5, "preprocessing": way}
    (figures,) = runs.measure(Trial(part=Part.MECHANISM, method="independent", **told))  # type: ignore[arg-type]
    bought, rest = spent.get("preprocess", 0), spent["mechanism"]
    assert bought == pytest.approx(0.1 * (bought + rest) if way == "privtree" else 0.0, rel=1e-3)
    if way:
        assert least <= (figures["bins"] or 0) <= most and figures.get("covered") is None
    assert 0.0 <= float(figures["tvd1"] or 0) < 0.02  # in the codes as declared, whatever the method saw
    assert domain_of(table.axes).sizes == (8, 8)


def test_the_values_of_a_column_that_is_cut_by_a_tree_follow_the_real_ones(tmp_path: Path) -> None:
    """A tree sees where the rows are: nine in ten of them in a thousandth of the range, which is a
    cell of the grid that it grows on and a part of the next."""
    rng = np.random.default_rng(0)
    pay = np.where(rng.random(5000) < 0.9, rng.integers(500, 510, 5000), rng.integers(0, 10_000, 5000))
    pd.DataFrame({"pay": pay}).to_csv(tmp_path / "pay.csv", index=False)
    column = Column(name="pay", kind=Kind.INTEGER, min=0, max=9999, blank=False)
    schema = replace(SCHEMA, columns=(column,))
    table = BenchTable(name="pay", csv=tmp_path / "pay.csv", schema=schema, as_values=True)
    shares = {}
    for way in ("uniform-100", "privtree"):
        trial = Trial(
            part=Part.MECHANISM, table="pay", method="independent", epsilon=5.0, delta=1e-5, preprocessing=way
        )
        made = runs.once(trial, recipe_of("independent"), table, trial.workload_of(table), 0)
        assert made.values is not None
        shares[way] = float(made.values["pay"].between(500, 509).mean())
    assert shares["privtree"] > 0.5 > 0.3 > shares["uniform-100"]
