"""One decision: what is recommended, and how every method stands to it."""

from dataclasses import replace

import pytest

from synth.app.project import declared
from synth.app.project.declared import Declared
from synth.app.project.spend.advice import PATIENCE, Advice, Matter, Standing, advise
from synth.app.project.spend.measured import Comparison, Finding, Shape, Source
from synth.app.project.store import Budget
from synth.mechanisms import MECHANISMS

TABLE = declared.read(declared.demo())


def requested(table: Declared, matter: Matter, patience: str, epsilon: float = 1.0) -> Advice:
    return advise(table, matter=matter, patience=patience, budget=Budget(epsilon=epsilon))


def test_advice_keeps_what_matters_and_knows_what_it_cannot_keep() -> None:
    for compared in ((), (measured(ALIKE, blend=0.03, independent=0.03),)):
        found = advise(wide(20), matter=Matter.COLUMNS, patience="now", budget=Budget(), among=compared)
        assert not MECHANISMS[found.method].keeps_relations
    for patience in PATIENCE:
        found = requested(TABLE, Matter.TRIPLES, patience)
        assert MECHANISMS[found.method].keeps_relations and found.k == 3
    assert requested(TABLE, Matter.PAIRS, "night").in_time
    assert requested(replace(TABLE, axes=()), Matter.PAIRS, "night").method in MECHANISMS


def wide(columns: int, ordered: int = 0) -> Declared:
    """A table of so many columns with six values each, the first of them ordered."""
    kinds = ["ordered"] * ordered + ["category"] * (columns - ordered)
    entries = [{"name": f"c{i}", "kind": kind, "values": list("abcdef")} for i, kind in enumerate(kinds)]
    schema = {"name": "t", "population": "p", "unit": {"max_rows": 1}, "columns": entries}
    return declared.read(replace(declared.demo(), schema=schema, rules=()))


def measured(shape: Shape, **pairs: float) -> Comparison:
    """A comparison in which methods were off by so much, in triples by twice as much."""
    source = Source(started="today", command="bench", machine="m", cores="1", version="1", commit="c")
    usual = {"workload": 2, "runs": 3, "seconds": 1.0, "source": source}
    errors = [(name, {"columns": off / 2, "pairs": off, "triples": 2 * off}) for name, off in pairs.items()]
    findings = tuple(Finding(method=name, **off, **usual) for name, off in errors)
    promise = {"epsilon": 1.0, "delta": 1e-9}
    return Comparison(title="Elsewhere", is_invented=False, shape=shape, findings=findings, **promise)


ALIKE = Shape(columns=20, ordered=0)


def advised(comparison: Comparison, matter: Matter = Matter.PAIRS, patience: str = "night") -> Advice:
    return advise(wide(20), matter=matter, patience=patience, budget=Budget(), among=(comparison,))


def test_the_best_of_those_measured_on_a_table_alike_is_advised() -> None:
    assert advised(measured(ALIKE, blend=0.03, grove=0.05)).method == "blend"
    found = advised(measured(ALIKE, blend=0.05, grove=0.03, mst=0.04))
    assert found.method == "grove" and found.is_compared and found.better == ()
    assert list(found.findings) == ["grove", "mst", "blend"]


def test_a_table_that_is_not_alike_decides_nothing() -> None:
    found = advised(measured(Shape(columns=200, ordered=0), blend=0.05, grove=0.01))
    assert found.method == "blend" and found.comparison is None and not found.is_compared


@pytest.mark.parametrize("matter", [Matter.PAIRS, Matter.TRIPLES])
def test_nothing_that_did_worse_than_single_columns_is_advised(matter: Matter) -> None:
    found = advised(measured(ALIKE, blend=0.05, grove=0.045, aim=0.051, independent=0.049), matter)
    assert found.method == "grove" and found.standings["blend"] is Standing.WORSE
    found = advised(measured(ALIKE, blend=0.05, grove=0.05, independent=0.049), matter)
    assert found.method == "independent" and found.is_avoided and found.is_compared


def test_a_model_too_large_for_a_method_makes_it_unable(monkeypatch: pytest.MonkeyPatch) -> None:
    assert requested(TABLE, Matter.TRIPLES, "coffee").standings["aim"] is not Standing.UNABLE
    monkeypatch.setattr("synth.app.project.spend.advice.forced_cells", lambda table: 10**12)
    after = requested(TABLE, Matter.TRIPLES, "coffee")
    assert after.standings["aim"] is Standing.UNABLE and after.method != "aim"
    assert not MECHANISMS[after.method].joins or after.method == "independent"
